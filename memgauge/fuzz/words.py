"""Where the statements of a random sequence come from: every one has a topic to ask by and a value nothing else has."""

from __future__ import annotations

import random
from dataclasses import dataclass

# fmt: off
_LOOKS = (
    "amber", "brass", "canvas", "carved", "cedar", "clay", "copper", "cotton", "enamel", "glazed", "ivory", "knitted", "leather", "linen",
    "marble", "painted", "pewter", "plaid", "quilted", "rusty", "silver", "striped", "velvet", "walnut", "wicker", "woollen",
)
_THINGS = (
    "anvil", "basket", "bench", "birdcage", "blanket", "bookcase", "bucket", "candlestick", "canoe", "compass", "cradle", "curtain",
    "drum", "flute", "globe", "hammock", "kettle", "ladder", "lantern", "mirror", "paddle", "plough", "saddle", "sledge", "stool", "sundial",
    "teapot", "telescope", "tent", "trunk", "umbrella", "wagon", "wheelbarrow", "whistle",
)
# fmt: on
_FACTS = (
    "The {topic} belongs to {value}.",
    "The {topic} was repaired by {value}.",
    "The {topic} is stored in {value}.",
    "The {topic} came from {value}.",
    "The {topic} was lent to {value}.",
)
_GOALS = ("Restore the {topic} for {value}.", "Deliver the {topic} to {value}.")
_QUESTIONS = ("Where is the {topic} now?", "What about the {topic}?", "Who can tell me about the {topic}?")
_HEADS, _MIDDLES, _TAILS = ("Br", "D", "F", "Gl", "K", "L", "M", "N", "P", "Qu", "R", "T", "V", "W", "Z"), ("a", "e", "i", "o", "u"), "bdfgklmnprtvz"
FILLER = (
    "The weather has been changeable all week, with some rain in the mornings and sun by the evening.",
    "There was a long queue at the bakery again, though the bread was worth it.",
    "A train was late, a door was stuck, and somebody lost a glove on the stairs.",
    "Half of the garden is still under leaves, and the gate needs oil before winter.",
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A value that occurs nowhere else in the sequence, the topic one asks by, and the text that states it."""

    key: str
    topic: str
    value: str
    text: str


class Words:
    """Draws statements; no topic and no value comes twice, and no value is part of another or of any text."""

    def __init__(self, draw: random.Random) -> None:
        self._draw = draw
        self._topics = [f"{look} {thing}" for look in _LOOKS for thing in _THINGS]
        draw.shuffle(self._topics)
        self._values: set[str] = set()

    def fact(self) -> Statement:
        return self._make(_FACTS, self._topics.pop())

    def about(self, topic: str) -> Statement:
        """Another value for the same topic."""
        return self._make(_FACTS, topic)

    def goal(self) -> Statement:
        return self._make(_GOALS, self._topics.pop())

    def line(self) -> Statement:
        """A line of a document."""
        return self._make(("- {topic}: {value}",), self._topics.pop())

    def _make(self, patterns: tuple[str, ...], topic: str) -> Statement:
        value = self._value()
        return Statement(f"c{len(self._values)}", topic, value, self._draw.choice(patterns).format(topic=topic, value=value))

    def _value(self) -> str:
        while True:
            middle = self._draw.choice(_TAILS) + self._draw.choice(_MIDDLES) + self._draw.choice(_TAILS)
            value = self._draw.choice(_HEADS) + self._draw.choice(_MIDDLES) + middle + self._draw.choice(_MIDDLES) + self._draw.choice(_TAILS)
            if not any(value.casefold() in other or other in value.casefold() for other in self._values):
                self._values.add(value.casefold())
                return value


def question(topic: str) -> str:
    """The question about a topic: always the same one, and in none of the words of its value."""
    return _QUESTIONS[len(topic) % len(_QUESTIONS)].format(topic=topic)
