"""What a statement is about: its slot, and the value it puts there. English rules, general and few.

A slot is a short path: `home`, `work`, `name`, `diet`, `database`, `brother.home`, `dog.name`, `deadline:report`. Two statements
contradict each other only in the same slot. Where people have several of a thing the value is part of the slot (`likes:tea`,
`allergy:nuts`), so a second one never retires the first. Only the user's own facts have a bare slot: those of others begin with who.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from memgauge.memory_ref import cues


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """`value` fills the slot, in the words of the text. `change`: the words themselves say that something is different now.
    `retires`: the value that no longer holds ("*" for any). `own`: about the user or what is the user's. `known`: a plain
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
    r"^(?:(?:and|but|so|well|oh|ok|okay|hi|hello|hey|thanks|yes|yep|no|nope|also|btw|by the way|fyi|for your information|just so you know|actually|anyway|in fact|correction|update|"
    r"quick update|news|good news|bad news|sorry|besides|as you know|to be clear|for context|please|then|plus|big news|since then|(?:next|this) (?:year|month|week|summer|winter|spring|autumn|fall)|(?:in|on) (?:January|February|March|April|May|June|July|August|September|October|November|December|\w+day)|recently|lately|finally|(?:as of|since|starting) (?:today|now|yesterday|last \w+|this \w+))\b[\s,:;.!–—-]*)+",
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
_BARE_PAST = re.compile(r"^(?:just |only just )?((?:moved|relocated|joined|sold|switched|quit|left|changed|started|migrated|bought|adopted|became|got)\s)", re.I)
_CORRECTS = re.compile(r"^(?:no|actually|sorry|correction|wait|oops|i mean|well,? actually)\b", re.I)
_NOW = re.compile(
    r"\b(?:now|no longer|any ?more|any longer|instead|as of (?:today|now|this|last|yesterday)|since (?:yesterday|last|this)|from today|nowadays|these days|not any more)\b|^(?:update|correction|big news|news)\b",
    re.I,
)
_WHAT = r"(?P<v>[^,;:.!?]+?(?:\.\w[^,;:!?]*?)?)"
_PLACE = r"(?P<v>(?:the |a |an )?[^,;:.!?]+?(?:, (?-i:[A-Z])[\w .-]+)?)"
_END = r"(?:\s+(?:with|together|last|next|this|yesterday|today|recently|about|around|because|since|as|so|and|for|after|where|which|who|when|until|from)\b.*|[,;:.!?].*)?$"
_REL = (
    "wife|husband|partner|spouse|fianc[eé]e?|girlfriend|boyfriend|brother|sister|mother|father|mum|mom|dad|son|daughter|child|kid|baby|uncle|aunt|cousin|nephew|niece|grandmother|"
    "grandfather|grandma|grandpa|friend|best friend|boss|manager|colleague|coworker|co-worker|neighbou?r|flatmate|roommate|landlord|doctor|dentist|teacher|coach|team lead|assistant|client"
)
_SEVERAL = frozenset("brother sister son daughter child kid uncle aunt cousin nephew niece friend colleague coworker co-worker neighbor neighbour dog cat pet car bike hobby client language".split())  # fmt: skip
SINGULAR = frozenset(("car", "dog.name", "cat.name", "pet.name", "bike"))
"""Keyed slots of which most people have one: a change said as such replaces the one that is known."""
_ANIMAL = "dog|cat|puppy|kitten|parrot|rabbit|hamster|horse|tortoise|turtle|snake|goldfish|fish|bird|hen|pony|ferret|lizard|gecko|guinea pig|pet"
_THING = f"{_ANIMAL}|car|van|truck|motorbike|motorcycle|bike|bicycle|boat|scooter|house|flat|apartment|cabin|garden|allotment|piano|guitar|violin|camper|caravan|tractor|e-bike"
_TRADE = re.compile(
    r"\w+(?:er|or|ist|ian|eer|ant|wright|smith|man|woman|person)$|^(?:nurse|chef|cook|pilot|student|judge|coach|clerk|vet|analyst|architect|model|lead|cto|ceo|cfo|intern|apprentice|monk|priest|midwife|surveyor|dj|dba|sre|pm)$"
)
_NOT_A_TRADE = re.compile(r"^(?:beginner|vegetarian|vegan|pescatarian|lover|fan|user|member|person|owner|sucker|believer|stranger|speaker|lot|bit|winner|loser|foreigner|newcomer|former|better|human|number|matter|supporter|customer|reader|sleeper|riser|eater|runner-up|father|mother|sister|brother|grandfather|grandmother)$", re.I)  # fmt: skip
_VAGUE = re.compile(
    r"^(?:question|questions|point|guess|idea|problem|issue|concern|head|mind|thing|understanding|impression|opinion|thought|feeling|fear|worry|hope|fault|turn|bad|code|program|function|query|test|tests|build|"
    r"script|message|answer|plan|goal|dream|wish|aim|life|day|week|time|mood|luck|back|stomach|throat|one|ones|only|whole|main|first|last|next|best bet|favourite part|example|situation|case|"
    r"argument|conclusion|reason|request|task|job here|advice|suggestion|apologies|pleasure|brain|body|heart|eyes|tool|error|bug|result|results|page|file|screen|essay|text|draft|report|presentation|email here|"
    r"character|avatar|protagonist|hero|weather|world|world's|other|rest|sun|truth|fact|difference|way|trick)$", re.I
)  # fmt: skip
_STATE = re.compile(
    r"^(?:not|so|very|too|quite|really|all|always|about|a bit|kind of|sort of|like|that|how|why|whether|to|being|going|getting|doing|broken|late|slow|fast|ready|done|finished|full|empty|wrong|right|fine|ok|okay|"
    r"good|bad|great|awful|terrible|nice|beautiful|sick|ill|tired|busy|here|there|back|gone|lost|missing|due|over|under|near|more|less|better|worse|important|killing|running|working|failing|crashing|hurting|"
    r"\w+ing|\w+ed|just|only|simply|probably|maybe|supposed|coming|it|this|these|those|as|because|if|when|what|where)\b", re.I
)  # fmt: skip
_NO_PLACE = re.compile(
    r"^(?:the (?:next|second|third|last|first|other|back|front|end|top|bottom|left|right|point)\b.*|(?:a|an) (?:new|different|better|bigger|smaller|larger) (?!city|town|country|house|flat|apartment|place|neighbourhood|neighborhood).*|it|this|that|here|there|fear|peace|"
    r"debt|a hurry|trouble|my (?:room|car|office|mind).*|bed|work|school|tears|part.time|full.time|remote\w*|.*\b(?:question|topic|section|chapter|phase|stage|step|project|team|role|position|plan|diet|version|branch)s?)$", re.I
)  # fmt: skip
_NO_EMPLOYER = re.compile(r"^(?:home|night|nights|weekends?|once|least|all|fun|free|it|this|that|them|myself|the (?:moment|same time|same company|weekend|office)|my (?:desk|thesis|book|project|own).*|a living|money|\d.*|me|you|us|now)$", re.I)  # fmt: skip


