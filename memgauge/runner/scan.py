"""stub, replaced within minutes"""

from __future__ import annotations

from typing import Any


def scan_surfaces(session: Any, facts: Any, scope: Any) -> dict[str, Any]:
    return {}
