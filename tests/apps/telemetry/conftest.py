"""A cluster that a Prometheus watches, and who takes part in it."""

from collections.abc import Iterator

import pytest

from tests.apps.telemetry.prometheus_server import World
from tests.cast.metrics import Cast, attempt, cast, healthy


@pytest.fixture
def people(db: None) -> Cast:
    """Who takes part; their session runs on all hosts."""
    made = cast()
    attempt(made)
    return made


@pytest.fixture
def world() -> Iterator[World]:
    """A healthy cluster."""
    made = World()
    healthy(made)
    yield made
    made.hold.set()
