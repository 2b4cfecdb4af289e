"""Sensitive categories in English text: what is said about a person, not what a text is about.

Three groups. `private`: health, religion, politics, orientation, union membership, biometrics: kept out unless the policy allows.
`needs`: diet, allergy and access needs: useful daily, so kept where the user stated them, with sensitivity high.
The list of categories is article 9 of the GDPR; ethnic origin is left out because plain nationality words would match it.
"""

from __future__ import annotations

import re

from memgauge.memory_ref import cues

_WHO = r"(?:i|we|he|she|they|you|my \w+|our \w+|the user|[A-Z]\w+)"
_BE = r"(?:am|are|is|was|were|'m|’m|'re|’re|'s|’s|identify as|identifies as|have been|has been|'ve been)"
_CONDITION = (
    r"diabet\w+|cancer|hiv|aids|depress(?:ion|ed)|bipolar|schizophreni\w+|anxiety disorder|panic (?:disorder|attacks)|adhd|autis\w+|asperger\w*|epilep\w+|asthma\w*|"
    r"arthritis|migraines?|hepatitis|leuk[a]?emia|lymphoma|tumou?r|parkinson\w*|alzheimer\w*|dementia|multiple sclerosis|lupus|crohn\w*|colitis|ptsd|ocd|anorexi\w+|bulimi\w+|"
    r"insomnia|hypertension|high blood pressure|heart (?:disease|condition|failure)|stroke|kidney (?:disease|failure)|infertil\w+|miscarriage|abortion|std|herpes|"
    r"alcoholi(?:c|sm)|addict(?:ion|ed)|eating disorder|endometriosis|fibromyalgia|anaemi\w+|anemi\w+|psoriasis|tourette\w*"
)
_FAITH = (
    r"catholic|protestant|christian|muslim|islamic|sunni|shia|jewish|hindu|buddhist|sikh|mormon|orthodox|evangelical|baptist|lutheran|anglican|methodist|quaker|"
    r"jehovah'?s witness|atheist|agnostic|pagan|wiccan|scientologist|bah[aá]['’]?[ií]|taoist|jain"
)
_LEAN = r"conservative|liberal|socialist|communist|republican|democrat|libertarian|anarchist|leftist|right-wing|left-wing|marxist|tory|labour (?:voter|supporter)|green voter"
_LOVE = r"gay|lesbian|bisexual|bi|straight|heterosexual|homosexual|asexual|pansexual|queer|transgender|trans|non-binary|nonbinary"
_ADVERBS = r"(?:\s+(?:a|an|the|also|really|very|now|actually|openly|proudly|practi[sc]ing|devout|lapsed|strict|not|born|raised|registered|lifelong|type \d))*"

_PRIVATE: tuple[tuple[str, str], ...] = (
    ("health", rf"\b{_WHO}\s*{_BE}{_ADVERBS}\s+(?:{_CONDITION})\b"),
    ("health", rf"\b{_WHO}\s+(?:have|has|had|'ve|got|suffers?(?: from)?|live with|lives with|struggles? with|battles?)\s+(?:(?:a|an|the|my|type \d|stage \w+|chronic|severe|mild|had|got|from|breast|lung|skin|prostate)\s+)*(?:{_CONDITION})\b"),
    ("health", rf"\bmy\s+(?:{_CONDITION})\b|\bdiagnos(?:ed|is)\b(?=.*\b(?:{_CONDITION}|with|of|me|my|i)\b)"),
    ("health", r"\b(?:i|we|he|she|they|my \w+)\s*(?:am|is|'m|’m|are)?\s+(?:take|takes|taking|on|use|uses|prescribed|was prescribed)\s+(?:\d+ ?mg(?: of)?\s+)?\w*(?:pril|olol|statin|azole|oxetine|ipine|sartan|cillin|azepam|prazole|formin|line hydrochloride|traline|lithium|insulin|antidepressants?|antipsychotics?|chemo\w*|methadone|ritalin|xanax|prozac|viagra)\b"),
    ("health", r"\b(?:in|having|seeing|see|going to|go to|attend|attends|started)\s+(?:a |my |his |her )?(?:rehab|chemo\w*|psychiatrist|therapist|aa meetings?|dialysis|psychotherapy)\b|\b(?:i am|i'm|i’m|she is|she's|my \w+ is|we are|we're) (?:\w+ (?:weeks|months) )?pregnant\b|\b(?:had|having) (?:an? )?(?:surgery|operation|abortion|miscarriage)\b"),
    ("religion", rf"\b{_WHO}\s*{_BE}{_ADVERBS}\s+(?:{_FAITH})s?\b"),
    ("religion", r"\b(?:my|our|his|her) (?:religion|faith|religious belief)\w* (?:is|are)\b|\b(?:converted to|believe in|practi[sc]e|follow) (?:god|allah|jesus|islam|christianity|judaism|hinduism|buddhism|sikhism|catholicism)\b|\bgo(?:es)? to (?:church|mosque|synagogue|temple|mass)\b"),
    ("politics", rf"\b{_WHO}\s*{_BE}{_ADVERBS}\s+(?:{_LEAN})s?\b"),
    ("politics", r"\b(?:i|we|he|she|they|my \w+)\s+(?:always |usually |will |'ll |have |'ve )*(?:vote|voted|votes|campaigned?|donated?)\s+(?:for|against|to) (?:the )?(?!the best|an? )(?-i:[A-Z])\w+|\bmember of (?:the |a )?[\w ]{0,24}\bparty\b|\bmy (?:political (?:views?|party|affiliation)|politics)\b"),
    ("orientation", rf"\b{_WHO}\s*{_BE}{_ADVERBS}\s+(?:{_LOVE})(?!\s+(?:to|at|ahead|a|the|from|up|out of|[-\w]*(?:lingual|weekly|monthly)))\b|\bmy (?:sexual orientation|sexuality|gender identity)\b|\bcame out as\b"),
    ("union", r"\b(?:union (?:member|rep|representative|steward|membership|card)|(?:member of|joined|belong to|organi[sz]er (?:for|of)) (?:the |a |my )?(?:[\w' ]{0,24} )?union)\b(?! jack| station| square)"),
    ("biometrics", r"\b(?:my|his|her|our|their)\s+(?:\w+\s+)?(?:fingerprints?|iris|retina|voice ?print|face ?print|face id|dna|genome|palm print)\b(?=.*\b(?:is|are|hash|template|scan|data|sequence|shows?|pattern)\b)"),
)  # fmt: skip

