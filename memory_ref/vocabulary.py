"""Word lists of the slot rules: whom and what people have, and the words behind "my X is" that name no lasting fact.

General English only; each list is a closed class or the common members of one.
"""

from __future__ import annotations

import re

from memgauge.memory_ref.lexicon import KINDS_OF

RELATIONS = (
    "wife|husband|partner|spouse|fianc[eé]e?|girlfriend|boyfriend|brother|sister|mother|father|mum|mom|dad|son|daughter|child|kid|baby|uncle|aunt|cousin|nephew|niece|grandmother|"
    "grandfather|grandma|grandpa|friend|best friend|boss|manager|colleague|coworker|co-worker|neighbou?r|flatmate|roommate|landlord|doctor|dentist|teacher|coach|team lead|assistant|client"
)
SEVERAL = re.compile(
    r"brother|sister|son|daughter|child|kid|uncle|aunt|cousin|nephew|niece|friend|colleague|coworker|co-worker|neighbor|neighbour|dog|cat|pet|car|bike|hobby|client|language"
)
"""Nouns people have more than one of: a second one says nothing against the first."""
SINGULAR = frozenset(("car", "dog.name", "cat.name", "pet.name", "bike"))
"""Keyed slots of which most people have one: a change said as such replaces the one that is known."""
ANIMALS = "dog|cat|puppy|kitten|parrot|rabbit|hamster|horse|tortoise|turtle|snake|goldfish|fish|bird|hen|pony|ferret|lizard|gecko|guinea pig|pet"
THINGS = f"{ANIMALS}|car|van|truck|motorbike|motorcycle|bike|bicycle|boat|scooter|house|flat|apartment|cabin|garden|allotment|piano|guitar|violin|camper|caravan|tractor|e-bike"
CAR_MAKES = KINDS_OF["car vehicle drive"].replace(" ", "|")
TRADE = re.compile(
    r"\w+(?:er|or|ist|ian|eer|ant|wright|smith|man|woman|person)$|^(?:nurse|chef|cook|pilot|student|judge|coach|clerk|vet|analyst|architect|model|lead|cto|ceo|cfo|intern|apprentice|monk|priest|midwife|surveyor|dj|dba|sre|pm)$"
)
NOT_A_TRADE = re.compile(r"^(?:beginner|vegetarian|vegan|pescatarian|lover|fan|user|member|person|owner|sucker|believer|stranger|speaker|lot|bit|winner|loser|foreigner|newcomer|former|better|human|number|matter|supporter|customer|reader|sleeper|riser|eater|runner-up|father|mother|sister|brother|grandfather|grandmother)$", re.I)  # fmt: skip
VAGUE = re.compile(
    r"^(?:question|questions|point|guess|idea|problem|issue|concern|head|mind|thing|understanding|impression|opinion|thought|feeling|fear|worry|hope|fault|turn|bad|code|program|function|query|test|tests|build|"
    r"script|message|answer|plan|goal|dream|wish|aim|life|day|week|time|mood|luck|back|stomach|throat|one|ones|only|whole|main|first|last|next|best bet|favourite part|example|situation|case|"
    r"argument|conclusion|reason|request|task|job here|advice|suggestion|apologies|pleasure|brain|body|heart|eyes|tool|error|bug|result|results|page|file|screen|essay|text|draft|report|presentation|email here|"
    r"character|avatar|protagonist|hero|weather|world|world's|other|rest|sun|truth|fact|difference|way|trick)$", re.I
)  # fmt: skip
STATE = re.compile(
    r"^(?:not|so|very|too|quite|really|all|always|about|a bit|kind of|sort of|like|that|how|why|whether|to|being|going|getting|doing|broken|late|slow|fast|ready|done|finished|full|empty|wrong|right|fine|ok|okay|"
    r"good|bad|great|awful|terrible|nice|beautiful|sick|ill|tired|busy|here|there|back|gone|lost|missing|due|over|under|near|more|less|better|worse|important|killing|running|working|failing|crashing|hurting|"
    r"\w{3,}ing|\w{3,}ed|just|only|simply|probably|maybe|supposed|coming|it|this|these|those|as|because|if|when|what|where)\b", re.I
)  # fmt: skip
NO_PLACE = re.compile(
    r"^(?:(?!italy|sicily|chantilly)\w+ly\b.*|the (?:next|second|third|last|first|other|back|front|end|top|bottom|left|right|point)\b.*|(?:a|an) (?:new|different|better|bigger|smaller|larger) (?!city|town|country|house|flat|apartment|place|neighbourhood|neighborhood).*|it|this|that|here|there|fear|peace|"
    r"debt|a hurry|trouble|my (?:room|car|office|mind).*|bed|work|school|tears|part.time|full.time|remote\w*|.*\b(?:question|topic|section|chapter|phase|stage|step|project|team|role|position|plan|diet|version|branch)s?)$", re.I
)  # fmt: skip
NO_EMPLOYER = re.compile(r"^(?:home|night|nights|weekends?|once|least|all|fun|free|it|this|that|them|myself|the (?:moment|same time|same company|weekend|office)|my (?:desk|thesis|book|project|own).*|a living|money|\d.*|me|you|us|now)$", re.I)  # fmt: skip
WEEKDAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
CLOCK = re.compile(r"(?:at |from )?\d{1,2}(?:[:.]\d\d)?\s?(?:am|pm|o'clock)?(?:\s?(?:-|to|until)\s?\d{1,2}.*)?$", re.I)
DAYS = re.compile(
    r"\d{4}-\d\d|day\b|tomorrow|tonight|\b(?:week|weekend|month|year|quarter)s?\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b",
    re.I,
)
PERSONAL = re.compile(
    r"\b(?:name|birthday|age|address|email|e-mail|phone|number|size|timezone|time zone|language|job|title|role|team|hours|schedule|pronouns?|nickname|hometown|nationality|hobby|hobbies|instrument|car|bike|dog|cat|pet|"
    r"employer|company|school|university|major|diet|style|tone|format|editor|os|stack|framework|database|deadline|budget|currency|units?|anniversary)$", re.I
)  # fmt: skip
NO_TASTE = re.compile(
    r"(?:to|it|this|that|these|those|how|what|when|where|your|you|the|my|our|on|its|being|both|everything|everywhere|all|one|me|him|her|them|us)\b",
    re.I,
)
NO_HABIT = re.compile(
    r"(?:am|are|was|were|be|been|have|had|has|do|did|will|would|can|could|may|might|must|should|think|thought|guess|hope|want|wish|know|knew|saw|met|went|got|came|left|bought|sold|ate|"
    r"drank|spent|took|made|woke|slept|ran|began|arrived|\w{2,}ed)\b",
    re.I,
)
SPELL = re.compile(r"\b(?:months?|years?|weeks?|days?|hours?|while|ages|now|time|fun)$", re.I)
