"""The container of evidence: one changed byte anywhere is seen, a signature is for one key, and words of a scenario are numbers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from memgauge.errors import InputError
from memgauge.records import Entry
from memgauge.reports import package
from memgauge.reports.wordless import Vocabulary
from tests.reports.conftest import NOW, make_history, make_plan

FILES = {"evidence.json": b'{"a": 1}\n', "page.html": b"<p>UNSIGNED</p>\n"}


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("keys")
    for name in ("one", "other"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(folder / name)], check=True)
    return folder / "one", folder / "other"


def _flipped(path: Path, at: int, bit: int = 1) -> Path:
    body = bytearray(path.read_bytes())
    body[at] ^= bit
    copy = path.with_name("flipped.zip")
    copy.write_bytes(body)
    return copy


def test_every_single_byte_counts(tmp_path: Path) -> None:
    path = tmp_path / "e.zip"
    root = package.write(path, FILES)
    found = package.opened(path)
    assert (found.files, found.root, found.signature) == (FILES, root, "UNSIGNED")
    for at in range(path.stat().st_size):
        with pytest.raises(package.Tampered):
            package.opened(_flipped(path, at))


def test_a_signature_holds_for_its_key_alone_and_every_byte_of_it_counts(tmp_path: Path, keys: tuple[Path, Path]) -> None:
    path = tmp_path / "e.zip"
    package.write(path, FILES, keys[0])
    assert package.opened(path, keys[0].with_suffix(".pub")).signature == package.signer(keys[0])
    with pytest.raises(package.Tampered, match="does not fit the key"):
        package.opened(path, keys[1].with_suffix(".pub"))
    start = path.read_bytes().index(b"-----BEGIN SSH")
    for at in range(start, start + 300, 9):
        with pytest.raises(package.Tampered):
            package.opened(_flipped(path, at))


def test_who_asks_for_a_signature_takes_no_unsigned_package(tmp_path: Path, keys: tuple[Path, Path]) -> None:
    path = tmp_path / "e.zip"
    package.write(path, FILES)
    with pytest.raises(package.Tampered, match="signature is missing"):
        package.opened(path, keys[0].with_suffix(".pub"))


def test_nothing_is_written_over_and_a_key_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "e.zip"
    package.write(path, FILES)
    with pytest.raises(InputError, match="exists already"):
        package.write(path, FILES)
    (tmp_path / "no.key").write_text("no key")
    with pytest.raises(InputError, match="ssh-keygen"):
        package.write(tmp_path / "f.zip", FILES, tmp_path / "no.key")
    assert not (tmp_path / "f.zip").exists()


def test_the_words_of_a_plan_go_and_come_back() -> None:
    words, history = Vocabulary(make_plan("recall/home")), make_history(text="GHENT, ghent; ana lives in Ghent ⟦7⟧")
    out = words.take_out(history)
    assert "ghent" not in str(out).lower()
    assert words.put_back(out) == tuple(Entry.from_json(entry.to_json()) for entry in history)
    with pytest.raises(ValueError, match="has no word"):
        words.put_back([{"n": 1, "type": "call", "step": "⟦99999⟧", "now": NOW}])
