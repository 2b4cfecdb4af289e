"""Whether a text is in the language the rules of capture read. A count of common words; no guess which other language it is."""

from __future__ import annotations

import re

from memgauge.memory_ref import cues

# Common English words that are no common words of other languages written in Latin letters.
_ENGLISH = (
    "the a i i'm i've i'd i'll we we're we've my our ours you your you're he she it it's its is isn't are aren't were be been being have haven't "
    "had does doesn't did didn't don't not and or but if of at to for with from by that that's this these those there here will won't would can "
    "can't could should may might must what when where who how why him her they them their just now any some all more most than then about into "
    "out up down please remember note never always without asking call use using answer live lives work works prefer like love hate need want "
    "make keep take get go going new old name called one two yes okay sorry moved sold because since until before after only every each other "
    "also very really much many still yet again"
)
# Common words of other languages in Latin letters that are neither English words nor common names.
_ELSEWHERE = (
    "ich und der das ist nicht ein eine einen mein meine meinen wir habe hat wohne arbeite bei seit jetzt auch aber von zu für auf sind unser "
    "unsere heiße mag je j'ai j'habite j'aime suis les une et est mon mes nous notre dans avec mais c'est travaille habite chez depuis maintenant "
    "s'appelle m'appelle yo los las es mis en que por para pero vivo soy tengo trabajo una nuestro nuestra ahora desde llamo gusta io gli che "
    "sono mio miei abito lavoro nel si chiama siamo nostro eu um uma meu minha moro trabalho em com não agora tenho nosso nossa gosto chamo ik "
    "het een mijn niet wij heb woon werk nu maar ons onze heet jestem mam mieszkam pracuję mój moja nie się teraz nasz jag är bor jobbar mitt och "
    "inte har heter jeg og benim bir ve değil evim yaşıyorum çalışıyorum şimdi minä olen asun minun ei työskentelen minulla saya tinggal bukan "
    "si un il elle du au qui pas kein keine dem sich wird wurde wenn el con su había "
    "tidak tôi là ở và không ninaishi jina langu na já jsem bydlím moje pracuji y à"
)
_ENGLISH_WORDS = frozenset(_ENGLISH.split())
_OTHER_WORDS = frozenset(_ELSEWHERE.split())
_SURE = 2
"""Words of another language from which a text is taken to be in it: one may be a name or a loan word."""


def is_english(text: str) -> bool:
    """Whether the English rules may read it: mostly Latin letters, and not more common words of other languages than of English."""
    found = re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", cues.fold(text).lower())
    if not found:
        return True
    letters = [ch for word in found for ch in word]
    if sum(ch < "\u0250" for ch in letters) < 0.6 * len(letters):
        return False
    elsewhere = sum(1 for word in found if word in _OTHER_WORDS or not word.isascii())
    return elsewhere < _SURE or sum(1 for word in found if word in _ENGLISH_WORDS) >= elsewhere