def words(phrase: str) -> str:
    """A phrase as part of a slot or as a comparable value: lower case, without article, punctuation and plural s."""
    plain = re.sub(r"[^\w\s.+#&/-]", "", cues.fold(phrase)).strip(" .")
    plain = re.sub(r"^(?:(?:a|an|the|my|our|some|any|new|old|called|named|on|at|in)\s+)+", "", plain, flags=re.I)
    return " ".join(re.sub(r"(?<=[a-z]{3})(?<!s)s$", "", word).lower() for word in plain.split())


def base(slot: str) -> str:
    """The slot without its key: `car:skoda` and `car:volvo` are both `car`, `dog:rex.name` is `dog.name`."""
    return re.sub(r":[^.]*", "", slot)


def head(phrase: str) -> str:
    """The noun a phrase is about: the last word before "of", "for", "from", "with", "that"."""
    kept = re.split(r"\s+(?:of|for|from|with|that|which|who|in|at|on|called|named|to)\s+", words(phrase))[0]
    return kept.split()[-1] if kept else ""


def read(statement: str, user: str = "") -> Reading | None:
    """The reading of one clause, or None when no rule fits. `user`: the user's id, which may stand where "I" would."""
    plain = _as_first_person(_expand(statement), user)
    opened = _BARE_PAST.sub(r"I \1", _OPENERS.sub("", plain).strip())
    corrects = _CORRECTS.match(plain) is not None
    changed = corrects or _NOW.search(plain) is not None
    still = re.search(r"^(?:i|we)\s+still\b|\b(?:is|are|am)\s+still\b|^still\b", opened, re.I) is not None
    also = re.search(r"\b(?:also|too|as well|another|second)\b", plain, re.I) is not None
    core, denied = _denial(_trimmed(_ADVERBS.sub("", " " + opened).strip()))
    found = _match(_trimmed(core))
    if found is None and (corrects or denied) and (other := re.match(r"(?:it|that|this) is (?P<v>[^,;:.!?]+)$", core, re.I)):
        found = Reading(slot="", value=other["v"], change=True)
    if found is None:
        return None
    if denied:
        found = replace(found, change=True, retires=denied)
    if also and "." not in found.slot and ":" not in found.slot:
        return replace(found, slot=f"{found.slot}:{words(found.value)}", change=False)
    return replace(found, change=(found.change or changed) and not still)


def read_slot(statement: str, user: str = "") -> str | None:
    """The slot of a statement, for a caller that only keeps it."""
    found = read(statement, user)
    return None if found is None or not found.slot else found.slot


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


def _match(core: str, depth: int = 0) -> Reading | None:
    negated = _negation(core)
    if negated is not None:
        return negated
    for pattern, make in _RULES:
        found = pattern.match(core)
        if found is not None and (reading := make(found)) is not None:
            return reading
    return _of_others(core) if depth == 0 else None


_NEGATIONS = (
    re.compile(r"^(?P<who>i|we)\s+(?:do|am|are|have|can|will)?\s*(?:no longer|not)\s+(?P<rest>.+)$", re.I),
    re.compile(r"^(?P<who>i|we)\s+(?:have\s+)?(?:stopped|quit|gave up|given up)\s+(?P<rest>\w+ing\b.*)$", re.I),
    re.compile(r"^(?P<who>my|our|the)\s+(?P<rest>[\w' -]+?)\s+(?P<be>is|are)\s+(?:no longer|not)\s+(?P<v>.+)$", re.I),
)


def _negation(core: str) -> Reading | None:
    """ "I no longer live in X", "I am not vegetarian", "I stopped working at X": the positive reading, with its value retired."""
    for pattern in _NEGATIONS:
        found = pattern.match(core)
        if found is None:
            continue
        if found.groupdict().get("v"):
            positive = _match(f"{found['who']} {found['rest']} {found['be']} {found['v']}", depth=1)
        else:
            rest = re.sub(r"^(\w+)ing\b", lambda m: _stem(m[1]), found["rest"])
            positive = _match(f"I {rest}", depth=1) or _match(f"I am {found['rest']}", depth=1) or _match(f"I have {found['rest']}", depth=1)
            if re.match(r"(?:eat|drink|like|enjoy|want|need|use)\b", rest) and "no longer" not in core:
                return _refusal(rest)
        parted = re.match(r"(?:have|own)\s+(?:the|my|our|that|an?|any)\s+(?P<v>[^,;:.!?]+)$", found["rest"], re.I)
        if parted is not None and positive is None:
            return replace(_parted(parted), change=False)
        if positive is not None and positive.slot:
            return replace(positive, change=True, retires=positive.value or "*")
    return None


