"""What a matched clause means: one small function for each kind of statement, from a match to a Reading.

A match has the group `v` for the value; `n` a noun, `old` the value that went, `p` a purpose, `o` the other of two, where they apply.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from memgauge.memory_ref import vocabulary
from memgauge.memory_ref.phrasing import head, words


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """`value` fills the slot, in the words of the text. `change`: the words themselves say that something is different now.
    `retires`: the value that no longer holds ("*" for any); then `value` is empty unless a new one is told. `own`: about the user or what is the user's. `known`: a plain
    statement of it is worth a note (else only an explicit wish keeps it). `kind`: as a fact's. `planned`: lies in the future."""

    slot: str
    value: str
    kind: str = "profile"
    change: bool = False
    retires: str = ""
    own: bool = True
    known: bool = True
    planned: bool = False
    project: bool = False


Make = Callable[[re.Match[str]], Reading | None]


def slot(slot: str, kind: str = "profile", *, change: bool = False, planned: bool = False) -> Make:
    def make(found: re.Match[str]) -> Reading | None:
        return Reading(
            slot=slot, value=found["v"].strip(), kind=kind, change=change, planned=planned, retires=(found.groupdict().get("old") or "").strip()
        )

    return make


def keyed(slot: str, kind: str = "profile", *, change: bool = False, retires: bool = False) -> Make:
    def make(found: re.Match[str]) -> Reading | None:
        value = found["v"].strip()
        return Reading(slot=f"{slot}:{words(value)}", value=value, kind=kind, change=change, retires=value if retires else "")

    return make


def home(*, change: bool = False, planned: bool = False) -> Make:
    def make(found: re.Match[str]) -> Reading | None:
        value = found["v"].strip()
        if vocabulary.NO_PLACE.match(value):
            return None
        if change and not planned and value.islower() and found.string[:1].isupper():
            return None  # "I moved to the sofa"; a place is a name, unless nothing in the message is capitalised
        return Reading(slot="plan.home" if planned else "home", value=value, change=change, retires=(found.groupdict().get("old") or "").strip(), planned=planned,
                       kind="episodic" if planned else "profile")  # fmt: skip

    return make


def address(found: re.Match[str]) -> Reading | None:
    mine = not found.string.lower().startswith("the ")
    new = found["new"] is not None
    value = found["v"].strip()
    return None if not (value[:1].isupper() or value[:1].isdigit()) else Reading(slot="address", value=value, change=new, own=mine or new, known=mine)


def work(*, change: bool = False, leaves: bool = False) -> Make:
    def make(found: re.Match[str]) -> Reading | None:
        value = (found.groupdict().get("v") or "").strip()
        if value and vocabulary.NO_EMPLOYER.match(value):
            return None
        return Reading(
            slot="work", value=value, change=change or leaves, retires=(value or "*") if leaves else (found.groupdict().get("old") or "").strip()
        )

    return make


def trade(found: re.Match[str]) -> Reading | None:
    noun = (
        re.split(r"\s+(?:at|for|in|with|of|by|from|and|on|who|based|living|working|specialising|specializing)\s+", found["v"].strip())[0]
        .split()[-1]
        .lower()
    )
    if vocabulary.NOT_A_TRADE.match(noun) or not vocabulary.TRADE.match(noun):
        return None
    employer = re.search(r"\s(?:at|for|with)\s+(?P<e>[A-Z0-9][^,;:.!?]*)", found["v"])
    if employer and not vocabulary.NO_EMPLOYER.match(employer["e"]):
        return Reading(slot="work", value=employer["e"].strip())
    return Reading(slot="role", value=re.split(r"\s+(?:based|living|who|and)\s+", found["v"].strip())[0])


def named(found: re.Match[str]) -> Reading | None:
    mine = not found.string.lower().startswith("the ")
    return (
        None
        if vocabulary.VAGUE.match(found["n"])
        else Reading(slot=owned(found["n"], found["v"], ".name"), value=found["v"].strip(), own=mine, known=mine)
    )


def owned(noun: str, value: str, part: str = "") -> str:
    """The slot of a thing somebody has, or of a part of it: its noun, with the value as key where it has a name."""
    key = words(noun)
    return f"{key}:{words(value)}{part}" if not part and key.split()[-1:] and vocabulary.SEVERAL.fullmatch(key.split()[-1]) else f"{key}{part}"


def prefers(found: re.Match[str]) -> Reading:
    value, other = found["v"].strip(), (found.groupdict().get("o") or "").strip()
    topic = found.groupdict().get("t")
    if topic:
        return Reading(slot=f"preference:{words(topic)}", value=value, retires=other, kind="procedural")
    if other:
        return Reading(slot="preference:" + "|".join(sorted((words(value), words(other)))), value=value, retires=other, kind="procedural")
    noun = words(" ".join(value.split()[:2])) if re.match(r"\w+ing\b", value) else head(value)
    return Reading(slot=f"preference:{noun}" if len(words(value).split()) > 1 else f"likes:{words(value)}", value=value, kind="procedural")


