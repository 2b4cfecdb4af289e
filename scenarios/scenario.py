"""A loaded scenario: the validated file and where its parts stand in it."""

from __future__ import annotations

from dataclasses import dataclass

from memgauge.errors import InputError
from memgauge.scenarios.model import ScenarioSpec
from memgauge.strict_yaml import Document, Path_


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
        """An InputError at a key path of the file."""
        return self.document.error(path, message, hint=hint)
