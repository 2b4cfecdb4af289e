"""Token counts that are not made twice in a process. Texts are remembered by their hash only, so that no cache outlives an erase."""

from __future__ import annotations

import functools
import hashlib

from memgauge.tokens import TokenCount, counter

MOST = 100_000
"""Counts kept; about 10 MB. A full table is emptied, since counting anew is cheap."""


@functools.cache
def cached_counter(encoding: str) -> TokenCount:
    """`tokens.counter` with a memory, one a process and encoding. Raises InputError for an unknown encoding."""
    count = counter(encoding)
    known: dict[bytes, int] = {}

    def cached(text: str) -> int:
        key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        found = known.get(key)
        if found is None:
            if len(known) >= MOST:
                known.clear()
            found = known[key] = count(text)
        return found

    return cached
