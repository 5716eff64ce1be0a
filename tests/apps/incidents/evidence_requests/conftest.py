"""Who asks whom for evidence, of which incident, and when."""

from collections.abc import Iterator

import pytest
import time_machine

from apps.incidents.models import Incident
from tests.cast import make
from tests.cast.incidents import Cast, assemble, attempt_of, stop_of


@pytest.fixture
def now() -> Iterator[None]:
    """Stop the clock when what the cast tells of was told."""
    with time_machine.travel(make.AT, tick=False):
        yield


@pytest.fixture
def cast(db: None, now: None) -> Cast:
    """Return the parties."""
    return assemble()


@pytest.fixture
def incident(cast: Cast) -> Incident:
    """Return an incident of the tenant's attempt."""
    return stop_of(cast, attempt_of(cast, cast.tenant))
