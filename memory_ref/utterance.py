"""A user's message cut into clauses, each with the mood it is said in. Only what is asserted can become memory.

Left out before anything is read: fenced code, quoted lines, blocks that look like recalled memory or markup, text behind
"translate this:", and quoted speech. English rules; `languages` tells what they cannot read.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from memgauge.memory_ref import cues
from memgauge.memory_ref.languages import is_english

Mood = Literal["asserted", "question", "hypothetical", "tentative", "joke", "reported", "request", "refuted"]

_FENCED = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.S)
_BLOCK = re.compile(
    r"<(?P<tag>[A-Za-z][\w:-]*)[^<>]*>.*?(?:</(?P=tag)\s*>|\Z)|^\s*\[(?:memory|context|system|recalled)[^\]\n]*\].*?(?:^\s*\[/[^\]\n]*\]|\Z)",
    re.S | re.I | re.M,
)
_FENCE_LINE = re.compile(
    r"^\s*(?:[-=#<>*_~]{3,}|>{1,2}\s|\|).*$|^\s*\{\s*\".*\}\s*$|^\s*(?:user|assistant|system|tool|human|ai|bot)\s*:.*$", re.M | re.I
)
_MARKED_BLOCK = re.compile(
    r"^[^\w\n]*(?:begin|start)[ -](?:of )?\w*[ -]?(?:memory|memories|context|notes).*?(?:^[^\w\n]*end[ -].*?$|\Z)", re.S | re.I | re.M
)
_MATERIAL = re.compile(
    r"\b(?:translate|summari[sz]e|proofread|rewrite|rephrase|paraphrase|correct|edit|shorten|review|analy[sz]e|classify|improve|fix|polish|explain|answer|reply to|respond to|"
    r"here(?:'s| is| are)|this is (?:the|an?|what|my)|the (?:text|email|article|document|message|letter|poem|lyrics|story|log|output|transcript)|(?:wrote|writes|says|said|reads|asked|replied|sang)|"
    r"(?:songs?|chorus|verse|rhyme|joke|saying|proverb|quote) (?:goes|went|is|begins)|(?:dummy|sample|test|placeholder|example|fake|made-up|mock) (?:data|sentences?|text|input|profile|message|user|values?|phrases?|persona)|"
    r"(?:sentences?|phrases?|examples?|captions?|headlines?|dialogues?|prompts?) (?:for|about|in|of)\b|"
    r"(?:draft|write|compose|post|tweet|type|enter|dictate|repeat|recite|pronounce|spell|sing)\s+(?:me\s+)?(?:an?|the|this|my|our)\b)\b"
    r"[^.!?\n:]{0,60}:(?=\s)",
    re.I,
)
_QUOTED = re.compile(r"\"[^\"\n]{2,400}\"|«[^»\n]{2,400}»|„[^“\"\n]{2,400}[“\"]|(?<!\w)'[^'\n]{12,400}'(?!\w)")
_CLAUSE_IN_QUOTES = re.compile(r"\b(?:i|i'm|we|my|our|you|is|are|was|has|have|do|don't|never|always|remember)\b|\s\S+\s\S+\s", re.I)
_SENTENCE = re.compile(
    r"(?<![A-Z]\.)(?<!\b(?:Mr|Ms|Dr|St|vs|No|Jr|Sr)\.)(?<!\b(?:Mrs|e\.g|i\.e|etc)\.)(?<!\bProf\.)(?<=[.!?…])[\"')\]]*\s+|(?<=[。！？؟।])|\n+"
)
_BARE_VERB = "live|work|moved|own|have|prefer|use|speak|drive|like|love|hate|study|keep|sold|bought|joined|started|left|quit|switched|became|adopted"
_BARE = re.compile(rf"(?:now\s+)?(?:{_BARE_VERB})\b", re.I)
_SUBJECT = re.compile(
    r"(?:(?:and|but|so|well|ok|hi|hello|actually|also|now|please|remember|that|note|for|the|record|by|way|btw|yes|no)\W+)*(?P<who>i|we)\b", re.I
)
_JOIN = re.compile(
    r"\s*;\s+|\s+[-–—]+\s+|,?\s+(?:but|so|though|although|whereas|while)\s+(?=(?:(?:now|today|currently|then)\s+)?(?:i|we|my|our|it|the|that)\b)"
    r"|,?\s+and\s+(?=(?:(?:now|today|currently|then)\s+)?(?:i|we|i'm|i've|we're|we've|my|our|the|it's|please|never|always|don't)\b)"
    r"|,\s+(?=(?:(?:now|today|currently|then|these days|since then)\s+)?(?:i|we|i'm|i've|i'd|we're|we've|my|our)\s+\w+)|,\s+(?=(?:please )?(?:remember|note|keep (?:in mind|a note|this|that|it)|bear)\b)"
    r"|,\s+(?:so |and |but )?(?=(?:what|where|which|who|when|how|why|can|could|do|does|should|would|will|any (?:ideas?|tips?|suggestions?))\b)"
    rf"|,?\s+and\s+(?=(?:now\s+)?(?:{_BARE_VERB})\b)"
    r"|,\s+(?=(?:please |just )*call me\b)"
    r"|,?\s+(?=(?:no,? wait|wait,? no|i mean|i meant|or rather|make (?:that|it))\b,?\s)",
    re.I,
)
_QUESTION = re.compile(
    r"^(?:and |so |but |ok,? |hey,? )?(?:(?:who|whom|whose|what|which|where|when|why|how)(?:'s|'re)?\s|"
    r"(?:is|are|am|was|were|do|does|did|can|could|will|would|should|shall|may|has|have|had|(?:is|are|do|does|did|ca|wo|would|should|could|has|have|was|were)n't)\s+"
    r"(?:i|you|we|he|she|it|they|this|that|there|these|those|my|our|your|his|her|their|the|an?|any|all|some|anyone|(?-i:[A-Z]\w+))\b)",
    re.I,
)
_TAG = re.compile(
    r",?\s(?:right|correct|no|yes|true|ok|okay|huh|eh|or not|isn't (?:it|that)|aren't (?:i|we|you)|don't (?:i|we|you)|do (?:i|we)|am i|wasn't it|didn't (?:i|we|you))\s*[?？]$",
    re.I,
)
_IMPERATIVE_ASK = re.compile(
    r"^(?:(?:and|so|then|now|also|ok|okay|hey|hi|thanks),? )*(?:please |kindly |just )*(?:(?:can|could|would|will) (?:you|we)|let's|let us|help|tell|show|give|make|write|draft|create|find|search|look|suggest|recommend|"
    r"book|order|send|plan|list|explain|describe|summari[sz]e|translate|check|fix|add|remove|change|update|convert|compare|calculate|generate|design|build|run|open|read|think|consider|try|set|schedule|"
    r"print|provide|answer|pick|choose|compose|rewrite|prepare|get|put|turn|start|stop|go|come|wait(?!,? (?:no|wrong)\b)|continue|guess)\b(?!\s*:|\s+#?\d|(?<=order|.plan|.book|.list) (?:for|of|from) )",
    re.I,
)
_REPORTED = re.compile(
    r"^(?i:(?:and|but|so|also|well|ok)[, ]+)*(?:(?i:according to|as (?:he|she|they|my \w+|the \w+) (?:says?|said|put))\b|"
    r"(?:(?i:he|she|they|someone|somebody|everyone|people|it says|the \w+(?: \w+)?|(?:my|our|his|her|their) \w+(?: \w+)?)|[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)\s+"
    r"(?:\w+ly\s+|just\s+|also\s+|always\s+|once\s+)?(?:says?|said|tells?|told|thinks?|thought|claims?|claimed|believes?|believed|insists?|insisted|wrote|writes|asked|asks|"
    r"mentioned|mentions|dreamt|dreamed|reckons?|suggested|suggests|heard|replied|keeps? saying|texted|emailed|recommends?|recommended|announced|announces|swears?|swore)\b)"
)
_IF = re.compile(
    r"^(?:even )?(?:if|unless|whether|in case|provided|had i|were i|when i(?:'m| am)? (?:grow|retire|become|win))\b|,?\s+if (?:i|we|you|it|the|my)\b",
    re.I,
)
_TENTATIVE = re.compile(
    r"\b(?:i|we|it|my \w+)\s*(?:might|may|could|would|should|'d|wish|hope|dream|wonder|guess|doubt|bet|think|suspect)\b(?! (?:rather|prefer))|\b(?:am|'m|are|'re|was|were|been)\s+(?:thinking|considering|wondering|toying|dreaming|tempted|not sure|unsure|planning to maybe)\b"
    r"|^(?:maybe|perhaps|possibly|probably|ideally|in theory|theoretically|one day|some day|someday|hopefully)\b|\bnot sure\b|\bas if\b|\blet's (?:say|pretend|assume|imagine)\b",
    re.I,
)


_IF_ELSEWHERE = re.compile(
    r"\W*(?:(?:wenn|falls|angenommen|si|s'|se|caso|als ik|stel dat|om jag|gdyby|jeśli|eğer|если|если бы|αν|لو|إذا|अगर)(?![^\W\d_])|もし|もしも|仮に|如果|要是|假如|만약|ถ้า)",
    re.I,
)
"""Words that open a condition in other languages (closed class; grammars s.v. conditional)."""
_MARKED_JEST = re.compile(r"(?:^|\s)/s\W*$|[(\[*<]\s*/?\s*(?:sarcasm|sarcastic|irony|ironic|joke|joking)\b", re.I)
"""Marks by which a writer says that he jests."""
_TELLS = re.compile(
    r"(?:(?:and|so|then|now|also|ok|okay|please)[, ]+)*(?:let's (?:go with|settle on|stick with)\b|make that\b|(?:add|put|remove|take) .{2,60}? (?:to|on|onto|from|off) (?:the|my|our) [\w ]*list\b)",
    re.I,
)
"""Orders that tell something lasting: what was chosen, what is on a list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """`text` is the user's own words, `span` their characters in the message, `sentence` a counter over the message.
    `subject` is "I" or "we" where the clause leaves it out ("… and work at X")."""

    text: str
    span: tuple[int, int]
    sentence: int
    mood: Mood
    english: bool = True
    subject: str = ""

    @property
    def whole(self) -> str:
        """The clause as a sentence of its own."""
        return f"{self.subject} {self.text}" if self.subject else self.text


