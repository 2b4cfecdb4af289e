"""Faults below the protocol: the reference memory with a part of its store left out. Nothing is patched: the parts are injected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memgauge.protocol import Receipt, Request
from memgauge.saboteurs.base import Wrapper, saboteur


class _WithoutPart(Wrapper):
    """Opens the reference with other parts than it ships with (see its `config: engine`)."""

    parts: Mapping[str, bool]

    def call(self, request: Request) -> Receipt:
        if request.op == "open":
            config = {**request.args.get("config", {}), "engine": dict(self.parts)}
            request = replace(request, args={**request.args, "config": config})
        return self.inner.call(request)


@saboteur("missing-optimize", rows="A19", classes="deletion", kinds="residue", quiet=True, twin="side-log", of="reference")
class MissingOptimize(_WithoutPart):
    """An erase does not merge the full-text index: the stems of erased words stay in its old segments."""

    parts = {"merge_index": False}  # noqa: RUF012 - read only


@saboteur("missing-checkpoint", rows="A19", classes="deletion", kinds="residue", quiet=True, of="reference")
class MissingCheckpoint(_WithoutPart):
    """An erase does not empty the write-ahead log, which keeps the old pages for as long as the store is open."""

    parts = {"checkpoint": False}  # noqa: RUF012


@saboteur("secure-delete-off", rows="A19", classes="deletion", kinds="residue", quiet=True, twin="side-log", of="reference")
class SecureDeleteOff(_WithoutPart):
    """Freed cells of the database are not overwritten."""

    parts = {"secure_delete": False}  # noqa: RUF012


@saboteur("vacuum-instead", rows="A19", classes="deletion", kinds="residue", quiet=True, twin="side-log", of="reference")
class VacuumInstead(_WithoutPart):
    """A plain DELETE and a VACUUM, and nothing else, are taken for an erase."""

    parts = {"secure_delete": False, "merge_index": False, "checkpoint": False, "vacuum": True}  # noqa: RUF012


@saboteur("missing-fsync", rows="A21", classes="durability concurrency", harmless=True, of="reference")
class MissingFsync(_WithoutPart):
    """Commits are not synced. Only a loss of power shows it, a killed process never: no scenario may fail, and `tests/faults` must."""

    parts = {"sync": False}  # noqa: RUF012
