"""A clause brought to the plain form the slot rules read: contractions written out, openers and adverbs set aside, first person."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memgauge.memory_ref import cues

_EXPANSIONS = tuple(
    (re.compile(pattern, re.I), by)
    for pattern, by in (
        (r"\b(Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr)\. ", r"\1 "), (r"\bcan't\b", "can not"), (r"\bwon't\b", "will not"), (r"n't\b", " not"), (r"\b(i)'m\b", r"\1 am"), (r"\b(we|you|they)'re\b", r"\1 are"),
        (r"\b(i|we|you|they)'ve\b", r"\1 have"), (r"\b(i|we|you|he|she|it|they)'ll\b", r"\1 will"), (r"\b(it|that|he|she|there|what)'s\b", r"\1 is"),
        (r"\b(i|we)'d (?=rather|prefer|like)", r"\1 would "), (r"^(?:my|our) (?:\w+ )?\w+ and i\b", "we"),
        (r"\b(name|birthday|address|number|colou?r|email|deadline)'s (?=\S)", r"\1 is "), (r"\bcannot\b", "can not"),
    )
)  # fmt: skip
_OPENERS = re.compile(
    r"^(?:(?:and|but|so|well|oh|hmm+|um|ok|okay|hi|hello|hey|thanks|yes|yep|no|nope|also|btw|by the way|fyi|for your information|just so you know|actually|anyway|in fact|correction|update|wait|wrong|oops|my mistake|my bad|i misspoke|sadly|unfortunately|luckily|happily|fortunately|"
    r"quick update|i (?:have )?changed my mind|change of plans?|news|good news|bad news|sorry|besides|as you know|to be clear|for context|please|then|plus|big news|since then|(?:next|this) (?:year|month|week|summer|winter|spring|autumn|fall)|(?:in|on) (?:January|February|March|April|May|June|July|August|September|October|November|December|\w+day)|recently|lately|finally|(?:as of|since|starting) (?:today|now|yesterday|last \w+|this \w+))\b[\s,:;.!–—-]*)+",
    re.I,
)
_ADVERBS = re.compile(
    r"\s+(?:now|currently|actually|still|just|already|recently|finally|officially|also|usually|really|presently|nowadays|permanently|mostly|personally|these days|at the moment|at present|right now)(?=\s|$)",
    re.I,
)
_TAIL = re.compile(
    r"[\s,]+(?:now|nowadays|these days|too|as well|again|instead|though|btw|by the way|at the moment|currently|actually|any ?more|any longer|already|you know|fyi|thanks|thank you|please|"
    r"(?:as of|since) (?:today|yesterday|this \w+|last \w+)|(?:last|next) (?:week|month|year|weekend|summer|winter|spring|autumn|fall)|yesterday|today|this (?:week|month|year)|(?:a |two |three |few |couple of )+(?:days?|weeks?|months?|years?) ago|for good)$",
    re.I,
)
_BARE_PAST = re.compile(
    r"^(?:just |only just )?((?:moved|relocated|joined|sold|switched|quit|left|changed|started|migrated|bought|adopted|became|got)\s)", re.I
)
_STILL = re.compile(r"^(?:i|we)\s+still\b|\b(?:is|are|am)\s+still\b|^still\b", re.I)
_ALSO = re.compile(r"\b(?:also|too|as well|another|second)\b", re.I)
_CORRECTS = re.compile(
    r"^(?:(?:oh|ah|hmm+|um+|uh|well)\W+)*(?:(?:no|actually|sorry|correction|wait|oops|wrong|make that|i mean|i meant|i misspoke|well,? actually)\b|my (?:mistake|bad)\W)",
    re.I,
)
_NOW = re.compile(
    r"\b(?:now|no longer|any ?more|any longer|instead|as of (?:today|now|this|last|yesterday)|since (?:yesterday|last|this)|from today|nowadays|these days|not any more)\b|^(?:update|correction|big news|news|change of plans?|i (?:have )?changed my mind)\b",
    re.I,
)
_ONE_WORD = {
    "color": "colour", "neighbor": "neighbour", "mom": "mother", "mum": "mother", "dad": "father", "e-mail": "email", "email address": "email", "phone": "phone number",
    "mobile": "phone number", "number": "phone number", "mobile number": "phone number", "telephone number": "phone number", "cell phone": "phone number", "hours": "hour",
}  # fmt: skip
_SAME = re.compile("^(?:" + "|".join(map(re.escape, sorted(_ONE_WORD, key=len, reverse=True))) + ")$")
LONGEST = 300
"""Characters of a clause beyond which no rule is tried: a statement about oneself is short, and patterns on long text cost time."""


def words(phrase: str) -> str:
    """A phrase as part of a slot or as a comparable value: lower case, without article, punctuation and plural s."""
    plain = re.sub(r"[^\w\s.+#&/-]", "", cues.fold(phrase)).strip(" .")
    plain = re.sub(r"^(?:(?:a|an|the|my|our|some|any|new|old|called|named|on|at|in)\s+)+", "", plain, flags=re.I)
    folded = " ".join(re.sub(r"(?<=[a-z]{3})(?<!s)s$", "", word).lower() for word in plain.split())
    return _SAME.sub(lambda m: _ONE_WORD[m.group()], folded)


def base(slot: str) -> str:
    """The slot without its key: `car:skoda` and `car:volvo` are both `car`, `dog:rex.name` is `dog.name`."""
    return re.sub(r":[^.]*", "", slot)


def head(phrase: str) -> str:
    """The noun a phrase is about: the last word before "of", "for", "from", "with", "that"."""
    kept = re.split(r"\s+(?:of|for|from|with|that|which|who|in|at|on|called|named|to)\s+", words(phrase))[0]
    return kept.split()[-1] if kept else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """`core` is what the rules match. `changed`: a word says that it is new; `corrects`: it puts something right; `still`, `also`: it
    says that it goes on, or comes on top. `denied`: the Y of "X, not Y"."""

    core: str
    changed: bool
    corrects: bool
    still: bool
    also: bool
    denied: str


def phrase(statement: str, user: str = "") -> Phrase:
    """The plain form of a clause. `user`: the user's id, which may stand where "I" would."""
    plain = _as_first_person(_expand(statement), user)
    opened = _BARE_PAST.sub(r"I \1", _OPENERS.sub("", plain).strip())
    corrects = _CORRECTS.match(plain) is not None
    core, denied = _denial(_trimmed(_ADVERBS.sub("", " " + opened).strip()))
    return Phrase(
        core=_trimmed(core),
        changed=corrects or _NOW.search(plain) is not None,
        corrects=corrects,
        still=_STILL.search(opened) is not None,
        also=_ALSO.search(plain) is not None,
        denied=denied,
    )