def _refusal(rest: str) -> Reading | None:
    verb, _, thing = rest.partition(" ")
    if not thing or verb in ("want", "need", "use"):
        return None
    slot = "diet" if verb in ("eat", "drink") else "likes"
    return Reading(slot=f"{slot}:{words(thing)}", value=f"not {thing}")


def _stem(word: str) -> str:
    return {"liv": "live", "us": "use", "driv": "drive", "tak": "take", "bik": "bike"}.get(
        word, word[:-1] if len(word) > 3 and word[-1] == word[-2] else word
    )


# --- rules: a pattern over the clause, and what it means --------------------------------------------------------------

_Make = Callable[[re.Match[str]], Reading | None]


def _slot(slot: str, kind: str = "profile", *, change: bool = False, planned: bool = False) -> _Make:
    def make(found: re.Match[str]) -> Reading | None:
        return Reading(
            slot=slot, value=found["v"].strip(), kind=kind, change=change, planned=planned, retires=(found.groupdict().get("old") or "").strip()
        )

    return make


def _keyed(slot: str, kind: str = "profile", *, change: bool = False, retires: bool = False) -> _Make:
    def make(found: re.Match[str]) -> Reading | None:
        value = found["v"].strip()
        return Reading(slot=f"{slot}:{words(value)}", value=value, kind=kind, change=change, retires=value if retires else "")

    return make


def _home(*, change: bool = False, planned: bool = False) -> _Make:
    def make(found: re.Match[str]) -> Reading | None:
        value = found["v"].strip()
        if _NO_PLACE.match(value):
            return None
        if change and not planned and value.islower() and found.string[:1].isupper():
            return None  # "I moved to the sofa"; a place is a name, unless nothing in the message is capitalised
        return Reading(slot="plan.home" if planned else "home", value=value, change=change, retires=(found.groupdict().get("old") or "").strip(), planned=planned,
                       kind="episodic" if planned else "profile")  # fmt: skip

    return make


def _work(*, change: bool = False, leaves: bool = False) -> _Make:
    def make(found: re.Match[str]) -> Reading | None:
        value = (found.groupdict().get("v") or "").strip()
        if value and _NO_EMPLOYER.match(value):
            return None
        return Reading(
            slot="work", value=value, change=change or leaves, retires=(value or "*") if leaves else (found.groupdict().get("old") or "").strip()
        )

    return make


def _trade(found: re.Match[str]) -> Reading | None:
    noun = re.split(r"\s+(?:at|for|in|with|of|by|from|and|on|who|based|living|working|specialising|specializing)\s+", found["v"].strip())[0].split()[-1].lower()
    if _NOT_A_TRADE.match(noun) or not _TRADE.match(noun):
        return None
    employer = re.search(r"\s(?:at|for|with)\s+(?P<e>[A-Z0-9][^,;:.!?]*)", found["v"])
    if employer and not _NO_EMPLOYER.match(employer["e"]):
        return Reading(slot="work", value=employer["e"].strip())
    return Reading(slot="role", value=re.split(r"\s+(?:based|living|who|and)\s+", found["v"].strip())[0])


def _named(found: re.Match[str]) -> Reading | None:
    return None if _VAGUE.match(found["n"]) else Reading(slot=_owned(found["n"], found["v"], ".name"), value=found["v"].strip())


def _owned(noun: str, value: str, part: str = "") -> str:
    key = words(noun)
    return f"{key}:{words(value)}{part}" if not part and key.split()[-1:] and key.split()[-1] in _SEVERAL else f"{key}{part}"


def _prefers(found: re.Match[str]) -> Reading:
    value, other = found["v"].strip(), (found.groupdict().get("o") or "").strip()
    topic = found.groupdict().get("t")
    if topic:
        return Reading(slot=f"preference:{words(topic)}", value=value, retires=other, kind="procedural")
    if other:
        return Reading(slot="preference:" + "|".join(sorted((words(value), words(other)))), value=value, retires=other, kind="procedural")
    noun = head(value)
    return Reading(slot=f"preference:{noun}" if len(words(value).split()) > 1 else f"likes:{words(value)}", value=value, kind="procedural")


def _tastes(found: re.Match[str]) -> Reading | None:
    value = found["v"].strip()
    if re.match(
        r"(?:to (?:know|see|ask|have|get|add|change)|it|this|that|how|what|your|you|the (?:idea|first|second|last|look|sound))\b", value, re.I
    ):
        return None
    sign = "not " if re.match(r"(?:i|we)\s+(?:hate|dislike|detest|loathe|can not stand)", found.group(), re.I) else ""
    return Reading(slot=f"likes:{words(value)}", value=sign + value)


def _uses(found: re.Match[str]) -> Reading | None:
    value, purpose = found["v"].strip(), (found.groupdict().get("p") or "").strip()
    if re.match(r"(?:it|this|that|these|them|to|you|your)\b", value, re.I):
        return None
    return Reading(
        slot=words(purpose) if purpose else f"uses:{words(value)}",
        value=value,
        kind="procedural",
        retires=(found.groupdict().get("old") or "").strip(),
    )


