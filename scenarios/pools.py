"""Typed values that a seed draws. Within one pool the token lengths (cl100k) differ by at most one, so that budgets hold
for every seed; no value stands inside another, in the filler, or in the stop list (tests hold all of this).

A pool is named `type` (Latin script) or `type/script`. A value is its spellings, the one that is written first.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from memgauge.errors import InputError, nearest

Value = tuple[str, ...]


def _pool(text: str) -> tuple[Value, ...]:
    return tuple(tuple(form.strip() for form in value.split("=")) for value in text.split("|"))


POOLS: Mapping[str, tuple[Value, ...]] = {
    name: _pool(text)
    for name, text in {
        "person": "Marta|Oscar|Nadia|Felix|Clara|Bruno|Helen|Victor|Diana|Simon|Laura|Peter|Irene|Hugo|Elena|Martin|Sofia|Adrian|Julia",
        "person/cyrillic": "Ольга|Борис|Ирина|Павел|Мария|Андрей|Елена|Сергей|Анна|Иван",
        "person/japanese": "田中|山田|小林|木村|大野|林田|青木|石川|吉田|西村",
        "city": "Lisbon|Geneva|Oslo|Naples|Prague|Hamburg|Dublin|Seville|Warsaw|Vienna|Athens|Bristol|Toronto|Denver|Boston"
        "|Kyoto|Cairo|Lyon|Munich|Helsinki",
        "city/cyrillic": "Казань=Казани=Казанью=Kazan|Самара=Самаре=Самару=Самары=Samara|Пермь=Перми=Пермью=Perm|Рязань=Рязани=Рязанью=Ryazan"
        "|Тверь=Твери=Тверью=Tver|Омск=Омске=Омска=Omsk",
        "city/japanese": "札幌=Sapporo|名古屋=Nagoya|神戸=Kobe|広島=Hiroshima|仙台=Sendai|福岡=Fukuoka|金沢=Kanazawa|横浜=Yokohama|静岡=Shizuoka",
        "city/arabic": "الرباط=Rabat|تونس=Tunis|مسقط=Muscat|طنجة=Tangier|دمشق=Damascus|بيروت=Beirut|بغداد=Baghdad|الدوحة=Doha",
        "city/greek": "Πάτρα=Patras|Βόλος=Volos|Χανιά=Chania|Λάρισα=Larissa|Καβάλα=Kavala|Ρόδος=Rhodes",
        "city/devanagari": "जयपुर=Jaipur|नागपुर=Nagpur|इंदौर=Indore|मैसूर=Mysore|लखनऊ=Lucknow|रायपुर=Raipur",
        "street": "Maple Lane 14|Cedar Road 27|Willow Street 53|Orchard Avenue 61|Chapel Lane 32|Harbour Road 48|Garden Street 75|Station Avenue 86"
        "|Mill Lane 93|Quarry Road 19|Meadow Street 68|Castle Avenue 35",
        "code": "7731|4802|9156|2649|8374|5917|3068|6425|1793|8540|2186|9903",
        "date": "14 March|23 April|17 May|28 June|19 July|25 August|12 September|21 October|16 November|11 December",
        "amount": "840 euros|375 euros|920 euros|615 euros|760 euros|290 euros|530 euros|185 euros|470 euros|655 euros",
        "hour": "07:40|09:25|10:50|14:35|16:15|18:20|11:05|13:45|15:30|19:10",
        "product": "Falcon|Comet|Phoenix|Panther|Atlas|Mercury|Saturn|Titan|Orion|Apollo|Voyager|Pioneer",
        "company": "Northwind|Brightwater|Stonebridge|Silverline|Greenfield|Redwood|Blackstone|Whitehall|Westbrook|Clearwater",
        "food": "pancakes|dumplings|lasagna|noodles|risotto|burritos|waffles|tacos|ramen|lentils|meatballs",
        "food/japanese": "うどん=udon|天ぷら=tempura|餃子=gyoza|納豆=natto|カレー=curry",
        "hobby": "archery|pottery|fencing|sailing|origami|juggling|rowing|curling|knitting|beekeeping",
        "instrument": "violin|trumpet|cello|clarinet|flute|banjo|accordion|harp|saxophone|bassoon|mandolin|trombone|piccolo",
        "pet": "Pepper|Ginger|Shadow|Pumpkin|Cookie|Ziggy|Domino|Bandit|Buster|Rusty|Marble|Nugget|Pickle",
        "colour": "purple|orange|yellow|turquoise|crimson|indigo|beige|maroon|teal",
        "password": "Maple-6854-harbor|Olive-3097-bridge|Poppy-5030-candle|Lilac-6947-ladder|Daisy-7125-pillow|Thistle-6758-basket",
        "card": "4539 1488 0343 6467|5500 0055 5555 5559|4716 9024 3315 8874|4929 4212 3460 0821|5105 1051 0510 5100|4024 0071 5336 1885",
    }.items()
}  # fmt: skip


def pool(name: str) -> tuple[Value, ...]:
    """The values of a pool. Raises InputError with the nearest name."""
    if name not in POOLS:
        raise InputError(f"unknown pool {name!r}", hint=nearest(name, POOLS))
    return POOLS[name]


def draw(wanted: Mapping[str, str | list[str]], rng: random.Random) -> dict[str, Value]:
    """One value for each name, none twice in a scenario. Raises InputError when a pool is unknown or used up."""
    drawn: dict[str, Value] = {}
    taken: set[str] = set()
    for name, source in wanted.items():
        choices = [(text,) for text in source] if isinstance(source, list) else pool(source)
        free = [value for value in choices if not taken & set(value)]
        if not free:
            raise InputError(f"pool {source!r} has only {len(choices)} values", hint="use another pool or fewer values")
        value = free[rng.randrange(len(free))]
        taken |= set(value)
        drawn[name] = value
    return drawn
