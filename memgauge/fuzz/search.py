"""Episode after episode until a promise breaks or the time is up, then the shortest sequence that breaks it."""

from __future__ import annotations

import itertools
import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memgauge.clock import wall_ms
from memgauge.fuzz.generate import Generator
from memgauge.fuzz.looks import Look
from memgauge.fuzz.moves import AGAIN, Move, View
from memgauge.fuzz.play import Play, Seen, play
from memgauge.fuzz.promises import Breach
from memgauge.fuzz.shrink import shrink
from memgauge.fuzz.words import Words
from memgauge.protocol import Manifest
from memgauge.records import Json
from memgauge.runner.options import Opener
from memgauge.systems.spec import SystemSpec

EPISODE = 60
"""Steps on one fresh store. Faults show within a few dozen steps; longer ones only slow the look at everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A broken promise: `length` of the sequence that first broke it, the `moves` left after shrinking, the arguments they were
    `sent` with, and when and where the claim was rightly `seen` before, by read path."""

    system: str
    breach: Breach
    seed: str
    length: int
    moves: tuple[Move, ...]
    sent: Mapping[int, Json]
    seen: Mapping[str, Seen]


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """What was done: episodes, steps sent, writes acknowledged, whether requests were also sent again, and what was found, if anything."""

    episodes: int
    steps: int
    acknowledged: int
    retries: bool
    seconds: float
    found: Found | None


class Finder:
    """Plays sequences on fresh folders of one system."""

    def __init__(self, spec: SystemSpec, opener: Opener, skip: frozenset[str]) -> None:
        self._spec = spec
        self._opener = opener
        self._skip = skip

    def play(self, moves: Sequence[Move], looks: Sequence[Look] | None = None) -> tuple[Play, Breach | None]:
        with tempfile.TemporaryDirectory(prefix="memgauge-fuzz-") as root:
            played = Play(self._spec, self._opener, Path(root), self._skip)
            return played, play(played, moves, looks)

    def manifest(self) -> Manifest:
        return self.play(())[0].session.manifest

    def heeds_keys(self) -> bool:
        """Whether the plainest request can come twice; a memory that was never shown a key is fuzzed without."""
        said = Words(random.Random(0)).fact()
        return self.play((Move(n=0, op="remember", told=said), Move(n=1, op=AGAIN, target="0")))[1] is None

    def shrunk(self, seed: str, moves: Sequence[Move], breach: Breach) -> Found:
        """The shortest sequence that breaks the same promise about the same claim, looking only where it broke and where it would be
        rightly seen. Where that does not break it again, the usual looks are kept."""
        looks: Sequence[Look] | None = _looks_for(moves, breach)
        if not self._breaks(moves, breach, looks):
            looks = None
        kept = shrink(moves, lambda candidate: self._breaks(candidate, breach, looks))
        played, last = self.play(kept, looks)
        seen = {path: one for (claim, path), one in played.seen.items() if claim == breach.claim}
        return Found(
            system=self._spec.name, breach=last or breach, seed=seed, length=len(moves), moves=tuple(played.played), sent=played.sent, seen=seen
        )

    def _breaks(self, moves: Sequence[Move], breach: Breach, looks: Sequence[Look] | None) -> bool:
        found = self.play(moves, looks)[1]
        return found is not None and (found.invariant, found.claim) == (breach.invariant, breach.claim)


def _looks_for(moves: Sequence[Move], breach: Breach) -> Sequence[Look] | None:
    """Where the owner of the claim rightly sees it, then the look that broke the promise; None for a breach that needs no claim to be seen."""
    look = breach.look
    if look is None:
        return ()
    owner = next((move.view for move in moves if move.told is not None and move.told.key == breach.claim), View())
    own = [Look(view=owner, path=path) for path in ("list-all", "list", "list-messages")]
    if look.path in ("context", "recall"):
        own += [Look(view=view, path=look.path, topic=look.topic) for view in (owner, View(actor=owner.actor, thread="side"))]
    return [one for one in dict.fromkeys(own) if one != look] + [look]


def search(
    spec: SystemSpec,
    opener: Opener,
    *,
    seed: int,
    steps: int,
    minutes: float | None = None,
    skip: frozenset[str] = frozenset(),
) -> Campaign:
    """Play until `steps` steps are done, or for `minutes` where these are given, or until something is found, and shrink that.

    `skip` names promises that are not asked for. Raises InputError for a system that cannot be opened.
    """
    finder, started = Finder(spec, opener, skip), wall_ms()
    manifest, retries = finder.manifest(), finder.heeds_keys()
    sent = acknowledged = 0

    def campaign(episodes: int, found: Found | None) -> Campaign:
        seconds = (wall_ms() - started) / 1000
        return Campaign(episodes=episodes, steps=sent, acknowledged=acknowledged, retries=retries, seconds=seconds, found=found)

    for episode in itertools.count():
        over = sent >= steps if minutes is None else wall_ms() - started >= minutes * 60_000
        if over:
            return campaign(episode, None)
        name = f"{seed}/{episode}"
        left = EPISODE if minutes is not None else min(EPISODE, steps - sent)
        moves = list(itertools.islice(Generator(name, manifest, retries=retries).moves(), left))
        played, breach = finder.play(moves)
        sent, acknowledged = sent + len(moves), acknowledged + played.acknowledged
        if breach is not None:
            return campaign(episode + 1, finder.shrunk(name, played.played, breach))
    raise AssertionError("itertools.count ends nowhere")
