"""What a store must hold after writes, deletions and kills: the expectations of a soak, and how a store breaks them.

Every text written is unique, so that one look at what a reader shows tells of each write whether it is there, and how often.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from memgauge.records import Json

State = Literal["ok", "open", "gone", "fading"]
"""ok: acknowledged. open: the writer died in the call. gone: its removal was acknowledged. fading: the writer died in the removal."""
Breach = Literal["lost", "duplicated", "half", "resurrected", "residue", "not_reopened"]
BREACHES: tuple[Breach, ...] = ("lost", "duplicated", "half", "resurrected", "residue", "not_reopened")


@dataclass(slots=True)
class Written:
    """One write: the call that made it, and what became of it. `mark` is the word of the text that no other text has."""

    op: str
    args: Json
    key: str
    text: str
    mark: str
    state: State
    id: str = ""


class Ledger:
    """All writes to one user's store. Any thread may use it."""

    def __init__(self) -> None:
        self._written: dict[str, Written] = {}
        self._lock = threading.Lock()

    def add(self, written: Written) -> None:
        with self._lock:
            self._written[written.text] = written

    def of_state(self, *states: State) -> list[Written]:
        with self._lock:
            return [one for one in self._written.values() if one.state in states]

    def wiped(self) -> None:
        """Everything was removed, and that was acknowledged."""
        with self._lock:
            for one in self._written.values():
                one.state = "gone"

    def compare(self, shown: Iterable[str]) -> list[Breach]:
        """What is wrong with the texts that readers show. What was found once is not found again."""
        texts = [text.strip() for text in shown]
        count = Counter(texts)
        wrong: list[Breach] = []
        with self._lock:
            for one in list(self._written.values()):
                breach = _breach(one.state, count[one.text])
                if breach:
                    wrong.append(breach)
                    del self._written[one.text]
            known = set(self._written)
        wrong += ["half" for text in count if text and text not in known and any(whole.startswith(text) for whole in known)]
        return wrong

    def removed(self, most: int) -> Sequence[Written]:
        """The last texts whose removal was acknowledged."""
        return self.of_state("gone")[-most:]


def _breach(state: State, times: int) -> Breach | None:
    if times > 1:
        return "duplicated"
    if state == "ok" and not times:
        return "lost"
    return "resurrected" if state == "gone" and times else None