def tastes(found: re.Match[str]) -> Reading | None:
    value = found["v"].strip()
    if len(value.split()) > 4 or vocabulary.NO_TASTE.match(value):
        return None
    sign = "not " if re.match(r"(?:i|we)\s+(?:hate|dislike|detest|loathe|can not stand)", found.group(), re.I) else ""
    return Reading(slot=f"likes:{words(value)}", value=sign + value)


def uses(found: re.Match[str]) -> Reading | None:
    value, purpose = found["v"].strip(), (found.groupdict().get("p") or "").strip()
    if re.match(r"(?:it|this|that|these|them|to|you|your|the same)\b", value, re.I) or vocabulary.SPELL.search(purpose):
        return None
    return Reading(
        slot=words(purpose) if purpose else f"uses:{words(value)}",
        value=value,
        kind="procedural",
        retires=(found.groupdict().get("old") or "").strip(),
    )


def switched(found: re.Match[str]) -> Reading | None:
    parts = found.groupdict()
    value = found["v"].strip()
    if parts.get("n") and re.fullmatch(r"(?:jobs?|employers?|compan(?:y|ies)|work)", words(parts["n"]) or "", re.I):
        return Reading(slot="work", value=value, change=True, retires="*")
    noun = words(parts["n"]) if parts.get("n") else ""
    if noun in ("it", "that", "this", "them"):
        return Reading(slot="", value=value, change=True)
    if noun and (vocabulary.DAYS.search(value) or vocabulary.CLOCK.match(value)):
        return Reading(slot=f"date:{noun}", value=value, kind="working", change=True, retires="*")
    if noun and re.search(r"\b(?:moved|relocated)\b", found.group(), re.I):
        noun += ".place"
    elif noun and re.search(r"\brenamed\b", found.group(), re.I):
        noun += ".name"
    return Reading(slot=noun, value=value, change=True, retires=(parts.get("old") or "").strip() or ("*" if noun else ""), kind="procedural")


def chose(found: re.Match[str]) -> Reading:
    return Reading(slot=f"choice:{words(found.groupdict().get('p') or '')}".rstrip(":"), value=found["v"].strip(), kind="procedural", project=True)


def parted(found: re.Match[str]) -> Reading | None:
    thing = found["v"].strip()
    if "'s " in thing:  # somebody else's
        return None
    if pet := re.match(rf"(?:\w+\s+)?(?P<kind>{vocabulary.ANIMALS})\s+(?P<name>(?-i:[A-Z])[\w-]+)$", thing, re.I):
        return Reading(slot=f"owns:{words(pet['kind'])}", value="", change=True, retires=pet["name"])
    return Reading(slot=f"owns:{head(thing)}", value="", change=True, retires=thing)


def has(found: re.Match[str]) -> Reading:
    thing = found["v"].strip()
    if name := re.split(r"\s+and\s+", found.groupdict().get("name") or "")[0]:
        return Reading(slot=f"{head(thing)}:{words(name)}.name", value=name.strip())
    return Reading(slot=f"owns:{head(thing)}", value=thing)


def does(found: re.Match[str]) -> Reading | None:
    """ "We deploy on Fridays": a habit and when it has its turn. Each of several stands for itself until one is said to have changed."""
    value = found["v"].strip()
    recurs = re.search(r"days\b|\bnoon|midnight", value, re.I) or vocabulary.CLOCK.match(value) or re.search(r"\bevery\b", found.group(), re.I)
    if not recurs or vocabulary.NO_HABIT.match(found["n"]):
        return None
    return Reading(slot=f"does.{words(found['n'])}:{re.sub('[.:]', ' ', words(value))}", value=value, change=bool(found["old"]))


def dated(found: re.Match[str]) -> Reading | None:
    noun = words(found["n"])
    noun = re.sub(r"(?<=\w)\s+(?:deadline|due date|cut-?off|due)$", "", noun)  # "the X deadline" is "the deadline for X"
    if "old" in found.groupdict() and not (vocabulary.DAYS.search(found["v"]) or vocabulary.CLOCK.match(found["v"])):
        person = re.search(rf"\b(?:{vocabulary.RELATIONS})s?$", noun, re.I) is not None
        return Reading(slot=f"{noun}.{'home' if person else 'place'}", value=found["v"].strip(), change=True, retires="*", known=False)
    return Reading(
        slot=f"date:{noun}",
        value=found["v"].strip(),
        kind="working",
        change="old" in found.groupdict(),
        retires="*" if "old" in found.groupdict() else "",
    )


def placed(found: re.Match[str]) -> Reading | None:
    noun, mine = found["n"].strip(), found["det"].lower() != "the"
    if vocabulary.VAGUE.match(noun) or re.match(
        r"(?:a hurry|trouble|progress|order|question|danger|general|fact|case|place|pain|love|touch|charge|it|this|that|the way|my way)\b",
        found["v"],
        re.I,
    ):
        return None
    if mine and words(noun) in ("home", "house", "flat", "apartment", "place"):
        return Reading(slot="home", value=found["v"].strip())
    person = re.search(rf"\b(?:{vocabulary.RELATIONS})s?$", noun, re.I) is not None
    slot = f"{words(noun)}.{'home' if person else 'place'}"
    return Reading(slot=slot, value=found["v"].strip(), own=mine, known=mine)
