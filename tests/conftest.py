"""Random tests try the same examples in every run, so that a change alone makes them fail. HYPOTHESIS_PROFILE=default tries new ones."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