def clauses(message: str) -> tuple[Clause, ...]:
    """The clauses of a message in order. Characters of what was left out are blanked, so spans stay those of the message."""
    text = _blank_material(_blank(cues.fold(message)))
    result: list[Clause] = []
    supposing = False
    for number, (first, past) in enumerate(_sentences(text)):
        sentence = text[first:past]
        asks = sentence.rstrip().endswith(("?", "？", "؟"))
        opens = _opens_supposition(sentence)
        supposing = opens or (supposing and not _starts("real", sentence))
        english = is_english(sentence) and not cues.pattern("intent-other").search(sentence)
        subject, told = "", False
        parts = list(_clauses(text, first, past))
        whole = asks and (_TAG.search(sentence) is not None or (bool(parts) and _QUESTION.match(text[parts[0][0] : parts[0][1]]) is not None))
        for start, end in parts:
            clause = text[start:end]
            who = _SUBJECT.match(clause)
            subject = who["who"].upper().replace("WE", "We") if who else subject
            left_out = subject if not who and _BARE.match(clause) else ""
            mood: Mood = (
                "hypothetical"
                if supposing
                else "reported"
                if told
                else _mood(clause, sentence, asks=whole or (asks and end == parts[-1][1]), english=english)
            )
            told = mood == "reported"  # "my boss said X and my desk …": the rest of the sentence may be his words too
            result.append(Clause(text=message[start:end], span=(start, end), sentence=number, mood=mood, english=english, subject=left_out))
        supposing = supposing and not asks  # "what if …?" supposes no further than its question
    return _after_repair(tuple(result))


