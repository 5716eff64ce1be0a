"""Programs of a job that failed."""

from pathlib import Path

import pytest

from tests.collect.collecting import programs_of
from tests.collect.programs import Programs


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Programs:
    """Return the programs of a job that failed."""
    return programs_of(tmp_path, monkeypatch, "FAILED")
