"""The fleet that the pages of this room are tried on."""

import pytest
from django.utils import timezone

from tests.cast.fleet_world import FleetWorld, build


@pytest.fixture
def world() -> FleetWorld:
    """Eight nodes, measured until now."""
    return build(now=timezone.now())  # noqa: TID251  the page reads the clock
