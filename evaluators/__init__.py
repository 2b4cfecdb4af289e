"""Pure judgement: a case's plan and history in, verdicts and measures out."""

from __future__ import annotations

from memgauge.evaluators import absence, answers, budget, presence
from memgauge.evaluators.judge import judge

__all__ = ["absence", "answers", "budget", "judge", "presence"]
