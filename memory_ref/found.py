"""A passage of a text that a finder recognised, shared by the never-store finders."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Found:
    """`kind` is the category in a user's words, `span` the characters [first, past) of the text that was searched."""

    kind: str
    span: tuple[int, int]
