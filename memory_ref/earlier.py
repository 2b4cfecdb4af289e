"""What a clause leaves open ("actually it's X", "from A to B", "I'm with X"), filled in from what was said before it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memgauge.memory_ref import phrasing, slots, vocabulary
from memgauge.memory_ref.candidates import Candidate, Turn
from memgauge.memory_ref.records import Fact, Message
from memgauge.memory_ref.slot_makers import Reading


class Earlier:
    """What stands before a clause: the candidates found in its message so far (a list that grows), and the user's facts."""

    def __init__(self, message: Message, turn: Turn, existing: Sequence[Fact], found: Sequence[Candidate]) -> None:
        self.message, self.turn, self.existing, self.found = message, turn, existing, found
        self.user = turn.user

    def resolved(self, reading: Reading | None) -> Reading | None:
        """Fill in what the clause leaves open from what was said before, in this message or in a stored fact."""
        if reading is None:
            return None
        if reading.slot == "employer?":
            return self._employer(reading)
        old = reading.retires not in ("", "*")
        if not reading.slot or (old and reading.slot.startswith("uses:")):
            return self._replaced(reading) if old else self.corrected(reading)
        if old and reading.slot.endswith(".place"):  # "we moved X from A to B", where X is no place
            found = [fact for fact in self._with_value(reading.retires) if fact.slot == reading.slot.removesuffix(".place")]
            reading = replace(reading, slot=found[0].slot or "") if found else reading
        return self._inherits(reading)

    def _employer(self, reading: Reading) -> Reading | None:
        """ "I'm with X" is about work when a change of work was just told, or when X is the known employer."""
        told = any(c.slot == "work" and c.change for c in self.found)
        known = bool(reading.retires and self._with_value(reading.retires, slot="work"))
        return replace(reading, slot="work", known=True, change=True) if told or known else None

    def corrected(self, reading: Reading) -> Reading:
        """ "Actually it's X": the statement just before is what it corrects, in this message or in the user's last one."""
        before = next((c for c in reversed(self.found) if c.slot and c.value), None)
        if before is not None:
            return (
                replace(reading, slot=before.slot or "", retires=before.value)
                if _alike(reading.value, before.value)
                else replace(reading, known=False)
            )
        said = [(fact, old) for fact in self._just_said() if (old := slots.read(fact.text, self.user)) is not None and old.value]
        if len(said) != 1 or not _alike(reading.value, said[0][1].value):
            return replace(reading, known=False)
        fact, old = said[0]
        return replace(reading, slot=_rekeyed(fact.slot or "", old.value, reading.value), retires=old.value, own=old.own, kind=old.kind)

    def _just_said(self) -> list[Fact]:
        """The live facts read from the user's last message before this one."""
        earlier = [m.id for m in self.turn.messages if m.role == "user" and m.seq < self.message.seq]
        return [fact for fact in self.existing if fact.slot and earlier and fact.message_id == earlier[-1]]

    def _replaced(self, reading: Reading) -> Reading:
        """ "From A to B", "not A but B": the slot is that of the one statement whose value is A."""
        before = next((c for c in reversed(self.found) if c.slot and phrasing.same_value(c.value, reading.retires)), None)
        if before is not None:
            return replace(reading, slot=before.slot or "")
        targets = self._with_value(reading.retires)
        if len({fact.slot for fact in targets}) == 1:
            return replace(reading, slot=_rekeyed(targets[0].slot or "", reading.retires, reading.value), known=True)
        if not targets and reading.slot:
            return reading
        if targets or reading.kind != "procedural":
            return replace(reading, slot="", known=False)
        return replace(reading, slot=f"uses:{phrasing.words(reading.value)}")

    def _inherits(self, reading: Reading) -> Reading:
        """ "I got a new job. I work at X.", "We moved. New address: X": the second clause is part of the change the first one told."""
        if reading.slot == "address" and self._moved():
            return replace(reading, slot="home", change=True, known=True)
        if any(c.slot == reading.slot and c.change and not c.value for c in self.found):
            return replace(reading, change=True)
        return reading

    def _moved(self) -> bool:
        """Whether a move was told, in this message or the one before, and not yet where to."""
        if any(c.slot == "home" and c.change and not c.value for c in self.found):
            return True
        told = [slots.read(fact.text, self.user) for fact in self._just_said() if fact.slot == "home"]
        return any(one is not None and not one.value for one in told)

    def _with_value(self, value: str, slot: str | None = None) -> list[Fact]:
        """Facts of the user's own whose value this is; where none has it exactly, those of which it is a part ("the Panda")."""
        wanted = phrasing.words(value)
        exact, part = [], []
        for fact in self.existing:
            if fact.slot is None or wanted not in phrasing.words(fact.text):
                continue
            reading = slots.read(fact.text, self.user)
            if reading is None or not reading.own or slot not in (None, reading.slot):
                continue
            if phrasing.words(reading.value) == wanted:
                exact.append(fact)
            elif phrasing.same_value(reading.value, value):
                part.append(fact)
        return exact or part


def _alike(new: str, old: str) -> bool:
    """Whether one value may stand in the place of another: no passing state, and a name or number for a name or number."""
    exact = [value[:1].isupper() or any(char.isdigit() for char in value) or not value.isascii() for value in (new, old)]
    return not vocabulary.STATE.match(new) and (exact[0] or not exact[1])


def _rekeyed(slot: str, old: str, new: str) -> str:
    """The slot with the new value as its key, where the old one is its key (`car:skoda`, not `date:flight`)."""
    key = slot.partition(":")[2].partition(".")[0]
    return slot.replace(f":{key}", f":{phrasing.words(new)}") if new and key and phrasing.same_value(key, old) else slot
