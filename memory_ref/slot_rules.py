"""The rules that read a plain clause: a pattern over it, and what it means. English, general and few."""

from __future__ import annotations

import re
from dataclasses import replace

from memgauge.memory_ref import cues, vocabulary
from memgauge.memory_ref import slot_makers as makers
from memgauge.memory_ref.phrasing import head, words
from memgauge.memory_ref.slot_makers import Make, Reading

_WHAT = r"(?P<v>[^,;:.!?]+?(?:\.\w[^,;:!?]*?)?)"
_PLACE = r"(?P<v>(?:the |a |an )?[^,;:.!?]+?(?:, (?-i:[A-Z])[\w .-]+)?)"
_END = r"(?:\s+(?:with|together|last|next|this|yesterday|today|recently|about|around|because|since|as|so|and|for|after|where|which|who|when|until|from)\b.*|[,;:.!?].*)?$"


def match(core: str, depth: int = 0) -> Reading | None:
    """The reading of a plain clause (see `phrasing`), or None when no rule fits. `depth` above 0: a rule reads a part of its own clause."""
    negated = _negation(core) if depth == 0 else None
    if negated is not None:
        return negated
    for pattern, make in _RULES:
        found = cues.compiled(pattern).match(core)
        if found is not None and (reading := make(found)) is not None:
            return reading
    return _of_others(core) if depth == 0 else None


_NEGATIONS = (
    re.compile(r"^(?P<who>i|we)\s+(?:do|am|are|have|can|will)?\s*(?:no longer|not)\s+(?P<rest>.+)$", re.I),
    re.compile(r"^(?P<who>i|we)\s+(?:have\s+)?(?:stopped|quit|gave up|given up)\s+(?P<rest>\w+ing\b.*)$", re.I),
    re.compile(
        r"^(?P<who>my|our|the)\s+(?P<rest>[\w' -]+?)\s+(?P<be>is|are)\s+(?:no longer|not)\s+(?P<v>[^,]+?)(?:,?\s+(?:but|it is|they are|now it is)\s+(?P<new>.+))?$",
        re.I,
    ),
)


def _negation(core: str) -> Reading | None:
    """ "I no longer live in X", "I am not vegetarian", "I stopped working at X": the positive reading, with its value retired."""
    for pattern in _NEGATIONS:
        found = pattern.match(core)
        if found is None:
            continue
        if found.groupdict().get("v"):
            positive = match(f"{found['who']} {found['rest']} {found['be']} {found['v']}", depth=1)
        else:
            rest = re.sub(r"^(\w+)ing\b", lambda m: _stem(m[1]), found["rest"])
            positive = match(f"I {rest}", depth=1) or match(f"I am {found['rest']}", depth=1) or match(f"I have {found['rest']}", depth=1)
            if re.match(r"(?:eat|drink|like|enjoy|want|need|use)\b", rest) and "no longer" not in core:
                return _refusal(rest)
        parted = re.match(r"(?:have|own)\s+(?:the|my|our|that|an?|any)\s+(?P<v>[^,;:.!?]+)$", found["rest"], re.I)
        if parted is not None and positive is None:
            left = makers.parted(parted)
            return None if left is None else replace(left, change=False)
        if positive is not None and positive.slot:
            new = found.groupdict().get("new") or ""
            return replace(positive, value=new, change=True, retires=positive.value or "*")
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


def _attribute(found: re.Match[str]) -> Reading | None:
    noun, value, mine = found["n"].strip(), found["v"].strip(), found["det"].lower() != "the"
    if re.fullmatch(rf"(?:{vocabulary.RELATIONS})s?", noun, re.I):  # "my X is …" says something about X, not who X is
        inner = match(f"I am {value}", depth=1)
        slot = f"{words(noun)}.{inner.slot}" if inner is not None and inner.slot else f"{words(noun)}:{words(value)}"
        return (
            None
            if inner is None and vocabulary.STATE.match(value)
            else Reading(slot=slot, value=inner.value if inner else value, known=mine, own=mine)
        )
    last = words(noun).split()[-1:] or [""]
    if vocabulary.VAGUE.match(noun) or vocabulary.VAGUE.match(last[0]) or vocabulary.STATE.match(value) or len(noun.split()) > 5:
        return None
    favourite = re.match(r"(?:favou?rite|preferred|go-to)\s+(?P<t>.+)", noun, re.I)
    if favourite:
        return Reading(slot=f"preference:{words(favourite['t'])}", value=value)
    owner, _, part = noun.partition("'s ")
    slot = f"{words(owner)}.{words(part)}" if part else makers.owned(noun, value)
    if slot == "phone number" and not re.search(r"\d[\d\s()./-]{3,}", value):
        slot = "phone"  # the thing, not how it is called
    clear = (
        vocabulary.CLOCK.match(value) is not None
        or value[:1].isupper()
        or value[:1].isdigit()
        or not value.isascii()
        or re.match(rf"(?:{vocabulary.RELATIONS})$", last[0], re.I) is not None
    )
    return Reading(
        slot=slot,
        value=value,
        known=mine and (clear or bool(favourite) or vocabulary.PERSONAL.search(noun) is not None),
        own=mine,
        change=bool(found.groupdict().get("became")),
    )