def only_asks(message: str) -> bool:
    """Whether a message is nothing but questions, by its marks alone: such a one tells nothing. Fast, for every message that is stored."""
    return _ONLY_QUESTIONS.fullmatch(message) is not None


@functools.lru_cache(maxsize=4096)
def plainly_said(message: str) -> bool:
    """Whether recall may quote a message: every clause is asserted, one at least, and nothing was quoted, pasted or fenced."""
    found = clauses(message)
    if not any(clause.mood == "asserted" for clause in found) or any(clause.mood not in ("asserted", "question", "request") for clause in found):
        return False
    edges = [0, *itertools.chain.from_iterable(clause.span for clause in found), len(message)]
    return all(len(re.findall(r"\w+", message[first:past])) <= _CONNECTIVES for first, past in zip(edges[::2], edges[1::2], strict=True))


_ONLY_QUESTIONS = re.compile(r"(?:[^.!?。！？؟\n]+[?？؟][\"')\]»”\s]*)+")
_CONNECTIVES = 2
"""Words between two clauses that may be left out of both ("and", "by the way"); more than that was quoted, pasted or fenced."""


def _blank(text: str) -> str:
    for region in (_FENCED, _MARKED_BLOCK, _BLOCK, _FENCE_LINE):
        text = region.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
    return _QUOTED.sub(
        lambda m: " " * len(m.group()) if _CLAUSE_IN_QUOTES.search(m.group()[1:-1]) and not _after_intent(text, m.start()) else m.group(), text
    )


