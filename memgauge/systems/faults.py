"""One line for an exception out of code that is under test."""

from __future__ import annotations

import os


def describe(error: BaseException) -> str:
    """Its kind, its text, and the file and line it came from."""
    place = _place(error)
    said = error.msg if isinstance(error, SyntaxError) else str(error)
    text = " ".join(said.split())[:300]
    return f"{type(error).__name__}: {text}{place}" if text else f"{type(error).__name__}{place}"


def _place(error: BaseException) -> str:
    """Python's own import machinery is nobody's mistake: the file that does not parse is, or the last one that was running."""
    if isinstance(error, SyntaxError) and error.filename and not error.filename.startswith("<"):
        return f" ({os.path.basename(error.filename)}:{error.lineno})"
    place, trace = "", error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not (place and file.startswith("<frozen ")):
            place = f" ({os.path.basename(file)}:{trace.tb_lineno})"
        trace = trace.tb_next
    return place
