"""The texts inside a JSON value: one walk for whoever looks for words in an answer, a plan or a message."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping


def texts_in(value: object, *, keys: bool = True, unpack: bool = False) -> Iterator[str]:
    """Every string of a JSON value in its order, and with `keys` every key. With `unpack`, a string that is itself a JSON object or list
    is walked in its stead. Numbers, booleans and null have no text."""
    if isinstance(value, str):
        inside = _unpacked(value) if unpack else None
        yield from [value] if inside is None else texts_in(inside, keys=keys, unpack=True)
    elif isinstance(value, Mapping):
        for key, part in value.items():
            if keys:
                yield str(key)
            yield from texts_in(part, keys=keys, unpack=unpack)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from texts_in(part, keys=keys, unpack=unpack)


def _unpacked(text: str) -> object:
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
