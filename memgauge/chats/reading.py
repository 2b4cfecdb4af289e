"""Reading an export: a file, an unpacked folder, or the ZIP as it was downloaded. Keeps what it can and counts the rest."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any

from memgauge.chats.chat import Chat, Left
from memgauge.chats.chatgpt import is_chatgpt, read_chatgpt
from memgauge.chats.plain import is_claude, is_openai, is_sharegpt, read_claude, read_openai, read_sharegpt
from memgauge.errors import InputError

Entry = Mapping[str, Any]
FORMATS: Mapping[str, tuple[Callable[[Entry], bool], Callable[[Entry, str, Left], Chat]]] = {
    "ChatGPT": (is_chatgpt, read_chatgpt),
    "Claude": (is_claude, read_claude),
    "ShareGPT": (is_sharegpt, read_sharegpt),
    "OpenAI chat": (is_openai, read_openai),
}
"""Name → how a conversation of the format is told from others by its keys, and how it is read."""

MOST_BYTES = 2 << 30
"""Of one file inside a ZIP, unpacked. Real exports stay well below; beyond it is an attack or a mistake."""


def read_chats(path: Path) -> tuple[list[Chat], Left]:
    """The conversations with at least one turn, in the order of the files, and what was left out.

    Of a conversation that is there twice, the longer one counts. Raises InputError when nothing can be read, or no conversation is found.
    """
    left: Left = Counter()
    found: dict[str, Chat] = {}
    files = list(_files(path))
    for name, raw in files:
        for number, entry in enumerate(_entries(raw, left), start=1):
            chat = _chat(entry, f"{PurePath(name).stem}-{number}", left)
            if chat is None:
                continue
            if chat.id in found:
                left["conversation that is there twice"] += 1
            if chat.id not in found or len(chat.turns) > len(found[chat.id].turns):
                found[chat.id] = chat
    if not found:
        about = f"; left out: {', '.join(f'{n} × {what}' for what, n in left.items())}" if left else ""
        raise InputError(f"no conversation found in {len(files)} files{about}", where=str(path), hint=f"known exports: {', '.join(FORMATS)}")
    return list(found.values()), left


def _chat(entry: object, place: str, left: Left) -> Chat | None:
    if isinstance(entry, Mapping):
        for is_format, read in FORMATS.values():
            if is_format(entry):
                chat = read(entry, place, left)
                if not chat.turns:
                    left["conversation without a turn"] += 1
                return chat if chat.turns else None
    left["entry of an unknown shape"] += 1
    return None


def _files(path: Path) -> Iterator[tuple[str, bytes]]:
    """(name, bytes) of every file that may hold conversations, by name: parts of one export come in order."""
    try:
        if path.is_dir():
            for file in sorted(f for f in path.iterdir() if f.is_file() and _may_hold(f.name)):
                yield file.name, file.read_bytes()
        elif zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                for info in sorted(archive.infolist(), key=lambda info: info.filename):
                    if _may_hold(info.filename):
                        if info.file_size > MOST_BYTES:
                            raise InputError(f"{info.filename} unpacks to {info.file_size} bytes", where=str(path), hint=f"at most {MOST_BYTES}")
                        yield info.filename, archive.read(info)
        else:
            yield path.name, path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=str(path), hint="give the export: its ZIP, folder or file") from None
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        raise InputError(f"the ZIP cannot be unpacked: {error}", where=str(path), hint="unpack it and give the folder") from None


def _may_hold(name: str) -> bool:
    """`conversations.json`, its numbered parts, and rows. An export's other files are about the account."""
    file = PurePath(name).name
    return file.endswith(".jsonl") or (file.startswith("conversations") and file.endswith(".json"))


def _entries(raw: bytes, left: Left) -> Iterator[Any]:
    """The values of one file: of its list, of its lines, or the one it is. Of a damaged file, those before the damage."""
    text = _decoded(raw, left)
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        yield from _salvaged(text, left)
        return
    yield from whole if isinstance(whole, list) else [whole]


def _decoded(raw: bytes, left: Left) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        left["file that is not UTF-8, read as Latin-1"] += 1
        return raw.decode("latin-1")


def _salvaged(text: str, left: Left) -> Iterator[Any]:
    """One value after another. In a list damage ends the reading, since nothing tells where the next value begins; lines go on."""
    decoder = json.JSONDecoder()
    is_list = text.lstrip().startswith("[")
    at = len(text) - len(text.lstrip().removeprefix("["))
    while (at := _after_separators(text, at)) < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            left["file that ends in damage; what stands before it was read" if is_list else "damaged line"] += 1
            line_end = -1 if is_list else text.find("\n", at)
            at = len(text) if line_end < 0 else line_end
        else:
            yield value


def _after_separators(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n,]\ufeff":
        at += 1
    return at
