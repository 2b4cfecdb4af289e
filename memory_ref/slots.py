"""What a statement is about: its slot, and the value it puts there. English rules, general and few.

A slot is a short path: `home`, `work`, `name`, `diet`, `database`, `brother.home`, `dog.name`, `deadline:report`. Two statements
contradict each other only in the same slot. Where people have several of a thing the value is part of the slot (`likes:tea`,
`allergy:nuts`), so a second one never retires the first. Only the user's own facts have a bare slot: those of others begin with who.
"""

from __future__ import annotations

import re
from dataclasses import replace

from memgauge.memory_ref.phrasing import LONGEST, phrase, words
from memgauge.memory_ref.slot_makers import Reading
from memgauge.memory_ref.slot_rules import match

__all__ = ["Reading", "read", "read_slot", "words"]


def read(statement: str, user: str = "") -> Reading | None:
    """The reading of one clause, or None when no rule fits. `user`: the user's id, which may stand where "I" would."""
    if len(statement) > LONGEST:
        return None
    said = phrase(statement, user)
    found = match(said.core)
    if (
        found is None
        and (said.corrects or said.denied)
        and (other := re.match(r"(?:it|that|this) is (?P<v>[^,;:.!?]+)(?:,\s+with\b.*)?$", said.core, re.I))
    ):
        found = Reading(slot="", value=other["v"], change=True)
    if found is None:
        return None
    if said.denied:
        found = replace(found, change=True, retires=said.denied)
    if said.also and "." not in found.slot and ":" not in found.slot:
        return replace(found, slot=f"{found.slot}:{words(found.value)}", change=False)
    if found.slot.startswith("owns:") and found.retires and not (found.change or said.changed):
        return None  # "I don't have a Y" is no parting
    return replace(found, change=(found.change or (said.changed and not said.also)) and not said.still)


def read_slot(statement: str, user: str = "") -> str | None:
    """The slot of a statement, for a caller that only keeps it."""
    found = read(statement, user)
    return None if found is None or not found.slot else found.slot