def _inverted(found: re.Match[str]) -> Reading | None:
    """ "Lyon is my new home": the same as "my new home is Lyon"."""
    if re.match(
        r"(?:this|that|it|i|we|you|they|he|she|here|there|what|which|who|one|all|nothing|everything|not|my|our)\b|.*\s(?:is|are|was|were)\s",
        found["v"],
        re.I,
    ):
        return None
    reading = match(f"{found['det']} {found['n']} is {found['v']}", depth=1)
    return None if reading is None else replace(reading, change=reading.change or found["became"] is not None)


def _of_others(core: str) -> Reading | None:
    """The same rules for somebody else: "my brother lives in X" is `brother.home`, "Orchid moved to X" is `orchid.home`."""
    found = re.match(
        rf"^(?P<who>(?i:my|our)\s+(?:[\w-]+\s+)?(?:{vocabulary.RELATIONS})s?|[A-Z][\w&-]*(?:\s+[A-Z][\w&-]*)?)(?P<own>'s)?\s+(?P<rest>.+)$", core
    )
    if found is None or words(found["who"]) in ("i", "we", "it", "this", "that", "there", "he", "she", "they", "you", "what"):
        return None
    mine = found["who"].lower().startswith(("my ", "our "))
    rest = re.sub(r"^(?:is|are)\b", "am", re.sub(r"^has\b", "have", found["rest"]))
    inner = None if found["own"] else match(f"I {rest}", depth=1)
    if inner is None and (place := re.match(r"(?:am|sits|lies|stands)\s+(?:in|at|on)\s+(?P<v>[^,;:.!?]+)$", rest)):
        inner = Reading(slot="home", value=place["v"])
    if inner is None or not inner.slot:
        return None
    return replace(inner, slot=f"{words(found['who'])}.{inner.slot}", own=mine, known=mine)


_LABELS = "phone number|mobile number|number|e-?mail(?: address)?|address|phone|extension|license plate|licence plate|postcode|zip code"
_I = r"^(?:i|we)\s+(?:have\s+|had\s+)?"
_AM = r"^(?:i|we)\s+(?:am|are|have been)\s+"