_DIET = r"vegan|vegetarian|pescatarian|flexitarian|coeliac|celiac|lactose[- ]intolerant|gluten[- ](?:free|intolerant)|dairy[- ]free|nut[- ]free|halal|kosher|keto|low[- ]carb|teetotal(?:ler)?"
_NEEDS = re.compile(
    rf"\b(?:{_DIET})\b|\ballerg(?:ic|y|ies)\b|\bintoleran(?:t|ce)\b|\b(?:do not|don'?t|don’t|never|can'?t|cannot|can not) (?:eat|drink)\b|\bepipen\b"
    r"|\b(?:wheelchair|hearing aids?|screen reader|guide dog|step[- ]free|colou?r[- ]?blind|deaf|hard of hearing|dyslexi[ac]|visually impaired|large print|braille|sign language)\b",
    re.I,
)
_WORD = re.compile(r"[^\W\d_]+")
_TRIGGERS = (
    "diabetes cancer aids depression bipolar schizophrenia anxiety panic adhd autism asperger epilepsy asthma arthritis migraine hepatitis leukaemia leukemia lymphoma tumour "
    "tumor parkinson alzheimer dementia sclerosis lupus crohn colitis ptsd anorexia bulimia insomnia hypertension blood heart stroke kidney infertility miscarriage abortion "
    "herpes alcoholic addict eating endometriosis fibromyalgia anaemia anemia psoriasis tourette diagnosed chronic rehab chemotherapy psychiatrist therapist meeting dialysis "
    "psychotherapy pregnant surgery operation lithium insulin antidepressant antipsychotic methadone ritalin xanax prozac viagra "
    "catholic protestant christian muslim islam sunni shia jewish hindu buddhist sikh mormon orthodox evangelical baptist lutheran anglican methodist quaker jehovah atheist "
    "agnostic pagan wiccan scientologist baha bahá taoist jain religion faith religious converted believe practise practice allah jesus church mosque synagogue temple mass judaism "
    "conservative liberal socialist communist republican democrat libertarian anarchist leftist right left wing marxist tory labour green vote voted campaign donate party political politics "
    "lesbian bisexual straight heterosexual homosexual asexual pansexual queer transgender trans binary nonbinary sexual sexuality gender came "
    "union fingerprint iris retina voice face genome palm"
)
_STEMS = frozenset(word[:4] for word in _TRIGGERS.split())
"""The first four letters of the words one of the patterns needs: a look into a set is faster than the patterns by far."""
_SHORT = frozenset(("hiv", "ocd", "std", "gay", "bi", "god", "dna", "mg", "aa"))
_DRUGS = ("pril", "olol", "statin", "azole", "oxetine", "ipine", "sartan", "cillin", "azepam", "prazole", "formin", "hydrochloride", "traline")


def _may_touch(text: str) -> bool:
    return any(word[:4] in _STEMS or word in _SHORT or word.endswith(_DRUGS) for word in _WORD.findall(text.lower()))


NEEDS = "needs"


def find_sensitive(text: str) -> tuple[str, ...]:
    """The categories a text touches, each once: private ones first, then `needs` for diet, allergy or access needs."""
    found = dict.fromkeys(category for category, pattern in _PRIVATE if cues.compiled(pattern).search(text)) if _may_touch(text) else {}
    if _NEEDS.search(text):
        found[NEEDS] = None
    return tuple(found)
