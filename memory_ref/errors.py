"""What the reference memory raises: the StoreError branch of the one error tree.

StoreError
├── Refused          the request is understood and not carried out (`candidates` names the choices of an ambiguous query)
├── NotFound         no such record; the same words for a record of another user and for one that never was
├── Conflict         somebody else wrote meanwhile (`expected`, `actual` revision)
├── Busy             another writer or reader holds the store; the same call may be repeated
├── Damaged          the files are not a store of this user, or cannot be read as one
└── StorageFailed    the disk or SQLite could not do the work (full, read-only, I/O)

No message of these holds text of a record: an error must not say what its reader may not see.
"""

from __future__ import annotations

from memgauge.errors import StoreError

__all__ = ["Busy", "Conflict", "Damaged", "NotFound", "Refused", "StorageFailed", "StoreError"]


class Refused(StoreError):
    """Understood, and not done. `candidates` are the record ids an ambiguous query fits."""

    def __init__(self, message: str, *, candidates: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.candidates = candidates


class NotFound(StoreError):
    """No such record in this user's store. Never says whether another store has it."""

    def __init__(self, what: str) -> None:
        super().__init__(f"no such {what}")


class Conflict(StoreError):
    """The write was made from an older revision than the present one. Both numbers are named, nothing was changed."""

    def __init__(self, message: str, *, expected: int | str, actual: int | str) -> None:
        super().__init__(message)
        self.expected = expected
        self.actual = actual


class Busy(StoreError):
    """Another connection holds the store for longer than the busy timeout. `retryable`: nothing was done."""

    retryable = True


class Damaged(StoreError):
    """The files do not belong to this user, or are not a readable store. Never taken for a new, empty store."""


class StorageFailed(StoreError):
    """SQLite or the disk failed; the transaction was rolled back. `retryable`: the disk was full or could not be written, and the
    same call may be repeated when it can be."""

    def __init__(self, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable
