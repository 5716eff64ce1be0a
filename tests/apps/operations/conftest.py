"""What tests of the operations share."""

from pathlib import Path

import pytest

from tests.apps.operations.set_up_portals import FILE


@pytest.fixture
def described(tmp_path: Path) -> Path:
    """Return a file that describes an operator and a tenant."""
    path = tmp_path / "parties.yaml"
    path.write_text(FILE, encoding="utf-8")
    return path
