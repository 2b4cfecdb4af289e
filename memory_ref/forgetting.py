"""What the user asks to forget in the conversation itself: "forget my shoe size", "delete everything you know about my diet".

Only plain orders with an object of the user's own count, in a sentence of their own; "forget it", "don't forget" and "never mind" do not.
What is meant is found as for the verb `forget`: when the words fit several records and do not say "everything", the user is asked.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from memgauge.memory_ref import cues, deletion, utterance
from memgauge.memory_ref.errors import NotFound, Refused
from memgauge.memory_ref.records import Message
from memgauge.memory_ref.store import Store

MOST = 20
"""Records that one "everything about …" removes; more than that is asked for by the verb `forget`."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was removed, by table, and what the user is told."""

    removed: Counter[str] = field(default_factory=Counter)
    notices: tuple[str, ...] = ()


def wish(clause: str) -> tuple[str, bool] | None:
    """What a clause asks to forget, and whether it says "everything"; None when it asks for no such thing."""
    plain = cues.fold(clause).strip()
    if not _VERB.search(plain):
        return None
    for pattern in _WISHES:
        found = cues.compiled(pattern).match(plain)
        if found is not None and not _PASSING.search(found["what"]):
            return found["what"].strip(" .,!?。！？"), _EVERYTHING.search(plain[: found.start("what")]) is not None
    return None


def carry_out(store: Store, message: Message) -> Forgotten:
    """Forget what a message asks to forget."""
    removed: Counter[str] = Counter()
    notices: list[str] = []
    for clause in utterance.clauses(message.text):
        wanted = wish(clause.text) if clause.mood in ("asserted", "request", "question") else None
        if wanted is None:
            continue
        store.database.run("UPDATE messages SET recallable = 0 WHERE id = ?", (message.id,))
        gone, told = _forget(store, *wanted)
        removed += gone
        notices += told
    return Forgotten(removed, tuple(notices))


def _forget(store: Store, what: str, everything: bool) -> tuple[Counter[str], list[str]]:
    removed: Counter[str] = Counter()
    number = 0
    while number < (MOST if everything else 1):
        try:
            reply = deletion.forget(store, query=what)
        except NotFound:
            break
        except Refused as several:
            if not everything:
                return removed, [f"Not forgotten yet: {several}."]
            reply = deletion.forget(store, several.candidates[0])
        removed += Counter(reply.data["removed"])
        number += 1
    return removed, [f"Forgotten, as you asked: {what}."] if number else []


_ASK = (
    r"(?:(?:ok|okay|please|kindly|and|so|now|actually|hey|also|just|can you|could you|would you|will you|i(?:'d| would) like you to|i want you to"
    r"|you can|you may)[,\s]+)*"
)
_TOLD = r"(?:i|we)(?:'ve| have)? (?:ever |just |once )?(?:told|said|mentioned|shared|wrote|written|given)(?: to)?(?: you)?"
_KNOWN = r"you (?:know|have|remember|stored|saved|kept|noted|learned|learnt)(?: down| stored| saved)?"
_ALL = r"(?:everything|anything|all(?: of)?|whatever|what)(?: that)?"
_MINE = r"(?:my|our) (?!question|message|request|point|comment|remark|idea|suggestion)|(?:i|we) (?!said|asked|told|mentioned)"
_WISHES = (
    rf"{_ASK}(?:forget|delete|erase|remove|clear|wipe) {_ALL} (?:(?:{_TOLD}|{_KNOWN}) )?(?:about|on|regarding|of|concerning) "
    r"(?P<what>(?!it\b|that\b|this\b).+)$",
    rf"{_ASK}forget (?:that )?(?P<what>(?:{_MINE}).+)$",
    rf"{_ASK}(?:delete|erase|remove|forget|drop|wipe) (?P<what>.+?) from (?:your |the |our )?(?:memory|memories|records?)\W*$",
    rf"{_ASK}(?:don't|do not|stop|no longer) (?:remember|remembering|store|storing|save|saving) "
    r"(?P<what>(?:my|our|which|where|who|what|how|when|that (?:i|we|my|our)) .+)$",
    r"(?:bitte )?(?:vergiss|vergessen sie|lösche)(?: bitte)?,? (?!nicht)(?P<what>(?:dass |was |alles |mein|unser).+)$",
    r"(?:s'il te plaît,? )?(?:oublie|oubliez|efface) (?!pas)(?P<what>(?:que |qu'|ce que |mon |ma |mes |notre |nos |tout ).+)$",
    r"(?:por favor,? )?(?:olvida|olvide|borra) (?P<what>(?:que |lo que |mi |mis |nuestr[oa] |todo ).+)$",
    r"(?:пожалуйста,? )?(?:забудь|забудьте|удали)(?: пожалуйста)?,? (?P<what>(?:что |о |про |мо|мой |наш|всё ).+)$",
    r"(?:请|請)?(?:忘记|忘掉|忘了|删除|忘記)(?P<what>.{2,})$",
    r"(?P<what>.{2,}?)(?:のこと)?(?:を|は)(?:忘れて|削除して)(?:ください|下さい|ね)?[。.]?$",
)
_VERB = re.compile(r"forget|delete|erase|remove|clear|wipe|drop|remember|stor|sav|verg|lösch|oubli|efface|olvid|borr|забудь|удали|忘|删|削", re.I)
"""A text without one of these asks to forget nothing, so that most texts compile and try no pattern."""


_EVERYTHING = re.compile(r"\bwhat (?:i|we|you)\b|\b(?:everything|anything|all|whatever|alles|tout|todo|всё)\b|所有|全部", re.I)
_PASSING = re.compile(r"\b(?:for (?:a|the|now|this)|right now|here|in (?:this|the) (?:answer|text|email|list|draft)|about it)\b", re.I)
"""Words of a request about the task at hand, not about memory."""
