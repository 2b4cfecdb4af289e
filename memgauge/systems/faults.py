"""One line for an exception out of code that is under test."""

from __future__ import annotations

import os


def describe(error: BaseException) -> str:
    """Its kind, its text, and the file and line it came from."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" ({os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno})" if trace is not None else ""
    text = " ".join(str(error).split())[:300]
    return f"{type(error).__name__}: {text}{place}" if text else f"{type(error).__name__}{place}"
