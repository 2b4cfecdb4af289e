"""How far a captured statement reaches, when it was said inside a project.

"Chose X for this project" is not "always prefers X". What the user says of himself ("I", "my") holds everywhere; what is said there
of "our", "the" or "we" is about the project and stays in it. Outside a project everything said is the user's own.
"""

from __future__ import annotations

import re
from dataclasses import replace

from memgauge.memory_ref.candidates import Candidate
from memgauge.memory_ref.languages import is_english

_OF_HIMSELF = re.compile(r"\b(?:i|i'm|i've|i'll|i'd|me|my|mine|myself)\b", re.I)
_OF_THE_HOUSEHOLD = re.compile(
    r"\b(?:we|our)\b.*\b(?:live|lives|home|house|flat|kids?|children|son|daughter|wife|husband|family|cat|dog|holiday)\b", re.I
)
"""A "we" that is no team."""


def within(candidate: Candidate, project: str | None) -> Candidate:
    """The candidate with the reach its words have in this project. A reach that was stated is kept, and so is what the rules cannot read."""
    if project is None or candidate.reach != "user" or not is_english(candidate.text):
        return candidate
    if _OF_HIMSELF.search(candidate.text) or _OF_THE_HOUSEHOLD.search(candidate.text):
        return candidate
    return replace(candidate, reach="project")
