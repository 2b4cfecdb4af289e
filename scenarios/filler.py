"""Seeded neutral conversation: small talk that states nothing about the user, in many topics.

A sentence is opener × matter × close of one topic, so one topic yields hundreds of different ones. Near-misses of a scenario
are put between them at seeded places, always as the user's own messages.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from memgauge.errors import InputError, nearest

_OPENERS: Mapping[str, Sequence[str]] = {
    "en": ("By the way,", "Funny thing:", "It seems that", "Someone said that", "Apparently", "So", "One more observation:", "People say that"),
    "de": ("Übrigens,", "Lustig:", "Angeblich,", "Noch eine Beobachtung:", "So wie es aussieht,", "Man sagt:"),
    "es": ("Por cierto,", "Qué curioso:", "Dicen que", "Parece que", "Otra observación:", "Según cuentan,"),
}

_TOPICS: Mapping[str, Mapping[str, tuple[Sequence[str], Sequence[str]]]] = {
    "en": {
        "garden": (
            ("the tomatoes look thirsty", "the hedge grows faster than last summer", "the compost smells of autumn", "the snails ate the lettuce", "the roses have spots", "the lawn is full of moss"),
            ("after all that heat", "in spite of the new soil", "as every year", "and nobody knows why", "which the neighbours find amusing"),
        ),
        "weather": (
            ("the fog stays until noon", "the wind turns to the north", "the clouds hang low", "the thunder was only far away", "the frost comes early", "the rain stopped at last"),
            ("according to the radio", "at least in the valley", "for the third day", "as the old calendar said", "and the sky turns pink"),
        ),
        "books": (
            ("the second chapter drags", "the villain is better written than the hero", "the translation reads smoothly", "the ending was guessed by everyone", "the cover hides a dull story", "the footnotes are the best part"),
            ("in that long novel", "if the critics are right", "which is rare nowadays", "and the print is tiny", "so the book club will argue"),
        ),
        "football": (
            ("the goalkeeper saved two penalties", "the coach changed the defence", "the match ended without a goal", "the referee needed glasses", "the stadium was half empty", "the winger ran himself tired"),
            ("in the derby", "despite the mud", "much to the crowd's surprise", "before the whistle", "and the replay proved it"),
        ),
        "repair": (
            ("the hinge squeaks again", "the drill needs a finer bit", "the paint dries slowly", "the tap drips at night", "the shelf leans to the left", "the screws were too short"),
            ("even after oiling", "on the north wall", "as the manual warned", "and the level agrees", "so patience is needed"),
        ),
        "office": (
            ("the printer swallows paper", "the meeting started without an agenda", "the coffee machine blinks", "the lift stops between floors", "the slides had too many arrows", "the whiteboard pens are dry"),
            ("since the last update", "on the third floor", "for no clear reason", "and the minutes say nothing", "which delays everybody"),
        ),
        "sky": (
            ("the meteor shower was faint", "the telescope fogs up", "the moon rose behind the tower", "the eclipse lasted four minutes", "the stars hide behind the haze", "the satellite crossed quickly"),
            ("over the dark field", "shortly before dawn", "if the chart is right", "and the dog barked", "as the almanac promised"),
        ),
        "films": (
            ("the sequel repeats the first part", "the music carries the whole scene", "the subtitles were late", "the stunt looked real", "the comedy has one good joke", "the director's cut is longer"),
            ("in the old cinema", "without any reason", "to the last minute", "and the popcorn was stale", "so opinions differ"),
        ),
        "birds": (
            ("the swallows are back", "the owl hooted twice", "the feeder was empty by noon", "the geese fly in a crooked line", "the blackbird sings on the chimney", "the heron stands still"),
            ("near the pond", "earlier than in other years", "as if it were spring", "and the cat watches", "in the morning mist"),
        ),
        "trains": (
            ("the express was late", "the dining car is closed", "the old signal box became a museum", "the platform was moved", "the timetable changed", "the tunnel echoes"),
            ("because of a fallen tree", "until further notice", "to nobody's surprise", "and the announcement was inaudible", "on the branch line"),
        ),
    },
    "de": {
        "garten": (
            ("die Tomaten lassen die Blätter hängen", "die Hecke wächst schneller als früher", "der Kompost riecht nach Herbst", "die Schnecken haben den Salat gefressen", "der Rasen ist voller Moos"),
            ("nach all der Hitze", "trotz der neuen Erde", "wie jedes Jahr", "und niemand weiß warum"),
        ),
        "wetter": (
            ("der Nebel bleibt bis Mittag", "der Wind dreht nach Norden", "die Wolken hängen tief", "der Frost kommt früh", "der Regen hat aufgehört"),
            ("laut Radio", "jedenfalls im Tal", "seit drei Tagen", "und der Himmel wird rosa"),
        ),
    },
    "es": {
        "jardin": (
            ("los tomates piden agua", "el seto crece deprisa", "los caracoles comieron la lechuga", "el césped tiene musgo", "las rosas tienen manchas"),
            ("después de tanto calor", "como cada año", "y nadie sabe por qué", "a pesar de la tierra nueva"),
        ),
        "tiempo": (
            ("la niebla dura hasta mediodía", "el viento viene del norte", "las nubes están bajas", "la helada llega pronto", "dejó de llover"),
            ("según la radio", "al menos en el valle", "desde hace tres días", "y el cielo se pone rosa"),
        ),
    },
}  # fmt: skip

_REPLIES: Mapping[str, Sequence[str]] = {
    "en": ("That happens.", "Interesting.", "It does sound that way.", "Good to know how that went.", "Such things come and go.", "Let us see what comes next."),
    "de": ("Das kommt vor.", "Interessant.", "Klingt ganz danach.", "Mal sehen, wie es weitergeht."),
    "es": ("Suele pasar.", "Interesante.", "Eso parece.", "Ya veremos."),
}  # fmt: skip

TOPICS: tuple[str, ...] = tuple(topic for by_language in _TOPICS.values() for topic in by_language)


def reply(language: str, rng: random.Random) -> str:
    """A neutral answer of the assistant; English where the language has no filler of its own."""
    return rng.choice(_REPLIES.get(language, _REPLIES["en"]))


def conversation(
    count: int, rng: random.Random, *, topics: Sequence[str] | None = None, near: Sequence[str] = (), language: str = "en"
) -> list[tuple[str, str]]:
    """`count` messages as (role, text), user and assistant in turn, the near-misses among the user's at seeded places.

    Raises InputError for an unknown topic, or when the near-misses do not fit.
    """
    tongue = language if language in _TOPICS else "en"
    names = list(topics or _TOPICS[tongue])
    for name in names:
        if name not in TOPICS:
            raise InputError(f"unknown filler topic {name!r}", hint=nearest(name, TOPICS))
    turns = (count + 1) // 2
    if len(near) > turns:
        raise InputError(f"{len(near)} near-misses do not fit into {count} messages", hint=f"at least {2 * len(near)} messages")
    places = dict(zip(sorted(rng.sample(range(turns), len(near))), near, strict=True))
    messages: list[tuple[str, str]] = []
    for turn in range(turns):
        messages.append(("user", places[turn] if turn in places else _sentence(rng.choice(names), rng)))
        messages.append(("assistant", reply(tongue, rng)))
    return messages[:count]


def _sentence(topic: str, rng: random.Random) -> str:
    tongue = next(language for language, by_topic in _TOPICS.items() if topic in by_topic)
    matters, closes = _TOPICS[tongue][topic]
    return f"{rng.choice(_OPENERS[tongue])} {rng.choice(matters)} {rng.choice(closes)}."


def vocabulary() -> str:
    """Every text the filler is made of, for the lint that no value and no anchor stands in it."""
    parts: list[str] = [text for texts in (*_OPENERS.values(), *_REPLIES.values()) for text in texts]
    for by_topic in _TOPICS.values():
        for matters, closes in by_topic.values():
            parts += [*matters, *closes]
    return "\n".join(parts)