def _switched(found: re.Match[str]) -> Reading | None:
    parts = found.groupdict()
    value = found["v"].strip()
    if parts.get("n") and re.fullmatch(r"(?:jobs?|employers?|compan(?:y|ies)|work)", words(parts["n"]) or "", re.I):
        return Reading(slot="work", value=value, change=True, retires="*")
    noun = words(parts["n"]) if parts.get("n") else ""
    if noun and _CALENDAR.search(value):
        return Reading(slot=f"date:{noun}", value=value, kind="working", change=True, retires="*")
    return Reading(slot=noun, value=value, change=True, retires=(parts.get("old") or "").strip() or ("*" if noun else ""), kind="procedural")


def _chose(found: re.Match[str]) -> Reading:
    return Reading(slot=f"choice:{words(found.groupdict().get('p') or '')}".rstrip(":"), value=found["v"].strip(), kind="procedural", project=True)


def _parted(found: re.Match[str]) -> Reading:
    thing = found["v"].strip()
    if pet := re.match(rf"(?:\w+\s+)?(?P<kind>{_ANIMAL})\s+(?P<name>(?-i:[A-Z])[\w-]+)$", thing, re.I):
        return Reading(slot=f"owns:{words(pet['kind'])}", value=pet["name"], change=True, retires=pet["name"])
    return Reading(slot=f"owns:{head(thing)}", value=thing, change=True, retires=thing)


def _has(found: re.Match[str]) -> Reading:
    thing = found["v"].strip()
    if name := re.split(r"\s+and\s+", found.groupdict().get("name") or "")[0]:
        return Reading(slot=f"{head(thing)}:{words(name)}.name", value=name.strip())
    return Reading(slot=f"owns:{head(thing)}", value=thing)


def _dated(found: re.Match[str]) -> Reading | None:
    noun = words(found["n"])
    if "old" in found.groupdict() and not _CALENDAR.search(found["v"]):
        person = re.search(rf"\b(?:{_REL})s?$", noun, re.I) is not None
        return Reading(slot=f"{noun}.{'home' if person else 'place'}", value=found["v"].strip(), change=True, retires="*", known=False)
    return Reading(
        slot=f"date:{noun}",
        value=found["v"].strip(),
        kind="working",
        change="old" in found.groupdict(),
        retires="*" if "old" in found.groupdict() else "",
    )


_CALENDAR = re.compile(
    r"\d|day\b|tomorrow|tonight|week|month|year|quarter|noon|morning|evening|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b",
    re.I,
)


def _attribute(found: re.Match[str]) -> Reading | None:
    noun, value, mine = found["n"].strip(), found["v"].strip(), found["det"].lower() != "the"
    if re.fullmatch(rf"(?:{_REL})s?", noun, re.I):  # "my X is …" says something about X, not who X is
        inner = _match(f"I am {value}", depth=1)
        slot = f"{words(noun)}.{inner.slot}" if inner is not None and inner.slot else f"{words(noun)}:{words(value)}"
        return None if inner is None and _STATE.match(value) else Reading(slot=slot, value=inner.value if inner else value, known=mine, own=mine)
    last = words(noun).split()[-1:] or [""]
    if _VAGUE.match(noun) or _VAGUE.match(last[0]) or _STATE.match(value) or len(noun.split()) > 5:
        return None
    favourite = re.match(r"(?:favou?rite|preferred|go-to)\s+(?P<t>.+)", noun, re.I)
    if favourite:
        return Reading(slot=f"preference:{words(favourite['t'])}", value=value)
    owner, _, part = noun.partition("'s ")
    slot = f"{words(owner)}.{words(part)}" if part else _owned(noun, value)
    clear = _CLOCK.match(value) is not None or value[:1].isupper() or value[:1].isdigit() or not value.isascii() or re.match(rf"(?:{_REL})$", last[0], re.I) is not None
    return Reading(
        slot=slot,
        value=value,
        known=mine and (clear or bool(favourite) or _PERSONAL.search(noun) is not None),
        own=mine,
        change=bool(found.groupdict().get("became")),
    )


def _inverted(found: re.Match[str]) -> Reading | None:
    """ "Lyon is my new home": the same as "my new home is Lyon"."""
    if re.match(r"(?:this|that|it|he|she|here|there|what|which|who|one|all|nothing|everything|not)\b", found["v"], re.I):
        return None
    reading = _match(f"{found['det']} {found['n']} is {found['v']}", depth=1)
    return None if reading is None else replace(reading, change=reading.change or found["became"] is not None)


_CLOCK = re.compile(r"(?:at |from )?\d{1,2}(?:[:.]\d\d)?\s?(?:am|pm|o'clock)?(?:\s?(?:-|to|until)\s?\d{1,2}.*)?$", re.I)
_DAYS = re.compile(r"\d{4}-\d\d|day\b|tomorrow|tonight|\b(?:week|weekend|month|year|quarter)s?\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b", re.I)
_PERSONAL = re.compile(
    r"\b(?:name|birthday|age|address|email|e-mail|phone|number|size|timezone|time zone|language|job|title|role|team|hours|schedule|pronouns?|nickname|hometown|nationality|hobby|hobbies|instrument|car|bike|dog|cat|pet|"
    r"employer|company|school|university|major|diet|style|tone|format|editor|os|stack|framework|database|deadline|budget|currency|units?|anniversary)$", re.I
)  # fmt: skip


def _placed(found: re.Match[str]) -> Reading | None:
    noun, mine = found["n"].strip(), found["det"].lower() != "the"
    if _VAGUE.match(noun) or re.match(
        r"(?:a hurry|trouble|progress|order|question|danger|general|fact|case|place|pain|love|touch|charge|it|this|that|the way|my way)\b",
        found["v"],
        re.I,
    ):
        return None
    if mine and words(noun) in ("home", "house", "flat", "apartment", "place"):
        return Reading(slot="home", value=found["v"].strip())
    person = re.search(rf"\b(?:{_REL})s?$", noun, re.I) is not None
    slot = f"{words(noun)}.{'home' if person else 'place'}"
    return Reading(slot=slot, value=found["v"].strip(), own=mine, known=mine)


