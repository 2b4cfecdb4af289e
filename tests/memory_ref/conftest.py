from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.memory_ref.store_support import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path / "store")
    yield made
    made.memory.close()