def opened(statement: str) -> str:
    """The statement without the words that only open it ("sorry, …"), in the user's spelling, and with a capital where it had one."""
    kept = statement[found.end() :] if (found := _OPENERS.match(cues.fold(statement))) else statement
    return kept[:1].upper() + kept[1:] if statement[:1].isupper() else kept


def same_value(a: str, b: str) -> bool:
    """Whether two values mean the same filling of a slot: equal words, or one is the other with more detail."""
    left, right = words(a), words(b)
    if not left or not right:
        return False
    return left == right or set(left.split()) < set(right.split()) or set(right.split()) < set(left.split())


def _denial(core: str) -> tuple[str, str]:
    """ "X, not Y" without its tail, and the Y that is denied."""
    found = re.match(r"(?P<core>.+?),\s+(?:and )?(?:not|no longer)\s+(?:at |in |for |on |called |named )?(?P<old>[^,;:.!?]{1,40})$", core, re.I)
    return (found["core"], found["old"]) if found else (core, "")


def _expand(text: str) -> str:
    text = " ".join(cues.fold(text).split()).rstrip(" .!,;")
    for pattern, by in _EXPANSIONS:
        text = pattern.sub(by, text)
    return text


def _as_first_person(text: str, user: str) -> str:
    """ "The user lives in X", "ana's dog is Y" read as the user's own word, whoever wrote them down."""
    names = "the user|user" + (f"|{re.escape(user)}" if user else "")
    text = re.sub(rf"^(?:{names})'s\s+", "my ", text, flags=re.I)
    return re.sub(rf"^(?:{names})\s+(?=\w)", "I ", text, flags=re.I)


def _trimmed(text: str) -> str:
    while (shorter := _TAIL.sub("", text)) != text:
        text = shorter
    return text