def _of_others(core: str) -> Reading | None:
    """The same rules for somebody else: "my brother lives in X" is `brother.home`, "Orchid moved to X" is `orchid.home`."""
    found = re.match(rf"^(?P<who>(?i:my|our)\s+(?:[\w-]+\s+)?(?:{_REL})s?|[A-Z][\w&-]*(?:\s+[A-Z][\w&-]*)?)(?P<own>'s)?\s+(?P<rest>.+)$", core)
    if found is None or words(found["who"]) in ("i", "we", "it", "this", "that", "there", "he", "she", "they", "you", "what"):
        return None
    mine = found["who"].lower().startswith(("my ", "our "))
    rest = re.sub(r"^(?:is|are)\b", "am", re.sub(r"^has\b", "have", found["rest"]))
    inner = None if found["own"] else _match(f"I {rest}", depth=1)
    if inner is None and (place := re.match(r"(?:am|sits|lies|stands)\s+(?:in|at|on)\s+(?P<v>[^,;:.!?]+)$", rest)):
        inner = Reading(slot="home", value=place["v"])
    if inner is None or not inner.slot:
        return None
    return replace(inner, slot=f"{words(found['who'])}.{inner.slot}", own=mine, known=mine)


_I = r"^(?:i|we)\s+(?:have\s+|had\s+)?"
_AM = r"^(?:i|we)\s+(?:am|are|have been)\s+"


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.I)


