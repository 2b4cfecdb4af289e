"""Pure judgement: a case's plan and history in, verdicts and measures out.

Importing the package registers one evaluator for each kind of `memgauge.checks.CHECKS`.
"""

from __future__ import annotations

from memgauge.evaluators import absence, answers, budget, content, durability, fence, presence, prompt, races, recalled, residue, summaries, toolpairs
from memgauge.evaluators.judge import judge
from memgauge.evaluators.lost_at import diagnose

__all__ = [
    "absence",
    "answers",
    "budget",
    "content",
    "diagnose",
    "durability",
    "fence",
    "judge",
    "presence",
    "prompt",
    "races",
    "recalled",
    "residue",
    "summaries",
    "toolpairs",
]