_RULES: tuple[tuple[str, Make], ...] = (
    # home
    (_I + r"lives?\s+(?:in|at|near|on|outside)\s+" + _PLACE + _END, makers.home()),
    (r"^(?:i|we)\s+resides?\s+in\s+" + _PLACE + _END, makers.home()),
    (_AM + r"(?:based|living|located|settled|residing)\s+(?:in|at|near)\s+" + _PLACE + _END, makers.home()),
    (_AM + r"in\s+(?P<v>(?-i:[A-Z])[\w' -]*?)\s+since\s+.+$", makers.home()),
    (r"^(?:the|our|my) move to\s+(?P<v>(?-i:[A-Z])[\w' -]*?)\s+(?:is (?:done|complete|over|behind (?:me|us))|went (?:well|fine|smoothly)|has (?:happened|been completed)).*$", makers.home(change=True)),
    (_AM + r"(?:moving|relocating|going to (?:move|relocate))\s+(?:from\s+(?P<old>[\w .-]+?)\s+)?to\s+" + _PLACE + _END, makers.home(change=True, planned=True)),
    (r"^(?:i|we)\s+(?:will|am going to|are going to)\s+(?:move|relocate)\s+to\s+" + _PLACE + _END, makers.home(change=True, planned=True)),
    (_I + r"settled\s+(?:down\s+)?in\s+" + _PLACE + _END, makers.home(change=True)),
    (_I + r"(?:moved|relocated|switched cities)\s+(?:again,?\s+)?(?:house,?\s+|home,?\s+|back\s+|away\s+|over\s+|in\s+)?(?:from\s+(?P<old>[\w .-]+?)\s+)?(?:back\s+)?(?:to|into)\s+" + _PLACE + _END, makers.home(change=True)),
    (r"^(?:my|our)\s+new\s+(?:home|house|flat|apartment|place)\s+is\s+(?:in|at|near)\s+" + _PLACE + _END, makers.home(change=True)),
    (r"^(?:my|our)\s+(?:home|house|flat|apartment|place)\s+is\s+(?:in|at|near)\s+" + _PLACE + _END, makers.home()),
    (r"^home(?:\s+for (?:me|us))?\s+is\s+(?:an?\s+[\w -]+?\s+)?in\s+" + _PLACE + _END, makers.home()),
    (_I + r"left\s+(?P<old>(?-i:[A-Z])[^,;:.!?]*?)\s+(?:and|,)\s*(?:we |i )?(?:are|am|live)\s+(?:in|at)\s+(?P<v>(?-i:[A-Z])[^,;:.!?]*)$", lambda m: Reading(slot="", value=m["v"], change=True, retires=m["old"])),
    (_I + r"(?:bought|rented|found|got|taken|took)\s+(?:an?|our|my)\s+(?:[\w-]+\s+){0,3}?(?:house|flat|apartment|home|condo|cottage|houseboat)\s+(?:in|near|outside)\s+(?P<v>(?-i:[A-Z])[^,;:.!?]*)" + _END, lambda m: Reading(slot=f"house:{words(m['v'])}", value=m["v"])),
    (r"^(?:(?:the|my|our)\s+)?(?P<new>new\s+)?(?:home\s+|postal\s+|street\s+|delivery\s+)?address(?:\s+is|\s*:|,)\s*(?P<v>\S.+)$", makers.address),
    (r"^(?:my|our)\s+(?:new|current)\s+(?:home )?(?P<n>address|city|town|home)\s+is\s+(?P<v>.+)$", lambda m: Reading(slot="address" if m["n"].lower() == "address" else "home", value=m["v"], change=True)),
    (r"^(?:my\s+)?(?:home(?:town)?|home base)\s+is\s+(?:in\s+)?(?P<v>(?-i:[A-Z])[^,;:.!?]*)$", makers.home()),
    (_I + r"(?:come from|am from|are from|grew up in|was born in|were born in)\s+" + _PLACE + _END, makers.slot("origin")),
    # work
    (_I + r"works?\s+(?:at|for)\s+" + _WHAT + _END, makers.work()),
    (_AM + r"(?:working\s+(?:at|for)|employed\s+(?:at|by|with))\s+" + _WHAT + _END, makers.work()),
    (_AM + r"(?P<v>self-employed|freelance|freelancing|unemployed|retired|out of work|between jobs)\b.*$", makers.slot("work")),
    (_I + r"(?P<v>retired)\b.*$", makers.slot("work", change=True)),
    (_I + r"left\s+(?P<old>(?-i:[A-Z0-9])[^,;:.!?]*?)\s+for\s+(?P<v>(?-i:[A-Z0-9])[^,;:.!?]*)$", lambda m: Reading(slot="", value=m["v"], change=True, retires=m["old"])),
    (_I + r"(?:joined|(?:was|were|been|got) hired by|signed with)\s+(?=(?-i:[A-Z0-9]))" + _WHAT + _END, makers.work(change=True)),
    (_I + r"(?:started|begun|began|got|took|accepted|landed)\s+(?:(?:a|my|the)\s+(?:new\s+)?(?:job|position|role)\s+|working\s+|work\s+)?(?:at|for|with)\s+(?=(?-i:[A-Z0-9]))" + _WHAT + _END, makers.work(change=True)),
    (_I + r"(?:changed|switched)\s+(?:jobs?|employers?|companies|work)(?:\s+from\s+(?P<old>[\w .-]+?))?(?:\s+(?:and now work (?:at|for)|to|for)\s+(?P<v>.+))?$", lambda m: Reading(slot="work", value=(m["v"] or "").strip(), change=True, retires="*")),
    (_I + r"(?:moved|switched|transferred|gone|went)\s+from\s+(?P<old>(?-i:[A-Z])[\w .-]*?)\s+to\s+(?P<v>(?-i:[A-Z])[\w .-]*)$", lambda m: Reading(slot="", value=m["v"], change=True, retires=m["old"])),
    (_I + r"(?:left|quit|resigned from|been laid off (?:by|from)|was laid off (?:by|from)|got fired from|got laid off (?:by|from)|was fired from|(?:was|got|been) let go (?:by|from)|stopped working (?:at|for))\s+(?P<v>(?:my|the) (?:old )?(?:job|employer|company)|(?-i:[A-Z0-9])[^,;:.!?]*?)" + _END,
     lambda m: Reading(slot="work", value="", change=True, retires="*" if re.match(r"(?:my|the)\s", m["v"], re.I) else m["v"].strip())),
    (r"^(?:my|our)\s+(?:new|current)\s+(?:employer|company|workplace|job)\s+is\s+(?:at\s+|with\s+)?" + _WHAT + _END, makers.work(change=True)),
    (r"^(?:my|our)\s+(?:employer|company|workplace)\s+is\s+(?=(?-i:[A-Z0-9]))" + _WHAT + _END, makers.work()),
    (_AM + r"(?:with|at)\s+(?P<v>(?-i:[A-Z])[^,;:.!?]*)$", lambda m: Reading(slot="employer?", value=m["v"], known=False)),
    (_I + r"(?:am starting|are starting|starts?|am joining|are joining|will (?:start|join|be joining|be starting))\s+(?:at|with|for)?\s*(?P<v>(?-i:[A-Z])[^,;:.!?]*?)(?:\s+(?:on|in|next|this)\s.*)$", lambda m: Reading(slot="plan.work", value=m["v"], planned=True, kind="episodic")),
    (_AM + r"back\s+(?:working|at work)\s+(?:at|with|for)\s+(?P<v>(?-i:[A-Z])[\w .&-]*)$", makers.work(change=True)),
    (_I + r"(?:was|were|got|been)\s+(?:promoted to|made)\s+(?P<v>[^,;:.!?]+)$", makers.slot("role", change=True)),
    (r"^(?:my|our)\s+(?:new\s+|current\s+)?job\s+is\s+(?:at|with)\s+" + _WHAT + _END, makers.work()),
    (r"^(?:i|we)\s+teach(?:es)?\s+(?P<v>[^,;:.!?]+)$", lambda m: Reading(slot="role", value=f"teacher of {m['v']}")),
    (r"^(?:\w+ )?(?:was|is) (?:my|our) last day (?:at|with)\s+(?P<v>(?-i:[A-Z0-9])[^,;:.!?]*)(?:,.*)?$", lambda m: Reading(slot="work", value="", change=True, retires=m["v"])),
    (_I + r"(?:works?|am employed|are employed|earns?\s+(?:my|our|a)\s+living)\s+as\s+(?:an?\s+|the\s+)?(?P<v>.+)$", lambda m: makers.trade(m) or Reading(slot="role", value=m["v"])),
    (_AM + r"(?:an?|the)\s+(?P<v>[\w -]+(?:\s+(?:at|for|with)\s+[\w .&-]+)?)$", makers.trade),
    (_I + r"(?:studies|study|am studying|are studying)\s+at\s+" + _WHAT + _END, makers.slot("school")),
    (_I + r"(?:study|am studying)\s+(?P<v>(?!with|for|from|in|on|hard|too|a lot|every|all)[\w-]+(?: [\w-]+)?)$", makers.slot("studies")),
    (_I + r"(?:got|have|has|found|started|landed|begun)\s+a\s+(?:new|different)\s+(?P<v>job|employer)\b.*$", lambda m: Reading(slot="work", value="", change=True, retires="*")),
    (_I + r"lost\s+my\s+job\b.*$", lambda m: Reading(slot="work", value="", change=True, retires="*")),
    (r"^(?:i|we)\s+(?:have\s+)?moved(?:\s+(?:house|home|out|flats?|apartments?|cities|countries))?$", lambda m: Reading(slot="home", value="", change=True, retires="*")),
    # name and person
    (r"^(?:my|our)\s+(?:new |full |first |last |real )?name\s+is\s+(?P<v>[^,;:.!?]+)", makers.slot("name")),
    (r"^(?:(?:you can|you may|please|just|everyone|people|friends|they)\s+)*calls?\s+me\s+(?P<v>(?-i:[A-Z])[\w' -]*?)(?:\s+(?:from now on|instead|if|when|in|at|on)\b.*)?$", makers.slot("name")),
    (_I + r"(?:am called|go by|goes by|prefer to be called|like to be called|changed my name to|want to be called)\s+(?P<v>[^,;:.!?]+)", makers.slot("name")),
    (_I + r"turned\s+(?P<v>\d{1,3})\b.*$", makers.slot("age", change=True)),
    (_I + r"works?\s+(?P<v>nights|days|shifts|weekends|evenings|mornings|part[- ]time|full[- ]time|remotely|from home|from \d[^,;!?]*)$", makers.slot("schedule")),
    (_AM + r"(?:in|on)\s+(?:the\s+)?(?P<v>[A-Z][\w/+:-]*(?:\s\w+)?)\s+time(?:\s?zone)?$", makers.slot("timezone")),
    (_AM + r"(?P<v>\d{1,3})(?:\s+years?(?:\s+old)?)?$", makers.slot("age")),
    (r"^(?:my|our)\s+(?:time ?zone)\s+is\s+(?P<v>.+)$", makers.slot("timezone")),
    (r"^(?:my|our)\s+birthday\s+is\s+(?:on\s+)?(?P<v>.+)$", makers.slot("birthday")),
    (_I + r"(?:was|were)?\s*born\s+on\s+(?P<v>.+)$", makers.slot("birthday")),
    (r"^(?:i|we)\s+(?:am|are)\s+(?:married|engaged)\s+to\s+(?:an?\s+[\w ]+?\s+(?:called|named)\s+)?(?P<v>(?-i:[A-Z])[\w-]+)$", makers.slot("spouse.name")),
    (_AM + r"(?:happily |newly )?(?P<v>married|engaged|divorced|single|widowed)\b.*$", makers.slot("relationship")),
    (_I + r"(?:got|been)\s+(?P<v>married|engaged|divorced)\b.*$", makers.slot("relationship", change=True)),
    (_I + r"speaks?\s+(?P<v>(?-i:[A-Z])[\w, ]+)$", makers.keyed("speaks")),
    # diet, allergy, access
    (_AM + r"(?:an?\s+|strictly\s+|mostly\s+)?(?P<v>vegan|vegetarian|pescatarian|flexitarian|omnivore|coeliac|celiac|teetotal(?:ler)?|lactose[- ]intolerant|gluten[- ](?:free|intolerant))\b.*$", makers.slot("diet")),
    (_I + r"(?:became|become|turned|gone|went)\s+(?P<v>vegan|vegetarian|pescatarian|gluten[- ]free|teetotal)\b.*$", makers.slot("diet", change=True)),
    (_I + r"(?:gave up|given up|cut out)\s+(?P<v>meat|dairy|gluten|sugar|alcohol|pork|fish|eggs|caffeine|coffee)$", lambda m: Reading(slot=f"diet:{words(m['v'])}", value=f"not {m['v']}", change=True)),
    (r"^(?:i|we)\s+can not\s+(?:eat|drink|have|tolerate)\s+(?P<v>[^,;:.!?]+)$", lambda m: Reading(slot=f"diet:{words(m['v'])}", value=f"not {m['v']}")),
    (_I + r"(?:keeps?|eats?|follows?)\s+(?:an?\s+|only\s+|strictly\s+)*(?P<v>halal|kosher|vegan|vegetarian|keto|low[- ]carb|gluten[- ]free|dairy[- ]free|[\w-]+ diet)\b.*$", makers.slot("diet")),
    (_I + r"never\s+(?:eats?|drinks?)\s+(?P<v>.+)$", lambda m: Reading(slot=f"diet:{words(m['v'])}", value=f"not {m['v']}")),
    (_AM + r"(?:severely |very |deadly |badly )?allergic\s+to\s+" + _WHAT + _END, makers.keyed("allergy")),
    (_I + r"(?:has|have|developed)?\s*(?:an?\s+)?(?:severe |bad |serious )?(?:allergy\s+to\s+(?P<v>[^,;:.!?]+)|(?P<w>\w+)\s+allergy)$", lambda m: Reading(slot=f"allergy:{words(m['v'] or m['w'])}", value=m["v"] or m["w"])),
    (_AM + r"(?P<v>deaf|blind|colou?r-?blind|hard of hearing|dyslexic|visually impaired)\b.*$", makers.keyed("access")),
    (r"^(?:i|we)\s+(?:uses?|needs?|rely on|relies on)\s+(?:an?\s+)?(?P<v>wheelchair|hearing aids?|screen reader|guide dog|large print|step-free access|captions|sign language|braille)\b.*$", makers.keyed("access")),
    # preferences
    (r"^(?:i|we)\s+(?:would )?(?:prefers?|rather have|favou?r)\s+(?P<v>[^,;:.!?]+?)\s+(?:to|over|rather than|instead of|than)\s+(?P<o>[^,;:.!?]+?)(?:\s+for\s+(?P<t>[^,;:.!?]+))?$", makers.prefers),
    (r"^(?:for|when it comes to|as for|regarding)\s+(?P<t>[\w ]+?),?\s+(?:i|we)\s+(?:prefers?|likes?|uses?)\s+(?P<v>[^,;:.!?]+)$", makers.prefers),
    (r"^(?:i|we)\s+(?:prefers?)\s+(?P<v>[^,;:.!?]+?)\s+for\s+(?P<t>[^,;:.!?]+)$", makers.prefers),
    (r"^(?:i|we)\s+(?:would\s+)?(?:prefers?|rather have)\s+(?P<v>.+)$", makers.prefers),
    (r"^(?:i|we)\s+(?:absolutely |always )?(?:loves?|likes?|enjoys?|adores?|hates?|dislikes?|detests?|loathes?|can not stand)\s+(?P<v>[^,;:.!?]+)$", makers.tastes),
    # what was chosen, what is used, what was replaced
    (_I + r"(?:chosen?|chose|decided on|decided to use|picked|settled on|went with|are going with|am going with|opted for)\s+(?P<v>[^,;:.!?]+?)(?:\s+(?:for|as)\s+(?:this |the |our |my )?(?P<p>[^,;:.!?]+))?$", makers.chose),
    (_I + r"(?:switched|changed|migrated|moved)\s+(?:over\s+)?(?:(?:(?:my|our|the)\s+)?(?P<n>[\w -]+?)\s+)?(?:over\s+)?from\s+(?P<old>[^,;:.!?]+?)\s+(?:over\s+)?to\s+(?P<v>[^,;:.!?]+)$", makers.switched),
    (_I + r"(?:switched|changed|migrated|moved|relocated|updated|renamed|set)\s+(?:my|our|the)\s+(?P<n>[\w -]+?)\s+to\s+(?P<v>[^,;:.!?]+)$", makers.switched),
    (_I + r"(?:switched|migrated|changed)\s+(?:over\s+)?to\s+(?:using\s+)?(?P<v>[^,;:.!?]+)$", makers.switched),
    (_I + r"(?:traded|swapped|exchanged)\s+(?:in\s+)?(?:my|our|the)\s+(?P<old>[^,;:.!?]+?)\s+(?:in\s+)?for\s+(?:an?\s+|the\s+)?(?P<v>[^,;:.!?]+)$", makers.switched),
    (r"^(?:(?:my|our|the)\s+)?(?P<n>[\w' -]{2,40}?)\s+(?:runs?\s+on|is\s+hosted\s+(?:on|by|at)|is\s+built\s+(?:with|on)|is\s+powered\s+by)\s+(?P<v>[^,;:.!?]+)$",
     lambda m: None if words(m["n"]) in ("i", "we", "it", "he", "she", "they", "you", "this", "that", "what") else Reading(slot=words(m["n"]), value=m["v"], known=m.string.lower().startswith(("our ", "my ")) or m["v"][:1].isupper())),
    (rf"^(?:my|our)\s+(?P<n>(?:{vocabulary.RELATIONS}|{vocabulary.ANIMALS}))\s+(?:has\s+)?changed\s+(?:her|his|their|its)\s+name\s+to\s+(?P<v>[^,;:.!?]+)$", lambda m: replace(makers.named(m) or Reading(slot="", value=""), change=True)),
    (_I + r"(?:replaced|swapped)\s+(?:out\s+)?(?P<old>[^,;:.!?]+?)\s+(?:with|for|by)\s+(?P<v>[^,;:.!?]+)$", makers.switched),
    (_I + r"(?:dropped|ditched|abandoned)\s+(?P<old>[^,;:.!?]+?)\s+(?:for|in favou?r of)\s+(?P<v>[^,;:.!?]+)$", makers.switched),
    (r"^(?P<det>my|our|the)\s+(?:new\s+)?(?P<n>[\w' /-]+?)\s+(?:is|are)\s+(?P<v>[^,;:.!?]+?)\s+instead of\s+(?P<old>[^,;:.!?]+)$", makers.switched),
    (r"^(?:i|we)\s+(?:uses?|runs? on|are using|am using|have been using)\s+(?P<v>[^,;:.!?]+?)\s+instead of\s+(?P<old>[^,;:.!?]+)$", makers.uses),
    (r"^(?:i|we)\s+(?:uses?|are using|am using|have been using)\s+(?P<v>[^,;:.!?]+?)\s+(?:for|as)\s+(?:our |the |my |a )?(?P<p>[^,;:.!?]+)$", makers.uses),
    (r"^(?:i|we)\s+(?:uses?|are using|am using)\s+(?P<v>[^,;:.!?]+)$", makers.uses),
    (r"^(?:it|that|this)\s+(?:is|was)\s+not\s+(?P<old>[^,;:.!?]+?),?\s+(?:but|it is)\s+(?P<v>[^,;:.!?]+)$", lambda m: Reading(slot="", value=m["v"], change=True, retires=m["old"])),
    (r"^not\s+(?P<old>[^,;:.!?]+?),?\s+but\s+(?P<v>[^,;:.!?]+)$", lambda m: Reading(slot="", value=m["v"], change=True, retires=m["old"])),
    (r"^(?:it|that)\s+is\s+(?P<v>[^,;:.!?]+?),\s+not\s+(?P<old>[^,;:.!?]+)$", lambda m: Reading(slot="", value=m["v"], change=True, retires=m["old"])),
    # having and parting
    (_I + r"(?:sold|gave away|given away|got rid of|scrapped|donated|lost|returned|traded in|rehomed|parted with)\s+(?:my|our|the|that)\s+(?P<v>[^,;:.!?]+?)(?:\s+(?:to|for|on|at|in)\s.*)?$", makers.parted),
    (_I + r"(?:gave|given|threw|thrown)\s+(?:my|our|the|that)\s+(?P<v>[\w' -]+?)\s+away$", makers.parted),
    (r"^(?:my|our|the)\s+(?P<v>[\w' -]+?)\s+(?:is|was|has been|got)\s+(?:sold|scrapped|given away|donated|stolen|rehomed|gone|history|no more)$", makers.parted),
    (r"^(?:my|our)\s+(?P<v>[\w' -]+?)\s+(?:died|passed away)$", makers.parted),
    (r"^(?P<v>(?-i:[A-Z])[\w-]+)\s+(?:died|passed away)(?:\s+(?:on|in|last|this)\s.*)?$", lambda m: Reading(slot="", value="", change=True, retires=m["v"], known=False)),
    (r"^(?:i|we)\s+(?:have|has|own|owns|got|have got|adopted|bought|keep)\s+(?:an?|the|one|two|three|four|\d+)\s+(?:new\s+)?(?P<v>(?:[\w-]+\s+){0,3}?[\w-]+)\s+(?:called|named|whose name is)\s+(?P<name>[^,;:.!?]+)$", makers.has),
    (rf"^(?:i|we)\s+(?:have|has|have got|adopted|got|bought)\s+(?:an?|one|two|three|four|\d+)\s+(?P<v>(?:[\w-]+\s+){{0,3}}(?:{vocabulary.THINGS})s?)$", makers.has),
    (r"^(?:i|we)\s+(?:own|owns)\s+(?:an?|one|two|three|four|\d+|some)?\s*(?P<v>[^,;:.!?]+)$", makers.has),
    (r"^(?:i|we)\s+drives?\s+(?:an?|the|my|our)\s+(?P<v>[^,;:.!?]+)$", makers.keyed("car")),
    (rf"^(?:i|we)\s+(?:have|own|bought|got|have got|have bought|ordered)\s+(?:an?|the)\s+(?:new\s+)?(?P<v>(?:[\w-]+\s+){{0,2}}?(?:{vocabulary.CAR_MAKES})\b[^,;:.!?]*)$", makers.keyed("car")),
    (r"^(?:i|we)\s+(?:have|have got)\s+(?:twin|\w+)\s+(?P<n>boys|girls|sons|daughters|children|kids|brothers|sisters|dogs|cats)[,:]?\s+(?:called\s+|named\s+)?(?P<v>(?-i:[A-Z])[\w, ]+)$", lambda m: Reading(slot=f"{words(m['n'])}.name", value=m["v"])),
    (rf"^(?:i|we)\s+(?:have|has|have got)\s+(?P<v>(?:no|an?|one|two|three|four|five|six|\d+)\s+(?:\w+\s+)?(?:{vocabulary.RELATIONS}|children|kids|sons|daughters|brothers|sisters)s?)$", lambda m: Reading(slot=f"family:{head(m['v'])}", value=m["v"])),
    # dates
    (r"^(?:my|our|the)\s+(?P<n>[\w' -]+?)\s+(?:has\s+|have\s+)?(?:been\s+|was\s+|is\s+)?(?:moved|postponed|pushed|rescheduled|delayed|shifted|brought forward|slipped)(?:\s+back|\s+forward)?(?:\s+from\s+(?P<old>[^,;:.!?]+?))?\s+(?:to|until|till)\s+(?P<v>[^,;:.!?]+)$", makers.dated),
    (r"^(?:i|we)\s+(?:have\s+|had\s+to\s+|have\s+to\s+|must\s+)?(?:postponed?|pushed?|rescheduled?|delay(?:ed)?|shift(?:ed)?|moved?)\s+(?:my|our|the)\s+(?P<n>[\w' -]+?)(?:\s+back|\s+forward)?(?:\s+from\s+(?P<old>[^,;:.!?]+?))?\s+(?:to|until|till)\s+(?P<v>[^,;!?]+)$",
     lambda m: makers.dated(m) if vocabulary.DAYS.search(m["v"]) or vocabulary.CLOCK.match(m["v"]) else None),
    (r"^(?:(?:my|our|the)\s+)?(?:[\w-]+'s\s+)?(?P<n>(?!it\b|that\b|this\b|there\b|he\b|she\b|what\b|dinner\b|lunch\b|i\b|we\b|you\b)[\w-]+(?: [\w-]+)?)\s+(?:is|starts|begins)\s+(?:always\s+)?(?:at\s+)(?P<v>\d{1,2}(?:[:.]\d\d)?\s?(?:am|pm|o'clock)?)$", makers.dated),
    (r"^(?:my|our|the)\s+(?:deadline|due date|cut-?off)\s+(?:for|of|on)\s+(?P<n>[\w' -]+?)\s+is\s+(?:on\s+|now\s+)?(?P<v>[^,;:.!?]+)$", makers.dated),
    (r"^(?:my|our|the)\s+(?P<n>[\w' -]*?(?:deadline|due date|cut-?off|launch|release|flight|exam|interview|appointment|wedding|meeting|demo|trip|move|delivery|lease|contract|conference|presentation|surgery|review)(?:\s+(?:to|in|with|for)\s+[\w' -]+?)?)\s+(?:is|are|ends?|starts?|begins?|expires?|leaves?|takes place)\s+(?:due\s+)?(?P<v>(?:on |at |in |by |this |next |until |tomorrow|today|\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|november|december).*)$", makers.dated),
    (r"^(?:my|our|the)\s+(?P<n>[\w' -]+?)\s+(?:is|are)\s+due\s+(?P<v>.+)$", makers.dated),
    (r"^(?:my|our)\s+(?P<n>[\w' -]+?)\s+(?:is|are|ends?|starts?|begins?|expires?|leaves?|closes?|opens?|arrives?|takes place|runs out|comes? (?:off|out|back|home)|goes? (?:in|back|live|out)|gets? (?:back|in)|finish(?:es)?|returns?|leaves?|lands?|flies)\s+(?P<v>(?:on|at|in|by|this|next|until|tomorrow)\b.*|tomorrow.*)$",
     lambda m: makers.dated(m) if vocabulary.DAYS.search(m["v"]) and not re.search(r"\bbirthday$", m["n"], re.I) else None),
    (r"^(?:my|our|the)\s+(?P<n>[\w' -]+?)\s+(?:is|are)\s+(?:scheduled|planned|set|expected|booked|due)\s+(?:for|on|in)\s+(?P<v>.+)$", makers.dated),
    # anything of mine
    (rf"^(?:(?:i|we)\s+(?:have|have got)\s+an?\s+|(?:my|our)\s+)?new\s+(?P<n>(?:[\w-]+\s+)?(?:{_LABELS}))\s*(?:is|:|,)?\s*(?P<v>(?=\S*[\d@(+-])\S.*)$",
     lambda m: match(f"my {m['n']} has changed to {m['v']}", depth=1)),
    (_I + r"(?:got|bought|ordered|have)\s+(?:an?|our|my)\s+new\s+(?P<n>[\w-]+),\s+(?:an?|the|it is an?)\s+(?P<v>[^,;:.!?]+)$", lambda m: match(f"my {m['n']} has changed to a {m['v']}", depth=1)),
    (r"^(?:i|we)\s+(?P<n>[a-z]+(?:\s+(?:up|out|off|down|work|home|(?:the|my|our) \w+|[a-z]+))?)\s+(?:at|on|from|every)\s+(?P<v>(?:\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day|noon|midnight)[^,;!?]*?)(?:\s+(?:every|each|in the)\s+\w+)?(?:\s+(?:instead of|rather than)\s+(?P<old>[^,;:.!?]+))?$", makers.does),
    (_I + r"(?:eats?|drinks?)\s+(?P<v>(?!too\b|a lot\b|out\b|well\b|less\b|more\b)[\w-]+(?:\s[\w-]+)?)$", lambda m: Reading(slot=f"diet:{words(m['v'])}", value=m["v"], known=False)),
    (r"^(?P<v>[^,;:.!?]+?)\s+is\s+(?P<det>my|our)\s+(?P<became>new\s+|current\s+)?(?P<n>[\w' /-]+)$", lambda m: _inverted(m)),
    (rf"^(?:my|our)\s+(?P<n>(?:{vocabulary.RELATIONS}|{vocabulary.ANIMALS}))(?:'s)?\s+(?:name\s+)?is\s+(?:called|named)\s+(?P<v>[^,;:.!?]+)$", makers.named),
    (rf"^(?:my|our)\s+(?P<n>(?:[\w-]+\s+)?(?:{vocabulary.RELATIONS}|{vocabulary.ANIMALS}))'s\s+name\s+is\s+(?P<v>[^,;:.!?]+)$", makers.named),
    (r"^(?:my|our|the)\s+(?P<n>[\w' -]+?)\s+(?:is|are)\s+(?:called|named)\s+(?P<v>[^,;:.!?]+)$", makers.named),
    (r"^(?:my|our)\s+(?P<n>[\w-]+(?: [\w-]+)?),\s+(?P<v>(?-i:[A-Z])[\w-]+),\s+\w+.*$", makers.named),
    (rf"^(?P<n>{vocabulary.ANIMALS})\s+is\s+(?:called|named)\s+(?P<v>[^,;:.!?]+)$", makers.named),
    (rf"^(?:my|our)\s+(?P<n>{vocabulary.ANIMALS}|wife|husband|partner|boss|manager|brother|sister|son|daughter|assistant|doctor|dentist|teacher|coach)\s+is\s+(?P<v>(?-i:[A-Z])[\w-]+(?:\s(?-i:[A-Z])[\w-]+)?)$", makers.named),
    (r"^the\s+(?P<became>new\s+|current\s+)?(?P<n>(?:team |project |tech )?(?:lead|leader|manager|boss|owner)|landlord|contact|supervisor|director|coach)\s+is\s+(?P<v>(?-i:[A-Z])[\w-]+(?:\s(?-i:[A-Z])[\w-]+)?)$",
     lambda m: Reading(slot=f"{words(m['n'])}.name", value=m["v"], own=False, change=m["became"] is not None)),
    (rf"^(?:my|our)\s+(?:new|current)\s+(?P<n>{vocabulary.RELATIONS})\s+is\s+(?P<v>(?-i:[A-Z])[\w-]+(?:\s(?-i:[A-Z])[\w-]+)?)$", lambda m: replace(makers.named(m) or Reading(slot="", value=""), change=True)),
    (r"^(?P<det>my|our|the)\s+(?P<n>[\w' /-]+?)\s+(?:is|are|sits|lives|stands)\s+(?:in|at|on|under|behind|inside|next to|by)\s+(?P<v>[^,;:!?]+)$", makers.placed),
    (r"^(?P<det>my|our|the)\s+(?P<n>[\w' /-]+?)\s+(?P<became>(?:has (?:been )?|was )?(?:changed|switched|renamed|raised|increased|lowered|reduced|cut|bumped) to|(?:has )?(?:went|gone) (?:up|down) to|rose to|fell to|dropped to|grew to|became|has become)\s+(?P<v>.+)$", _attribute),
    (r"^(?P<det>my|our|the)\s+(?P<became>new\s+)?(?P<n>[\w' /-]+?)\s+(?:is|are|equals)\s+(?:set to\s+)?(?P<v>.+)$", _attribute),
)  # fmt: skip
"""The first that fits counts."""
