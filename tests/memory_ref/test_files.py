from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from memgauge.memory_ref.errors import StorageFailed
from memgauge.memory_ref.files import Disk, Files


class Refusing(Disk):
    """Syncs no folder, for a reason."""

    def __init__(self, reason: int) -> None:
        self.reason = reason

    def sync(self, path: Path) -> None:
        if path.is_dir():
            raise OSError(self.reason, os.strerror(self.reason))
        super().sync(path)


@pytest.mark.parametrize("reason", [errno.EACCES, errno.EINVAL])
def test_a_folder_that_cannot_be_synced_at_all_is_no_failure(tmp_path: Path, reason: int) -> None:
    Files(Refusing(reason), sync=True).append(tmp_path / "log", b"line\n")
    assert (tmp_path / "log").read_bytes() == b"line\n"


@pytest.mark.parametrize(("reason", "retryable"), [(errno.EIO, True), (errno.ENOSPC, True), (errno.EROFS, False)])
def test_a_failing_disk_is_told_by_type(tmp_path: Path, reason: int, retryable: bool) -> None:
    with pytest.raises(StorageFailed, match=r"^log cannot be written \(") as raised:
        Files(Refusing(reason), sync=True).append(tmp_path / "log", b"line\n")
    assert raised.value.retryable is retryable


def test_folders_are_made_with_those_above_for_the_owner_alone(tmp_path: Path) -> None:
    Files(Disk(), sync=True).make_folder(tmp_path / "a" / "b")
    assert [path.stat().st_mode & 0o777 for path in (tmp_path / "a", tmp_path / "a" / "b")] == [0o700, 0o700]


def test_a_file_takes_anothers_place_and_what_is_not_there_is_removed_without_complaint(tmp_path: Path) -> None:
    files = Files(Disk(), sync=True)
    files.write(tmp_path / "old", b"old")
    files.write(tmp_path / "new", b"new")
    files.rename(tmp_path / "new", tmp_path / "old")
    assert [(path.name, path.read_bytes(), path.stat().st_mode & 0o777) for path in tmp_path.iterdir()] == [("old", b"new", 0o600)]
    files.remove(tmp_path / "old", tmp_path / "new")
    assert list(tmp_path.iterdir()) == []
