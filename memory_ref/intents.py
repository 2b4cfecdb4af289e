"""What the user wants done with a statement: keep it ("remember that …"), obey it ("never …").

English, and the plain imperatives of keeping in German, French, Spanish, Japanese, Chinese and Arabic.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memgauge.memory_ref import cues

_LEAD = r"(?:(?:and|but|so|also|ok|okay|hey|hi|oh|please|just|kindly|yes|no)[,\s]+)*"
_MANNER = r"from now on|going forward|for future reference|for the record|for next time|in (?:the )?future"
_VERB = r"remember|keep (?:a |in )?(?:mind|note)|keep in mind|bear in mind|don't forget|do not forget|never forget|take note|make a note|note|memori[sz]e|save this|store this|keep this in memory"
_ASKING = r"(?:(?:can|could|would|will) you (?:please )?|i(?:'d| would) like you to |i (?:want|need) you to |you should |you must )"
_KEEP = re.compile(
    rf"^{_LEAD}(?:{_ASKING})?(?:please )?(?P<verb>{_VERB})\b(?P<link>\s*(?:this|the following|for (?:me|later|next time))?\s*[:,–—-]\s*|\s+(?:of the fact )?that\s+|\s+|$)(?P<rest>.*)$",
    re.I | re.S,
)
_LABELLED = re.compile(
    rf"^{_LEAD}(?:(?:an?|one|quick|small|important|side|another)\s+)*(?:note(?: to self)?|things? (?:to|you should) (?:remember|note|know|keep in mind)|for your (?:memory|records?|notes))"
    r"(?: for (?:later|the future|next time|you))?\s*[:–—]\s*(?P<rest>.+)$",
    re.I | re.S,
)
_MANNER_FIRST = re.compile(rf"^{_LEAD}(?P<cue>{_MANNER})\b[\s,:–—-]*(?P<rest>.+)$", re.I | re.S)
_MANNER_LAST = re.compile(r"^(?P<rest>.+?)[\s,]+(?P<cue>from now on|going forward|for future reference|for next time)[.! ]*$", re.I | re.S)
_BACK = r"(?:that|this|it|all (?:of )?(?:that|this)|these|those|both)"
_POINTS_BACK = rf"(?:please )?(?:remember {_BACK}|remember|keep {_BACK} in mind|keep in mind|bear {_BACK} in mind|note {_BACK}|(?:make|take) a? ?note(?: of {_BACK})?|(?:don't|do not) forget(?: {_BACK})?|save {_BACK}|store {_BACK}|memori[sz]e {_BACK})(?: for (?:me|later|next time|the future))?(?:,? (?:please|ok(?:ay)?|thanks|thank you))?"
_ALONE = re.compile(rf"^{_LEAD}(?:{_ASKING})?{_POINTS_BACK}[.!? ]*$", re.I)
_BEHIND = re.compile(rf"^(?P<rest>\S+\s.+?)\s*[,;.–—-]+\s*{_LEAD}(?:{_ASKING})?{_POINTS_BACK}[.!? ]*$", re.I | re.S)
_NOT_KEEPING = re.compile(
    r"^(?:when|how|what|why|who|whether|if|me\b|the time|last (?:time|week|year)|those (?:days|times)|us\b|to (?!always|never|only|use|keep|call|answer|reply|respond|write|speak)|anything|everything|correctly|right|well|seeing|reading|hearing|being)\b|^(?:the difference|the following difference)",
    re.I,
)
_IMPERATIVE = re.compile(
    r"^(?:please |always |never |only |don't |do not |avoid |stop |use |keep |call |answer |reply |respond |write |speak |address |format |show |give |include |add |start |end |sign |send |make |be |skip |leave |put |treat |assume |prefer )",
    re.I,
)

_TASK_ONLY = re.compile(
    r"\b(?:this|that|the (?:above|following|next|first|last)) (?:answer|message|time|response|reply|text|email|e-mail|summary|paragraph|section|one|draft|list|sentence|essay|poem|story|translation|table|code)\b|\bin the (?:answer|summary|text|draft|list|poem|story)\b|\b(?:here|yet|for now|right now|today|tonight|this time)\b",
    re.I,
)
_IDIOM = re.compile(
    r"^(?:don't|do not|never) (?:worry|mind|bother|forget|remember|know|think|be|get me wrong|you|even|really|want|like|care|say never|again\b)", re.I
)
_GRAVE = r"delete|remove|erase|drop|overwrite|push|merge|deploy|release|publish|post|send|e-?mail|share|forward|upload|buy|order|book|pay|spend|sell|sign|contact|call|tell|mention|reveal|disclose|touch|change|modify|edit|rename|move|restart|shut down|commit|install|upgrade|run|execute|approve|invite|cancel|schedule|use|bring up|discuss|talk about|suggest|recommend|remind me|ask me|joke about"
_NO_ORDER = (  # what follows "always" or "never" in exclamations, advice and reports, where no order is given
    r"(?:mind|again|the|an?|been|be|had|have|was|were|saw|thought|knew|heard|felt|good|great|nice|happy|full|up|down|fun|so|too|in|on|at|for|with|there|here|enough|ever|more|less|late|easy|hard|better|worth|"
    r"give up|quit|stop|lose|look back|settle|doubt|underestimate|forget|remember|believe|try|say never|will|would|could|can)\b|[a-z]*[aeiouy][a-z]*(?:ing|[^e]ed|[^su]s)\b"
)
_RULES = (
    rf"^(?:always|never)\s+(?!{_NO_ORDER})[a-z]+",
    r"^(?:you\s+)?(?:must|should|have to|need to|are to|shall|may|can)\s*(?:always|never|not ever|not|n't|only)\s+\w+",
    r"^you (?:must|have to)(?! (?:have|be|really|feel|love|enjoy|know|think|miss|like|see|get|find|need|admit|say)\b)\s+\w+|^you (?:are not allowed to|are never to|mustn't|shouldn't ever|can't ever)\s+\w+",
    r"^(?:under no circumstances|on no account|at no time)\b",
    r"^(?:do not|don't) (?:\w.*\b)?(?:ever|unless i|unless you're told|under any circumstances|without (?:my|asking|checking|telling))\b",
    rf"^(?:do not|don't) (?:{_GRAVE})\b",
    r"^i(?:'d| would)? (?:like|want|prefer|need) you to (?:always|never)\b",
    r"^(?:whenever|every time|each time|any time) (?:i|you|we|someone|a|an|the)\b.+,\s*(?:please |always |never )?(?!i\b|we\b|you\b|it\b|the\b|my\b|he\b|she\b|they\b)[a-z]+\b",
    r"^(?:stop|avoid) using\b|^no (?:more )?[\w ]{2,40}?,? (?:please,? )?ever\b",
    r"^(?:make sure|be sure|ensure) (?:that )?(?:you |to |we )?(?:always|never)\b",
    r"^(?:no|nothing) [\w ]{2,40} without (?:asking|my|permission|approval|confirm)",
    r"^(?:[\w']+ ){1,8}?(?:without asking me|without my (?:approval|permission|consent|ok|okay)|unless i (?:say|ask|approve|confirm))",
    (r"^(?:for (?:the next|another) (?:\w+ )?\w+|until (?:\w+ ){0,3}?\w+|till \w+|this (?:week|month)|(?:as of|starting|from) (?:today|tomorrow|now|monday)),? (?:please |always |never |only )*"
        r"(?:keep|use|answer|reply|respond|write|speak|address|format|avoid|skip|limit|stick|leave|treat|assume|prefer|start|end|sign|include|do not|don't|no)\b"),
    r"^(?:always )?(?:ask|check with|consult|warn) (?:me|us) (?:first|before)\b",
    r"^i (?:never|don't|do not)(?: ever)? want (?:you|anyone|this assistant) to\b",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Keeping:
    """An explicit wish to keep. `text` is what is to be kept; empty when it points back at what was said just before."""

    text: str


def keeping(clause: str) -> Keeping | None:
    """The explicit wish of a clause, or None."""
    plain = cues.fold(clause).strip()
    if _ALONE.match(plain):
        return Keeping("")
    found = _KEEP.match(plain)
    if found:
        rest, link = _cut(clause, found), found["link"]
        bare = not re.search(r"[:,–—-]|that", link)
        if not rest or (
            bare and (_NOT_KEEPING.match(rest) or found["verb"].lower() in ("note", "take note", "make a note", "save this", "store this"))
        ):
            return None
        return Keeping(re.sub(r"^(?:please|to)\s+", "", rest, flags=re.I))
    found = _LABELLED.match(plain)
    if found:
        return Keeping(_cut(clause, found))
    found = _MANNER_FIRST.match(plain)
    if found:
        rest = re.sub(r"^please\s+", "", _cut(clause, found), flags=re.I)
        loose = found["cue"].lower().startswith("in ")
        return (
            Keeping(rest)
            if not loose or _IMPERATIVE.match(rest) or re.match(r"i(?:'d| would)? (?:prefer|like|want)\b", cues.fold(rest), re.I)
            else None
        )
    found = _BEHIND.match(plain) or _MANNER_LAST.match(plain)
    return Keeping(_cut(clause, found)) if found else None


def keeping_elsewhere(clause: str) -> Keeping | None:
    """The same in another language: what stands beside the cue is kept as it is."""
    found = cues.pattern("intent-other").search(cues.fold(clause))
    if found is None:
        return None
    rest = (clause[: found.start()] + clause[found.end() :]).strip(" \t,;:.!。、，：！-–—")
    rest = re.sub(r"^(?:ください|下さい|请|請)[\s:：,、]*", "", rest)
    rest = re.sub(r"^(?:(?:dass|que|daß|bitte|por favor|s'il te plaît)\b[\s:,]*)+", "", rest, flags=re.I)
    return Keeping(rest) if len(rest) >= 3 else Keeping("")


def is_rule(clause: str) -> bool:
    """Whether the clause forbids or obliges the assistant beyond the task at hand."""
    plain = re.sub(rf"^{_LEAD}", "", cues.fold(clause).strip(), flags=re.I)
    if _IDIOM.match(plain) or _TASK_ONLY.search(plain):
        return False
    return any(cues.compiled(pattern).match(plain) for pattern in _RULES)


def is_imperative(text: str) -> bool:
    """Whether a kept text tells the assistant how to act, so that it is procedural."""
    return _IMPERATIVE.match(cues.fold(text)) is not None or is_rule(text)


def _cut(clause: str, found: re.Match[str]) -> str:
    """The part of the clause as the user wrote it: folding kept every character's place."""
    offset = len(clause) - len(clause.lstrip())
    first, past = found.span("rest")
    return clause[offset + first : offset + past].strip(" \t\n,;:.!?–—-\"'“”‘’") if past > first else ""
