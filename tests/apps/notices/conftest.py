"""The cast of the notice tests."""

import pytest

from tests.apps.incidents.cast import Cast, assemble


@pytest.fixture
def cast(db: None) -> Cast:
    """An operator, two tenants, a vendor and a stranger."""
    return assemble()
