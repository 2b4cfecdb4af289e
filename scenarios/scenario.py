"""A loaded scenario: the validated file and where its parts stand in it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memgauge.errors import InputError
from memgauge.scenarios.model import ScenarioSpec
from memgauge.strict_yaml import Document, Path_

_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
"""A text in a message, as Python writes it."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario (or one row of a `cases:` table). `document` is what the spec was validated from."""

    spec: ScenarioSpec
    document: Document

    @property
    def id(self) -> str:
        return self.spec.id

    @property
    def class_(self) -> str:
        return self.spec.id.split("/", 1)[0]

    @property
    def title(self) -> str:
        return self.spec.title

    @property
    def tags(self) -> list[str]:
        return self.spec.tags

    @property
    def rows(self) -> list[str]:
        return self.spec.rows

    @property
    def path(self) -> str:
        """The file it came from."""
        return self.document.source

    def error(self, path: Path_, message: str, *, hint: str = "") -> InputError:
        """An InputError at a key path of the file; of a private scenario without the texts that the message quotes, for a log is read by
        others, and its author has the file and the place in it."""
        return self.document.error(path, self.told(message), hint=self.told(hint))

    def told(self, message: str) -> str:
        """A message about this scenario as it may be shown: quoted texts that are no ids of its own are left out of a private one."""
        if self.spec.content != "private":
            return message
        return _QUOTED.sub(lambda found: found[0] if found[0][1:-1] in self.spec.facts else f"{found[0][0]}…{found[0][0]}", message)
