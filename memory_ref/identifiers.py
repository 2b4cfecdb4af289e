"""Payment data and government ids in text, by the check digits of python-stdnum.

A long number with a check digit of its own (card with a known issuer prefix, IBAN, a 15-digit or letter-bearing id) is enough.
A short one is any order number one time in ten, so it also needs a cue word near by.
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Callable, Iterator

from memgauge.memory_ref.found import Found

_NEAR = 48
"""Characters before (and half of them behind) a number in which a cue word counts: one clause."""

_CARD = re.compile(r"(?<![\w-])(?:\d[ -]?){12,18}\d(?![\w-])")
_ISSUER = re.compile(r"4|5[1-5]|2(?:2[2-9]|[3-7])|3[47]|35|36|30[0-5]|38|6(?:011|5|4[4-9]|2)")
_NOT_A_CARD = re.compile(r"order|track|parcel|shipment|invoice|ticket|imei|serial|barcode|isbn|ean|model|version", re.I)
_CARD_CUE = re.compile(r"card|visa|master|amex|american express|credit|debit|payment|pay with", re.I)
_CVV = re.compile(r"\b(?:cvv2?|cvc2?|card (?:security|verification) (?:code|number))\b[^\d\n]{0,16}(?P<value>\d{3,4})\b", re.I)
_VALID_THRU = re.compile(r"\b(?:exp(?:iry|ires|iration)?(?: date)?|valid (?:thru|until))\b[:. ]{0,3}(?P<value>\d{2} ?/ ?\d{2,4})", re.I)
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){3,8}\b", re.I)
_BANK = re.compile(
    r"\b(?:bank|checking|savings|current) account(?: number| no\.?)?[^\d\n]{0,16}(?P<value>\d[\d -]{5,16}\d)\b"
    r"|\b(?:sort code|routing (?:number|no\.?)|bsb)[^\d\n]{0,12}(?P<code>\d[\d -]{4,10}\d)\b",
    re.I,
)

_DIGITS = r"(?<![\w-])\d[\d .\-/]{6,16}\d(?![\w-])"
_GENERIC = (
    r"social security|national (?:id|insurance|identification)|identity (?:card|number)|id (?:card )?(?:number|no)|tax (?:id|number|file)|citizen"
)
_TABLE: tuple[tuple[str, str, str], ...] = (  # stdnum module, shape, cue ("" when the check and shape are enough by themselves)
    ("us.ssn", r"(?<![\w-])\d{3}[- ]?\d{2}[- ]?\d{4}(?![\w-])", rf"\bssn\b|{_GENERIC}"),
    ("us.itin", r"(?<![\w-])9\d{2}[- ]?\d{2}[- ]?\d{4}(?![\w-])", rf"\bitin\b|{_GENERIC}"),
    ("ca.sin", _DIGITS, rf"social insurance|\bsin\b|{_GENERIC}"),
    ("gb.nhs", _DIGITS, r"\bnhs\b"),
    ("gb.utr", _DIGITS, rf"\butr\b|taxpayer reference|{_GENERIC}"),
    ("de.idnr", _DIGITS, rf"steuer|identifikationsnummer|\bidnr\b|{_GENERIC}"),
    ("nl.bsn", _DIGITS, rf"\bbsn\b|burgerservice|{_GENERIC}"),
    ("be.nn", _DIGITS, rf"rijksregister|registre national|{_GENERIC}"),
    ("pl.pesel", _DIGITS, rf"pesel|{_GENERIC}"),
    ("se.personnummer", _DIGITS, rf"personnummer|{_GENERIC}"),
    ("dk.cpr", _DIGITS, rf"\bcpr\b|{_GENERIC}"),
    ("no.fodselsnummer", _DIGITS, rf"fødselsnummer|fodselsnummer|{_GENERIC}"),
    ("br.cpf", _DIGITS, rf"\bcpf\b|{_GENERIC}"),
    ("in_.aadhaar", _DIGITS, rf"aadhaar|aadhar|{_GENERIC}"),
    ("au.tfn", _DIGITS, rf"\btfn\b|{_GENERIC}"),
    ("ch.ssn", r"\b756[. ]?\d{4}[. ]?\d{4}[. ]?\d{2}\b", ""),
    ("fr.nir", r"(?<!\w)[12] ?\d{2} ?\d{2} ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}(?!\w)", ""),
    ("cn.ric", r"(?<!\w)\d{17}[\dXx](?!\w)", ""),
    ("it.codicefiscale", r"\b[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z]\b", ""),
    ("mx.curp", r"\b[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z0-9]\d\b", ""),
    ("fi.hetu", r"\b\d{6}[-+A]\d{3}[0-9A-Y]\b", ""),
    ("es.dni", r"\b\d{8}-?[A-Z]\b", rf"\bdni\b|\bnif\b|{_GENERIC}"),
    ("es.nie", r"\b[XYZ]-?\d{7}-?[A-Z]\b", rf"\bnie\b|{_GENERIC}"),
    ("ie.pps", r"\b\d{7}[A-W][A-W]?\b", rf"\bpps\b|{_GENERIC}"),
    ("in_.pan", r"\b[A-Z]{5}\d{4}[A-Z]\b", rf"\bpan\b|{_GENERIC}"),
    ("kr.rrn", r"\b\d{6}-?[1-8]\d{6}\b", rf"resident registration|주민|{_GENERIC}"),
    ("tr.tckimlik", _DIGITS, rf"kimlik|{_GENERIC}"),
    ("za.idnr", _DIGITS, rf"south african id|{_GENERIC}"),
)  # fmt: skip
_SHAPES = tuple(
    (module, re.compile(shape, re.I if not module.endswith("pan") else 0), re.compile(cue, re.I) if cue else None) for module, shape, cue in _TABLE
)
_CUED = re.compile(  # documents without a public check digit: the cue must name the document
    r"\b(?:passport|driver'?s?(?:'s)? licen[cs]e|driving licen[cs]e|national insurance|\bnino\b|green card|visa application)"
    r"(?: (?:number|no\.?|id))?(?:'s| is|:|=| -)?\s*#?(?P<value>(?=[A-Z]*\d)[A-Z0-9](?:[ -]?[A-Z0-9]){5,15})(?![\w-])",
    re.I,
)
_CHEAP = re.compile(r"\d{3}|[A-Z]{2}\d{2}", re.I)
_LETTER_OR_RUN = re.compile(r"\d(?:[ .\-/]?\d){6}|[A-Z]{2}\d{2}[ A-Z0-9]{10}|[A-Z]{5}\d{4}[A-Z]", re.I)


@functools.cache
def _checker(module: str) -> Callable[[str], bool]:
    check: Callable[[str], bool] = importlib.import_module(f"stdnum.{module}").is_valid
    return check


def find_identifiers(text: str) -> Iterator[Found]:
    """Payment data (`payment`) and government ids (`government id`), with the characters they take."""
    if not _CHEAP.search(text):
        return
    for pattern in (_CVV, _CUED):
        for found in pattern.finditer(text):
            yield Found("payment" if pattern is _CVV else "government id", found.span("value"))
    if not _LETTER_OR_RUN.search(text):
        return
    yield from _payment(text)
    for module, shape, cue in _SHAPES:
        for found in shape.finditer(text):
            if (cue is None or _cued(cue, text, found)) and _checker(module)(found.group()):
                yield Found("government id", found.span())


def _payment(text: str) -> Iterator[Found]:
    for found in _CARD.finditer(text):
        digits = re.sub(r"\D", "", found.group())
        named = _cued(_CARD_CUE, text, found)
        if _ISSUER.match(digits) and _checker("luhn")(digits) and (named or not _cued(_NOT_A_CARD, text, found)):
            yield Found("payment", found.span())
            for date in _VALID_THRU.finditer(text):
                yield Found("payment", date.span("value"))
    for found in _IBAN.finditer(text):
        if span := _iban(text, found):
            yield Found("payment", span)
    for found in _BANK.finditer(text):
        yield Found("payment", found.span("value" if found["value"] else "code"))


def _iban(text: str, found: re.Match[str]) -> tuple[int, int] | None:
    """The longest prefix that is a valid IBAN: the words behind it also look like groups of letters."""
    past = found.end()
    while past - found.start() >= 15:
        if _checker("iban")(text[found.start() : past]):
            return found.start(), past
        past = max(text.rfind(" ", found.start(), past), 0)
    return None


def _cued(cue: re.Pattern[str], text: str, found: re.Match[str]) -> bool:
    around = text[max(0, found.start() - _NEAR) : found.start()] + " " + text[found.end() : found.end() + _NEAR // 2]
    return cue.search(around) is not None
