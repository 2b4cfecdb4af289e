from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import pytest
import tiktoken_ext.openai_public as published

from memgauge import tokens
from memgauge.errors import HarnessFault, InputError
from memgauge.tokens import ENCODINGS, PER_MESSAGE, PER_REQUEST, count_messages, counter, encoding

SAMPLES = (
    "", "a", " ", "\n\n\n", "hello  world", "I'll don't WE'VE", "1234567", "x = {'a': [1, 2]}", "naïve café", "日本語のテキスト",
    "한국어", "العربية", "हिन्दी", "👨‍👩‍👧‍👦", "\0", "<|endoftext|>", "<|fim_prefix|>", "a" * 3000, " " * 3000, "\r\n\t x \u2028",
)  # fmt: skip


@pytest.mark.parametrize("name", sorted(ENCODINGS))
def test_counts_are_those_of_the_published_encoding(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """tiktoken's own definition, fed from our checked rank file instead of the network."""
    import tiktoken

    monkeypatch.setattr(published, "load_tiktoken_bpe", lambda url, expected_hash: _ranks(name, expected_hash))
    definition = getattr(published, name)()
    reference = tiktoken.Encoding(**definition)
    count = counter(name)
    for text in SAMPLES:
        assert count(text) == len(reference.encode_ordinary(text)), text[:20]
    assert encoding(name).eot_token == reference.eot_token


def _ranks(name: str, expected_hash: str) -> dict[bytes, int]:
    assert ENCODINGS[name].sha256 == expected_hash
    return encoding(name)._mergeable_ranks


def test_a_special_token_in_a_text_is_text() -> None:
    assert counter()("<|endoftext|>") > 1


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\ud83d\ude00"])
def test_a_lone_surrogate_is_counted_and_not_a_crash(text: str) -> None:
    assert counter()(text) >= 1


def test_messages_cost_their_frames() -> None:
    count = counter()
    assert count_messages([], count) == PER_REQUEST
    assert count_messages(["hello", ""], count) == count("hello") + 2 * PER_MESSAGE + PER_REQUEST


def test_an_unknown_encoding_names_the_nearest() -> None:
    with pytest.raises(InputError) as caught:
        counter("cl100k")
    assert "cl100k_base" in caught.value.hint


def test_a_damaged_rank_file_is_passed_over_and_named_when_no_other_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = ENCODINGS["cl100k_base"]
    (tmp_path / spec.cache_name).write_bytes(b"IQ== 0\n")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert hashlib.sha256(tokens._rank_file(spec)).hexdigest() == spec.sha256
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(HarnessFault, match="another sha256"):
        tokens._rank_file(spec)


@pytest.mark.parametrize("packed", [b"", b"not gzip", gzip.compress(b"IQ== 0\n", mtime=0)[:-5]])
def test_a_broken_wheel_is_one_clear_fault(packed: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = ENCODINGS["cl100k_base"]
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "cl100k_base.tiktoken.gz").write_bytes(packed)

    class Carrier:
        origin = str(tmp_path / "__init__.py")

    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: Carrier)
    with pytest.raises(HarnessFault) as caught:
        tokens._rank_file(spec)
    assert len(caught.value.lines()) == 1