def _after_intent(text: str, at: int) -> bool:
    return cues.pattern("intent").search(text[max(0, at - 40) : at]) is not None and not re.search(
        r"\bsa(?:y|ys|id)\b|\bwrote\b", text[max(0, at - 40) : at]
    )


def _blank_material(text: str) -> str:
    """What follows "translate this:" or "here is the letter:" is somebody's text, not the user's word about himself."""
    for found in _MATERIAL.finditer(text):
        if not cues.pattern("intent").search(found.group()):
            return text[: found.end()] + re.sub(r"[^\n]", " ", text[found.end() :])
    return text


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    first = 0
    for gap in _SENTENCE.finditer(text):
        yield from _trimmed(text, first, gap.start())
        first = gap.end()
    yield from _trimmed(text, first, len(text))


def _clauses(text: str, first: int, past: int) -> Iterator[tuple[int, int]]:
    start = first
    if formula := _TAKEN_BACK.match(text, first, past):
        yield first, formula.end("what")
        start = formula.end()
    for gap in _JOIN.finditer(text, start, past):
        opener = text[start : gap.start()]
        if (
            gap.group().startswith(";") or len(opener.split()) > 2 or _SUBJECT.match(opener) or cues.pattern("refute").match(opener.strip())
        ) and not cues.pattern("intent").fullmatch(opener.strip()):  # "Actually, I ...", "From now on, I ..." stay whole
            yield from _trimmed(text, start, gap.start())
            start = gap.end()
    yield from _trimmed(text, start, past)


_TAKEN_BACK = re.compile(
    rf"(?P<what>(?:(?:no|wait|oh|ah|hmm|well|actually|sorry|ok|okay)\W+)*(?:{cues.pattern('refute').pattern}))\s*[,:;–—-]+\s*(?=\S+\s+\S+\s+\S)", re.I
)
"""The formula that takes something back, where the right thing follows it in the same sentence."""


def _trimmed(text: str, first: int, past: int) -> Iterator[tuple[int, int]]:
    part = text[first:past]
    left = len(part) - len(part.lstrip(" \t\r\n,;-–—*•"))
    if part.strip(" \t\r\n,;-–—*•.!?"):
        yield first + left, first + len(part.rstrip())


