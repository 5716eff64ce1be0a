"""An incident with its parties, and a way to ask as each."""

import pytest

from apps.incidents.models import Incident
from tests.apps.incidents.cast import Cast, assemble, attempt_of, stop_of


@pytest.fixture
def cast(db: None) -> Cast:
    """An operator, two tenants, a vendor and a stranger."""
    return assemble()


@pytest.fixture
def incident(cast: Cast) -> Incident:
    """A stop of the tenant's session, blamed on a GPU."""
    return stop_of(cast, attempt_of(cast, cast.tenant))
