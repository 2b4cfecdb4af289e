"""Secrets and keys in text: named key formats (detect-secrets), random-looking tokens (entropy), and passwords told in prose.

detect-secrets keeps its settings in process-wide state and its line scanner flags every word of plain prose as high entropy. So
only the regular expressions of its named-key detectors are used, on instances of our own: no global settings, hence no locks.
Its import costs 0.2 s, so it waits for the first text with a token that could be a key.

The code of a gate, door or locker, a booking or a project is no credential of an account: people ask an assistant to keep just
those, so they are kept. A bare "the code is 4417" is taken for a PIN.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from memgauge.memory_ref import cues
from memgauge.memory_ref.found import Found

_DETECTORS = {
    "artifactory": "ArtifactoryDetector", "aws": "AWSKeyDetector", "azure_storage_key": "AzureStorageKeyDetector", "basic_auth": "BasicAuthDetector",
    "cloudant": "CloudantDetector", "discord": "DiscordBotTokenDetector", "github_token": "GitHubTokenDetector", "gitlab_token": "GitLabTokenDetector",
    "ibm_cloud_iam": "IbmCloudIamDetector", "jwt": "JwtTokenDetector", "mailchimp": "MailchimpDetector", "npm": "NpmDetector", "openai": "OpenAIDetector",
    "pypi_token": "PypiTokenDetector", "sendgrid": "SendGridDetector", "slack": "SlackDetector", "softlayer": "SoftlayerDetector",
    "square_oauth": "SquareOAuthDetector", "stripe": "StripeDetector", "telegram_token": "TelegramBotTokenDetector", "twilio": "TwilioKeyDetector",
}  # fmt: skip

_LONG = re.compile(r"\S{16}|://")
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\Z)", re.S)
_PREFIXED = re.compile(r"\b(?:sk|pk|rk|hf|ghp|github_pat|glpat|npm|whsec|shpat|dop_v1|xapp|ya29|AIza)[-_.]?(?=[\w-]*\d)[A-Za-z0-9_-]{16,}")
_ASSIGNED = re.compile(
    r"\b\w*(?:api_?key|secret|token|passw(?:or)?d|pwd|access_?key)\w*[\"']?\s*(?:=|:=|=>|:)\s*[\"']?(?P<value>[^\s\"',;]{6,})", re.I
)
_TOKEN = re.compile(r"[A-Za-z0-9+/=_~-]{16,}")
_HARMLESS = re.compile(  # UUIDs, instants and dated names, hexadecimal digests
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|\d{4}-\d\d-\d\d[T_-].*|[0-9a-f]{16,128}", re.I
)
_KEY_CUE = re.compile(r"(?:\b|_)(?:key|token|secret|credential|bearer|password|auth\w*)\b", re.I)

_NOUN = (
    r"pass ?words?|pass ?phrases?|pass ?codes?|passwd|pwd|pw|pin(?: code| number)?s?|cvv2?|cvc2?|otp|one[- ]time (?:code|password)"
    r"|(?:access|alarm|security|unlock|login|backup|recovery|verification|2fa|mfa) codes?"
    r"|(?:seed|recovery|secret) phrase|mnemonic|api[-_ ]?(?:key|token)s?|(?:access|secret|private|license|encryption|master)[-_ ]?keys?"
    r"|(?:access|auth|bearer|session|client|refresh|secret)[-_ ]?(?:token|secret)s?"
    r"|(?<!boarding )(?<!bus )(?<!train )(?<!ski )(?<!season )(?<!day )pass(?=(?:\s+is|\s*[:=])\s*[`\"'“]?(?=\S*[A-Za-z])(?=\S*[\d&!#$%*@])\S{6,})"
    r"|tokens?|credentials?|creds|(?:(?<=the )|(?<=my )|(?<=our )|(?<=mon )|(?<=mein )|(?<=der ))code"
    r"|passwort|kennwort|mot de passe|contraseña|clave|senha|wachtwoord|lösenord|hasło|parola|şifre|salasana"
)
_FILL = r"(?:\s*\([^()\n]{1,30}\))?(?:\s+(?:for|to|of|on|at|in|from|f[üu]rs?|zum|zur|vom|du|de|des|pour|para|del|della|dello|delle|dei|di|do|da|voor|van)\s+[^.;:=,\n]{1,40}?)?"
_ADVERB = r"(?:\s+(?:now|still|just|currently|actually|simply|always|again|probably|something like))?"
_LINK = rf"(?:\s*(?:=|:|->|=>|—)\s*|(?:'s|’s|\s+(?:is|are|was|will be|would be|equals|set to|(?:got|has been|was) (?:changed|reset|set) to|is set to|has been changed to|was changed to|changed to|being|ist|lautet|est|es|é|è|är|jest|on|is nu)){_ADVERB}\s*:?\s+)"
_VALUE = r"(?P<quote>[`\"'“‘«])(?P<quoted>[^`\"'”’»\n]{3,80})[`\"'”’»]|(?P<bare>[^\s,;`\"“”‘’«»]{3,})"
_TOLD = rf"\b(?P<noun>{_NOUN})\b{_FILL}{_LINK}(?:{_VALUE})"
_PUT = rf"\b(?:changed?|set|reset|updated?|rotated?|switched)\s+(?:the|my|our|your|its|that)?\s*(?:[\w-]+\s+){{0,3}}?(?P<noun>{_NOUN}){_FILL}\s+(?:to|as)\s+(?:{_VALUE})"
_AS = rf"\b(?:use|type|enter|try|with)\s+(?:{_VALUE})\s+as\s+(?:the|my|our|your|a)\s+(?:[\w-]+\s+){{0,2}}?(?P<noun>{_NOUN})\b"
_TURNED = rf"(?:^|[\s,;])(?:{_VALUE})\s+(?:is|was)\s+(?:the|my|our|his|her|their)\s+(?:[\w-]+\s+){{0,3}}?(?P<noun>pass ?words?|pass ?codes?|pin(?: code| number)?|passphrase)\b"
_NEXT = rf"\b(?P<noun>pass ?word|pass ?code|passwd|pwd|pw|pin(?: code| number)?|passphrase|token|key)\s+(?:{_VALUE})"
_PAIR = r"\b(?:credentials?|creds|log ?in(?: details)?|sign[- ]?in|user(?:name)? and password)\b[^.;\n]{0,30}?(?:\s|:)(?P<bare>[\w.@+-]{2,}\s?[/:]\s?(?=\S*[\d\W])[^\s/,;]{5,})"
_PHRASE = (
    r"\b(?P<noun>pass ?phrase|(?:seed|recovery|secret) phrase|mnemonic)\b" + _FILL + _LINK + r"[`\"'“]?(?P<bare>[A-Za-z]+(?:[ -][A-Za-z]+){2,24})"
)
_OTHER = (  # languages that put the words another way round or write no spaces
    r"(?:密码|密碼|口令)(?:是|为|為|：|:)\s*(?P<a>[^\s，。,；]{3,})|パスワードは\s*(?P<b>[^\s、。]+?)(?:です|だ|、|。|\s|$)|비밀번호는\s*(?P<c>\S+?)(?:입니다|이에요|야|\.|\s|$)"
    r"|парол[ья][^\n.]{0,20}?(?:[:—-]|это)\s*(?P<d>\S{3,})|كلمة (?:المرور|السر)(?: هي)?\s*:?\s*(?P<e>\S{3,})|पासवर्ड\s+(?P<f>\S{3,})\s+है"
)
_SPELT = re.compile(r"(?:(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)[\s-]*){3,8}", re.I)
_PIN_SPELT = r"\bpin(?: code| number)?\b" + _FILL + _LINK + rf"(?P<bare>{_SPELT.pattern})"
_WORDS = re.compile(
    r"pass|pin\b|pwd|\bpw\b|cod|cvv|cvc|otp|phrase|mnemonic|key|token|secret|cred|log ?in|sign|wort|clave|contra|senha|wacht|lösen|has[lł]o|parol|şifre|sala|密|口令|パス|비밀|парол|كلمة|पास",
    re.I,
)
_WORDS_LOWER = re.compile(_WORDS.pattern)
"""The same for ASCII text in lower case: without folding every letter it takes less than half the time."""
_PROSE = (
    "the a an not no in on at to for with without from by of this that these those it its too very so as only also never always more less most "
    "long longer short shorter strong weak wrong right correct incorrect valid invalid safe unsafe secure insecure same different missing empty "
    "blank ready new old good bad fine okay simple easy hard case one two both all none any some what where how why when which who whatever "
    "something anything nothing everything important sensitive public private secret visible hidden available unavailable optional mandatory "
    "known unknown unique random temporary permanent here there gone back out up down off over under still being about kept lost found sent "
    "written broken stolen forgotten chosen put set reset due used likely unlikely clear clean your my our their his her case-sensitive "
    "alphanumeric numeric non-empty and or but if because"
)
_ORDINARY = frozenset(_PROSE.split())
_GLUE = frozenset(
    ["the", "a", "an", "is", "are", "was", "to", "for", "of", "not", "too", "in", "on", "at", "and", "or", "it", "that", "this", "with", "by"]
)
_PARTICIPLE = re.compile(r"[a-z]+(?:ed|ing|ly|able|ible)")
_NUMERIC_NOUN = re.compile(r"pin|code|cvv|cvc|otp", re.I)
_KEYLIKE_NOUN = re.compile(r"key|token|secret|clave|cred", re.I)
_PROSE_FOLLOWS = re.compile(r"\s+(?!(?:and|but|or|for|so|now|please|which|if|by the way|in case|on|at|thanks)\b)[a-z]{2,}")


def find_credentials(text: str, *, entropy: float, length: int) -> Iterator[Found]:
    """Secrets and keys (`secret key`) and passwords, PINs and codes (`password`), with the characters they take.

    A token is taken for random from `length` characters and `entropy` bits a character on, when digits are mixed into it: random
    base62 of 16 characters has 3.8 bits on average and 3.3 at the first percentile (simulated), and no word reaches that.
    """
    for block in _PRIVATE_KEY.finditer(text):
        yield Found("secret key", block.span())
    if _LONG.search(text):
        yield from _named_keys(text)
        yield from _random_tokens(text, entropy, length)
    if _WORDS_LOWER.search(text.lower()) if text.isascii() else _WORDS.search(text):
        yield from _told(text)


def _told(text: str) -> Iterator[Found]:
    for found in _ASSIGNED.finditer(text):
        value = found["value"]
        if re.search(r"\d", value) or re.search(r"[^\w.)]", value[:-1]):
            yield Found("secret key", found.span("value"))
    for pattern in (_TOLD, _PUT, _AS, _TURNED, _NEXT):
        for found in cues.compiled(pattern).finditer(text):
            if span := _value_span(text, found, strict=pattern in (_NEXT, _TURNED)):
                yield Found("password", span)
    for pattern in (_PAIR, _PIN_SPELT):
        for found in cues.compiled(pattern).finditer(text):
            if "//" not in found["bare"]:
                yield Found("password", found.span("bare"))
    for found in cues.compiled(_PHRASE).finditer(text):
        words = found["bare"].lower().split()
        prose = _GLUE & set(words) or (len(words) < 4 and (words[0] in _ORDINARY or _PARTICIPLE.fullmatch(words[0])))
        if not prose:
            yield Found("password", found.span("bare"))
    for found in cues.compiled(_OTHER).finditer(text):
        group = next(name for name, value in found.groupdict().items() if value)
        yield Found("password", found.span(group))


def _value_span(text: str, found: re.Match[str], *, strict: bool) -> tuple[int, int] | None:
    """Where the told secret stands, or None when the words behind the noun are ordinary prose ("the password is too short")."""
    noun = found["noun"]
    if found["quoted"]:
        return None if _NUMERIC_NOUN.search(noun) and not re.search(r"\d", found["quoted"]) else found.span("quoted")
    first, past = found.span("bare")
    value = text[first:past].rstrip(".,;:!?)]}")
    past = first + len(value)
    word = value.lower()
    has_digit = re.search(r"\d", value) is not None
    mixed = has_digit or re.search(r"[^\w'’.-]", value) is not None or re.search(r"[a-z][A-Z]", value) is not None
    if len(value) < 3 or "[" in text[first : first + 1] or word in _ORDINARY or re.fullmatch(r"\d+(?:st|nd|rd|th|-digit|%)", word):
        return None
    if re.fullmatch(r"code", noun, re.I):
        of_a_thing = _COMPLEMENT.match(text, found.end("noun"), first) and not _ACCOUNT.search(text[found.end("noun") : first])
        return (first, past) if re.fullmatch(r"\d{4,8}", value) and not of_a_thing and not _PUBLIC_CODE.search(text[: found.start("noun")]) else None
    if _NUMERIC_NOUN.search(noun) and not re.search(r"pass", noun, re.I):
        return (first, past) if has_digit and not _PUBLIC_CODE.search(text[: found.start("noun")]) else None
    if mixed:
        return first, past
    if strict or _KEYLIKE_NOUN.search(noun) or _PARTICIPLE.fullmatch(word):
        return None
    return None if _PROSE_FOLLOWS.match(text, past) else (first, past)


_PUBLIC_CODE = re.compile(
    r"\b(?:error|status|exit|return|country|area|dial(?:l?ing)?|postal|post|zip|discount|promo(?:tion)?|coupon|product|colou?r|http|course|airport|currency)\s+$",
    re.I,
)


_COMPLEMENT = re.compile(
    r"\s+(?:for|to|of|on|at|in|from|f[üu]rs?|zum|zur|vom|du|de|des|pour|para|del|della|dello|delle|dei|di|do|da|voor|van)\s+\w", re.I
)
_ACCOUNT = re.compile(
    r"\b(?:cards?|bank|account|phone|mobile|sim|log ?in|app|alarm|safe|vault|wallet|tablet|laptop|computer|konto|karte|handy|tresor|carte|compte|téléphone|coffre|alarme"
    r"|tarjeta|cuenta|móvil|caja fuerte|carta|conto|telefono|cartão|conta|rekening|telefoon|kaart)\b",
    re.I,
)
"""What a bare "code" belongs to when it is a secret all the same: "the code for my card"."""


@functools.cache
def _plugins() -> tuple[Any, ...]:
    return tuple(getattr(importlib.import_module(f"detect_secrets.plugins.{module}"), name)() for module, name in _DETECTORS.items())


def _named_keys(text: str) -> Iterator[Found]:
    for found in _PREFIXED.finditer(text):
        yield Found("secret key", found.span())
    for plugin in _plugins():
        for pattern in plugin.denylist:
            for found in pattern.finditer(text):
                whole = found.group()
                if re.search(r"\d", whole) and any(value and value in whole for value in plugin.analyze_string(whole)):
                    inner = next((n for n in range(1, (found.re.groups or 0) + 1) if found[n] and (len(found[n]) >= 16 or "://" in whole)), 0)
                    yield Found("secret key", found.span(inner))


def _random_tokens(text: str, entropy: float, length: int) -> Iterator[Found]:
    for found in _TOKEN.finditer(text):
        first, token = found.start(), found.group()
        if _HARMLESS.fullmatch(token):
            if re.fullmatch(r"[0-9a-f]{24,}", token, re.I) and _KEY_CUE.search(text[max(0, first - 40) : first]):
                yield Found("secret key", found.span())
            continue
        if any(len(part) >= length and _looks_random(part, entropy) for part in re.split(r"[/_~-]", token)):
            yield Found("secret key", found.span())


def _looks_random(token: str, entropy: float) -> bool:
    changes = sum(a.isdigit() != b.isdigit() for a, b in itertools.pairwise(token))
    letters = re.sub(r"[^A-Za-z]", "", token)
    return changes >= 3 and len(letters) >= 6 and _entropy(token) >= entropy


def _entropy(token: str) -> float:
    """Shannon entropy of the token's characters, in bits a character."""
    total = len(token)
    return -sum(n / total * math.log2(n / total) for n in Counter(token).values())