def _starts(group: str, sentence: str) -> bool:
    found = cues.pattern(group).search(sentence)
    return found is not None and not re.search(r"\w", sentence[: found.start()])


def _opens_supposition(sentence: str) -> bool:
    if _FICTION.match(sentence):
        return True
    found = cues.pattern("hypothetical").search(sentence)
    return found is not None and len(re.findall(r"\w+", sentence[: found.start()])) <= 3


_FICTION = re.compile(
    r"(?:(?:so|ok|okay|and|now)[, ]+)*(?:in|for|within) (?:the|this|my|our|a|an|that) (?:\w+ )?(?:story|game|novel|book|film|movie|dream|play|script|scene|exercise|scenario|campaign|simulation|quiz|poem|song|example)\b"
    r"|(?:(?:let's|let us|please|can you|could you|now|you)[, ]+)*(?:play|act|be|pose)(?: as| like)? (?:the|an?|my) (?!(?:bit|little|reminder|lot)\b)\w+"
    r"|(?:(?:last night|once|again|recently)[, ]+)*(?:i|we) (?:had a (?:strange |weird |bad |nice |funny )?dream|dreamt|dreamed)\b"
    r"|(?:my|our|the) (?:\w+ )?(?:character|avatar|protagonist|hero|heroine|villain|persona)\b(?! (?:traits?|flaws?|strengths?|references?|limits?|sets?|counts?|encodings?)\b)"
    r"|(?:for (?:example|instance)\W+)?(?:say|take|let's say|if) (?:that )?(?:i|we|my|our)\b",
    re.I,
)


def _mood(clause: str, sentence: str, *, asks: bool, english: bool) -> Mood:
    if cues.pattern("joke").search(sentence) or _MARKED_JEST.search(sentence):
        return "joke"
    if _keeps(clause) or _ASKS_TO_KEEP.match(clause):
        return "asserted"
    if asks or _QUESTION.match(clause):
        return "question"
    if _REPORTED.match(clause) or re.search(r",\s*(?:he|she|it|they|[A-Z]\w+|my \w+|the \w+) (?:says?|said|claims?|thinks?)\W*$", sentence):
        return "reported"
    if _IF.search(sentence) or (not english and _IF_ELSEWHERE.match(sentence)):
        return "hypothetical"
    if _TENTATIVE.search(clause):
        return "tentative"
    return "request" if _IMPERATIVE_ASK.match(clause) and not _TELLS.match(clause) else "asserted"


def _keeps(clause: str) -> bool:
    return re.match(rf"(?:and |but |so |also |please |just )*(?:{cues.pattern('intent').pattern})", clause, re.I) is not None


_ASKS_TO_KEEP = re.compile(
    r"(?:please )?(?:(?:can|could|would|will) you |i(?:'d| would) like you to |i (?:want|need) you to |you should |you must )(?:please )?(?:remember|note|keep in mind|bear in mind|make a note|save|memori[sz]e)\b",
    re.I,
)


def _after_repair(found: tuple[Clause, ...]) -> tuple[Clause, ...]:
    """What is taken back, or called a joke, in the same message is no longer asserted."""
    result = list(found)
    for at, clause in enumerate(found):
        folded = cues.fold(clause.text)
        if clause.mood == "joke":
            result[:at] = [_as(c, "joke") for c in result[:at]]
        elif re.match(rf"(?:no|wait|oh|ah|hmm|well|actually|sorry|ok|okay)?\W*(?:{cues.pattern('refute').pattern})", folded, re.I):
            sentence = max((c.sentence for c in result[:at] if c.mood != "question"), default=-1)
            result[:at] = [_as(c, "refuted") if c.sentence == sentence else c for c in result[:at]]
            result[at] = _as(clause, "request" if re.fullmatch(rf"(?:\w+\W+)?(?:{cues.pattern('refute').pattern})\W*", folded, re.I) else "refuted")
    return tuple(result)


def _as(clause: Clause, mood: Mood) -> Clause:
    return replace(clause, mood=mood)
