"""Carries out plans on systems, in worker processes, and yields events. It neither prints nor judges: it is handed who does."""

from __future__ import annotations

from memgauge.runner.options import RunOptions, Tools
from memgauge.runner.run import run, run_pairs

__all__ = ["RunOptions", "Tools", "run", "run_pairs"]