_RULES: tuple[tuple[re.Pattern[str], _Make], ...] = tuple(
    (_compiled(pattern), make)
    for pattern, make in (
        # home
        (_I + r"lives?\s+(?:in|at|near|on|outside)\s+" + _PLACE + _END, _home()),
        (r"^(?:i|we)\s+resides?\s+in\s+" + _PLACE + _END, _home()),
        (_AM + r"(?:based|living|located|settled|residing)\s+(?:in|at|near)\s+" + _PLACE + _END, _home()),
        (_AM + r"(?:moving|relocating|going to (?:move|relocate))\s+(?:from\s+(?P<old>[\w .-]+?)\s+)?to\s+" + _PLACE + _END, _home(change=True, planned=True)),
        (r"^(?:i|we)\s+(?:will|am going to|are going to)\s+(?:move|relocate)\s+to\s+" + _PLACE + _END, _home(change=True, planned=True)),
        (_I + r"(?:moved|relocated|gone|switched cities)\s+(?:house\s+|home\s+|back\s+|away\s+|over\s+|in\s+)?(?:from\s+(?P<old>[\w .-]+?)\s+)?(?:back\s+)?(?:to|into)\s+" + _PLACE + _END, _home(change=True)),
        (r"^(?:my|our)\s+new\s+(?:home|house|flat|apartment|place)\s+is\s+(?:in|at|near)\s+" + _PLACE + _END, _home(change=True)),
        (r"^(?:my|our)\s+(?:home|house|flat|apartment|place)\s+is\s+(?:in|at|near)\s+" + _PLACE + _END, _home()),
        (r"^(?:my|our)\s+(?:new|current)\s+(?:home )?(?P<n>address|city|town|home)\s+is\s+(?P<v>.+)$", lambda m: Reading(slot="address" if m["n"].lower() == "address" else "home", value=m["v"], change=True)),
        (r"^(?:my\s+)?(?:home(?:town)?|home base)\s+is\s+(?:in\s+)?(?P<v>(?-i:[A-Z])[^,;:.!?]*)$", _home()),
        (_I + r"(?:come from|am from|are from|grew up in|was born in|were born in)\s+" + _PLACE + _END, _slot("origin")),
        # work
        (_I + r"works?\s+(?:at|for|with)\s+" + _WHAT + _END, _work()),
        (_AM + r"(?:working|employed)\s+(?:at|for|with|by)\s+" + _WHAT + _END, _work()),
        (_I + r"(?:joined|(?:was|were|been|got) hired by|signed with)\s+(?=(?-i:[A-Z0-9]))" + _WHAT + _END, _work(change=True)),
        (_I + r"(?:started|begun|began|got|took|accepted|landed)\s+(?:(?:a|my|the)\s+(?:new\s+)?(?:job|position|role)\s+|working\s+|work\s+)?(?:at|for|with)\s+(?=(?-i:[A-Z0-9]))" + _WHAT + _END, _work(change=True)),
        (_I + r"(?:changed|switched)\s+(?:jobs?|employers?|companies|work)(?:\s+from\s+(?P<old>[\w .-]+?))?(?:\s+(?:and now work (?:at|for)|to|for)\s+(?P<v>.+))?$", lambda m: Reading(slot="work", value=(m["v"] or "").strip(), change=True, retires="*")),
        (_I + r"(?:moved|switched|transferred|gone|went)\s+from\s+(?P<old>(?-i:[A-Z])[\w .-]*?)\s+to\s+(?P<v>(?-i:[A-Z])[\w .-]*)$", lambda m: Reading(slot="", value=m["v"], change=True, retires=m["old"])),
        (_I + r"(?:left|quit|resigned from|been laid off (?:by|from)|was laid off (?:by|from)|got fired from|got laid off (?:by|from)|was fired from|stopped working (?:at|for))\s+(?P<v>(?:my|the) (?:old )?(?:job|employer|company)|(?-i:[A-Z0-9])[^,;:.!?]*?)" + _END,
         lambda m: Reading(slot="work", value="", change=True, retires="*" if re.match(r"(?:my|the)\s", m["v"], re.I) else m["v"].strip())),
        (r"^(?:my|our)\s+(?:new|current)\s+(?:employer|company|workplace|job)\s+is\s+(?:at\s+|with\s+)?" + _WHAT + _END, _work(change=True)),
        (r"^(?:my|our)\s+(?:employer|company|workplace)\s+is\s+(?=(?-i:[A-Z0-9]))" + _WHAT + _END, _work()),
        (_AM + r"(?:with|at)\s+(?P<v>(?-i:[A-Z])[^,;:.!?]*)$", lambda m: Reading(slot="employer?", value=m["v"], known=False)),
        (_I + r"(?:am starting|are starting|starts?|am joining|are joining|will (?:start|join|be joining|be starting))\s+(?:at|with|for)?\s*(?P<v>(?-i:[A-Z])[^,;:.!?]*?)(?:\s+(?:on|in|next|this)\s.*)$", lambda m: Reading(slot="plan.work", value=m["v"], planned=True, kind="episodic")),
        (_I + r"(?:was|were|got|been)\s+(?:promoted to|made)\s+(?P<v>[^,;:.!?]+)$", _slot("role", change=True)),
        (r"^(?:my|our)\s+(?:new\s+|current\s+)?job\s+is\s+(?:at|with)\s+" + _WHAT + _END, _work()),
        (_I + r"works?\s+as\s+(?:an?\s+|the\s+)?(?P<v>.+)$", lambda m: _trade(m) or Reading(slot="role", value=m["v"])),
        (_AM + r"(?:an?|the)\s+(?P<v>[\w -]+(?:\s+(?:at|for|with)\s+[\w .&-]+)?)$", _trade),
        (_I + r"(?:studies|study|am studying|are studying)\s+at\s+" + _WHAT + _END, _slot("school")),
        (_I + r"(?:got|have|has|found|started|landed|begun)\s+a\s+(?:new|different)\s+(?P<v>job|employer)\b.*$", lambda m: Reading(slot="work", value="", change=True, retires="*")),
        (r"^(?:i|we)\s+(?:have\s+)?moved(?:\s+(?:house|home|out|flats?|apartments?|cities|countries))?$", lambda m: Reading(slot="home", value="", change=True, retires="*")),
        # name and person
        (r"^(?:my|our)\s+(?:new |full |first |last |real )?name\s+is\s+(?P<v>[^,;:.!?]+)", _slot("name")),
        (r"^(?:(?:you can|you may|please|just|everyone|people|friends|they)\s+)*calls?\s+me\s+(?P<v>(?-i:[A-Z])[\w' -]*?)(?:\s+(?:from now on|instead|if|when|in|at|on)\b.*)?$", _slot("name")),
        (_I + r"(?:am called|go by|goes by|prefer to be called|like to be called|changed my name to|want to be called)\s+(?P<v>[^,;:.!?]+)", _slot("name")),
        (_I + r"turned\s+(?P<v>\d{1,3})\b.*$", _slot("age", change=True)),
        (_I + r"works?\s+(?P<v>nights|days|shifts|weekends|evenings|mornings|part[- ]time|full[- ]time|remotely|from home|from \d[^,;!?]*)$", _slot("schedule")),
        (_AM + r"(?:in|on)\s+(?:the\s+)?(?P<v>[A-Z][\w/+:-]*(?:\s\w+)?)\s+time(?:\s?zone)?$", _slot("timezone")),
        (_AM + r"(?P<v>\d{1,3})(?:\s+years?(?:\s+old)?)?$", _slot("age")),
        (r"^(?:my|our)\s+(?:time ?zone)\s+is\s+(?P<v>.+)$", _slot("timezone")),
        (r"^(?:my|our)\s+birthday\s+is\s+(?:on\s+)?(?P<v>.+)$", _slot("birthday")),
        (_I + r"(?:was|were)?\s*born\s+on\s+(?P<v>.+)$", _slot("birthday")),
        (_AM + r"(?:happily |newly )?(?P<v>married|engaged|divorced|single|widowed)\b.*$", _slot("relationship")),
        (_I + r"(?:got|been)\s+(?P<v>married|engaged|divorced)\b.*$", _slot("relationship", change=True)),
        (_I + r"speaks?\s+(?P<v>(?-i:[A-Z])[\w, ]+)$", _keyed("speaks")),
        # diet, allergy, access
        (_AM + r"(?:an?\s+|strictly\s+|mostly\s+)?(?P<v>vegan|vegetarian|pescatarian|flexitarian|omnivore|coeliac|celiac|teetotal(?:ler)?|lactose[- ]intolerant|gluten[- ](?:free|intolerant))\b.*$", _slot("diet")),
        (_I + r"(?:became|become|turned|gone|went)\s+(?P<v>vegan|vegetarian|pescatarian|gluten[- ]free|teetotal)\b.*$", _slot("diet", change=True)),
        (_I + r"(?:gave up|given up|cut out)\s+(?P<v>meat|dairy|gluten|sugar|alcohol|pork|fish|eggs|caffeine|coffee)$", lambda m: Reading(slot=f"diet:{words(m['v'])}", value=f"not {m['v']}", change=True)),
        (r"^(?:i|we)\s+can not\s+(?:eat|drink|have|tolerate)\s+(?P<v>[^,;:.!?]+)$", lambda m: Reading(slot=f"diet:{words(m['v'])}", value=f"not {m['v']}")),
        (_I + r"(?:keeps?|eats?|follows?)\s+(?:an?\s+|only\s+|strictly\s+)*(?P<v>halal|kosher|vegan|vegetarian|keto|low[- ]carb|gluten[- ]free|dairy[- ]free|[\w-]+ diet)\b.*$", _slot("diet")),
        (_I + r"never\s+(?:eats?|drinks?)\s+(?P<v>.+)$", lambda m: Reading(slot=f"diet:{words(m['v'])}", value=f"not {m['v']}")),
        (_AM + r"(?:severely |very |deadly |badly )?allergic\s+to\s+" + _WHAT + _END, _keyed("allergy")),
        (_I + r"(?:has|have|developed)?\s*(?:an?\s+)?(?:severe |bad |serious )?(?:allergy\s+to\s+(?P<v>[^,;:.!?]+)|(?P<w>\w+)\s+allergy)$", lambda m: Reading(slot=f"allergy:{words(m['v'] or m['w'])}", value=m["v"] or m["w"])),
        (_AM + r"(?P<v>deaf|blind|colou?r-?blind|hard of hearing|dyslexic|visually impaired)\b.*$", _keyed("access")),
        (r"^(?:i|we)\s+(?:uses?|needs?|rely on|relies on)\s+(?:an?\s+)?(?P<v>wheelchair|hearing aids?|screen reader|guide dog|large print|step-free access|captions|sign language|braille)\b.*$", _keyed("access")),
        # preferences
        (r"^(?:i|we)\s+(?:would )?(?:prefers?|rather have|favou?r)\s+(?P<v>[^,;:.!?]+?)\s+(?:to|over|rather than|instead of|than)\s+(?P<o>[^,;:.!?]+?)(?:\s+for\s+(?P<t>[^,;:.!?]+))?$", _prefers),
        (r"^(?:for|when it comes to|as for|regarding)\s+(?P<t>[\w ]+?),?\s+(?:i|we)\s+(?:prefers?|likes?|uses?)\s+(?P<v>[^,;:.!?]+)$", _prefers),
        (r"^(?:i|we)\s+(?:prefers?)\s+(?P<v>[^,;:.!?]+?)\s+for\s+(?P<t>[^,;:.!?]+)$", _prefers),
        (r"^(?:i|we)\s+(?:would\s+)?(?:prefers?|rather have)\s+(?P<v>.+)$", _prefers),
        (r"^(?:i|we)\s+(?:absolutely |always )?(?:loves?|likes?|enjoys?|adores?|hates?|dislikes?|detests?|loathes?|can not stand)\s+(?P<v>[^,;:.!?]+)$", _tastes),
        # what was chosen, what is used, what was replaced
        (_I + r"(?:chosen?|chose|decided on|decided to use|picked|settled on|went with|are going with|am going with|opted for)\s+(?P<v>[^,;:.!?]+?)(?:\s+(?:for|as)\s+(?:this |the |our |my )?(?P<p>[^,;:.!?]+))?$", _chose),
        (_I + r"(?:switched|changed|migrated|moved)\s+(?:over\s+)?(?:(?:my|our|the)\s+(?P<n>[\w -]+?)\s+)?(?:over\s+)?from\s+(?P<old>[^,;:.!?]+?)\s+(?:over\s+)?to\s+(?P<v>[^,;:.!?]+)$", _switched),
        (_I + r"(?:switched|changed|migrated|moved|updated|renamed|set)\s+(?:my|our|the)\s+(?P<n>[\w -]+?)\s+to\s+(?P<v>[^,;:.!?]+)$", _switched),
        (_I + r"(?:switched|migrated|changed)\s+(?:over\s+)?to\s+(?:using\s+)?(?P<v>[^,;:.!?]+)$", _switched),
        (_I + r"(?:replaced|swapped)\s+(?:out\s+)?(?P<old>[^,;:.!?]+?)\s+(?:with|for|by)\s+(?P<v>[^,;:.!?]+)$", _switched),
        (_I + r"(?:dropped|ditched|abandoned)\s+(?P<old>[^,;:.!?]+?)\s+(?:for|in favou?r of)\s+(?P<v>[^,;:.!?]+)$", _switched),
        (r"^(?P<det>my|our|the)\s+(?:new\s+)?(?P<n>[\w' /-]+?)\s+(?:is|are)\s+(?P<v>[^,;:.!?]+?)\s+instead of\s+(?P<old>[^,;:.!?]+)$", _switched),
        (r"^(?:i|we)\s+(?:uses?|runs? on|are using|am using|have been using)\s+(?P<v>[^,;:.!?]+?)\s+instead of\s+(?P<old>[^,;:.!?]+)$", _uses),
        (r"^(?:i|we)\s+(?:uses?|are using|am using|have been using)\s+(?P<v>[^,;:.!?]+?)\s+(?:for|as)\s+(?:our |the |my |a )?(?P<p>[^,;:.!?]+)$", _uses),
        (r"^(?:i|we)\s+(?:uses?|are using|am using)\s+(?P<v>[^,;:.!?]+)$", _uses),
        (r"^(?:it|that|this)\s+(?:is|was)\s+not\s+(?P<old>[^,;:.!?]+?),?\s+(?:but|it is)\s+(?P<v>[^,;:.!?]+)$", lambda m: Reading(slot="", value=m["v"], change=True, retires=m["old"])),
        (r"^(?:it|that)\s+is\s+(?P<v>[^,;:.!?]+?),\s+not\s+(?P<old>[^,;:.!?]+)$", lambda m: Reading(slot="", value=m["v"], change=True, retires=m["old"])),
        # having and parting
        (_I + r"(?:sold|gave away|given away|got rid of|scrapped|donated|lost|returned|traded in|rehomed)\s+(?:my|our|the|that)\s+(?P<v>[^,;:.!?]+?)(?:\s+(?:to|for|on|at|in)\s.*)?$", _parted),
        (r"^(?:my|our|the)\s+(?P<v>[\w' -]+?)\s+(?:is|was|has been|got)\s+(?:sold|scrapped|given away|donated|stolen|rehomed)$", _parted),
        (r"^(?:my|our)\s+(?P<v>[\w' -]+?)\s+(?:died|passed away)$", _parted),
        (r"^(?P<v>(?-i:[A-Z])[\w-]+)\s+(?:died|passed away)$", lambda m: Reading(slot="", value="", change=True, retires=m["v"], known=False)),
        (r"^(?:i|we)\s+(?:have|has|own|owns|got|have got|adopted|bought|keep)\s+(?:an?|the|one|two|three|four|\d+)\s+(?:new\s+)?(?P<v>(?:[\w-]+\s+){0,3}?[\w-]+)\s+(?:called|named|whose name is)\s+(?P<name>[^,;:.!?]+)$", _has),
        (rf"^(?:i|we)\s+(?:have|has|have got|adopted|got|bought)\s+(?:an?|one|two|three|four|\d+)\s+(?P<v>(?:[\w-]+\s+){{0,3}}(?:{_THING})s?)$", _has),
        (r"^(?:i|we)\s+(?:own|owns)\s+(?:an?|one|two|three|four|\d+|some)?\s*(?P<v>[^,;:.!?]+)$", _has),
        (r"^(?:i|we)\s+drives?\s+(?:an?\s+)(?P<v>[^,;:.!?]+)$", _keyed("car")),
        (rf"^(?:i|we)\s+(?:have|has|have got)\s+(?P<v>(?:no|an?|one|two|three|four|five|six|\d+)\s+(?:\w+\s+)?(?:{_REL}|children|kids|sons|daughters|brothers|sisters)s?)$", lambda m: Reading(slot=f"family:{head(m['v'])}", value=m["v"])),
        # dates
        (r"^(?:my|our|the)\s+(?P<n>[\w' -]+?)\s+(?:has\s+|have\s+)?(?:been\s+|was\s+|is\s+)?(?:moved|postponed|pushed|rescheduled|delayed|shifted|brought forward|slipped)(?:\s+back|\s+forward)?(?:\s+from\s+(?P<old>[^,;:.!?]+?))?\s+(?:to|until|till)\s+(?P<v>[^,;:.!?]+)$", _dated),
        (r"^(?:my|our|the)\s+(?:deadline|due date|cut-?off)\s+(?:for|of|on)\s+(?P<n>[\w' -]+?)\s+is\s+(?:on\s+|now\s+)?(?P<v>[^,;:.!?]+)$", _dated),
        (r"^(?:my|our|the)\s+(?P<n>[\w' -]*?(?:deadline|due date|cut-?off|launch|release|flight|exam|interview|appointment|wedding|meeting|demo|trip|move|delivery|lease|contract|conference|presentation|surgery|review))(?:\s+(?:to|in|with|for)\s+[\w' -]+?)?\s+(?:is|are|ends?|starts?|begins?|expires?|leaves?|takes place)\s+(?:due\s+)?(?P<v>(?:on |at |in |by |this |next |until |tomorrow|today|\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|november|december).*)$", _dated),
        (r"^(?:my|our|the)\s+(?P<n>[\w' -]+?)\s+(?:is|are)\s+due\s+(?P<v>.+)$", _dated),
        (r"^(?:my|our)\s+(?P<n>[\w' -]+?)\s+(?:is|are|ends?|starts?|begins?|expires?|leaves?|closes?|opens?|arrives?|takes place|runs out)\s+(?P<v>(?:on|at|in|by|this|next|until|tomorrow)\b.*|tomorrow.*)$",
         lambda m: _dated(m) if _DAYS.search(m["v"]) and not re.search(r"\bbirthday$", m["n"], re.I) else None),
        # anything of mine
        (r"^(?P<v>[^,;:.!?]+?)\s+is\s+(?P<det>my|our)\s+(?P<became>new\s+|current\s+)?(?P<n>[\w' /-]+)$", lambda m: _inverted(m)),
        (rf"^(?:my|our)\s+(?P<n>(?:{_REL}|{_ANIMAL}))(?:'s)?\s+(?:name\s+)?is\s+(?:called|named)\s+(?P<v>[^,;:.!?]+)$", _named),
        (rf"^(?:my|our)\s+(?P<n>(?:[\w-]+\s+)?(?:{_REL}|{_ANIMAL}))'s\s+name\s+is\s+(?P<v>[^,;:.!?]+)$", _named),
        (r"^(?:my|our|the)\s+(?P<n>[\w' -]+?)\s+(?:is|are)\s+(?:called|named)\s+(?P<v>[^,;:.!?]+)$", _named),
        (rf"^(?P<n>{_ANIMAL})\s+is\s+(?:called|named)\s+(?P<v>[^,;:.!?]+)$", _named),
        (rf"^(?:my|our)\s+(?P<n>{_ANIMAL}|wife|husband|partner|boss|manager|brother|sister|son|daughter)\s+is\s+(?P<v>(?-i:[A-Z])[\w-]+)$", _named),
        (r"^(?P<det>my|our|the)\s+(?P<n>[\w' /-]+?)\s+(?:is|are|sits|lives|stands)\s+(?:in|at|on|under|behind|inside|next to|by)\s+(?P<v>[^,;:!?]+)$", _placed),
        (r"^(?P<det>my|our|the)\s+(?P<n>[\w' /-]+?)\s+(?P<became>(?:has (?:been )?|was )?(?:changed|switched|renamed) to|became|has become)\s+(?P<v>.+)$", _attribute),
        (r"^(?P<det>my|our|the)\s+(?P<became>new\s+)?(?P<n>[\w' /-]+?)\s+(?:is|are|equals)\s+(?:set to\s+)?(?P<v>.+)$", _attribute),
    )
)  # fmt: skip
