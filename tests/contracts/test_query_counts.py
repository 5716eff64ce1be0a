"""How often each page and each resource asks the database: no more than is written down."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Final

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.telemetry.models import EarlyWarning, LogStream, Source
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.clients import member
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.contracts.route_matrix import inside
from tests.contracts.world import World, build

pytestmark = pytest.mark.sweep
COUNTS: Final = Path(__file__).with_name("query_counts.json")


@pytest.fixture
def world(db: None) -> World:
    """Several of each kind that lists show, beside one of everything."""
    built = build()
    for _ in range(2):
        stop_of(built.cast, attempt_of(built.cast, built.cast.tenant))
    _sources(built.cast)
    return built


def _sources(cast: Cast) -> None:
    with organization_scope(cast.operator.pk):
        for number in range(2, 5):
            at = make.AT + timedelta(minutes=number)
            Source.objects.create(
                organization=cast.operator,
                public_id=f"SRC-{number}",
                cluster=cast.cluster,
                kind="prometheus",
                name=f"metrics {number}",
                url="https://metrics.example",
                created_at=at,
            )
            EarlyWarning.objects.create(
                organization=cast.operator,
                public_id=f"EP-{number}",
                cluster=cast.cluster,
                entity={"kind": "node", "host": "gpu001"},
                entity_key=f"node:gpu00{number}/",
                host=f"gpu00{number}",
                layer="host",
                score=0.9,
                is_page=True,
                starts_at=at,
                raised_at=at,
                told_at=at,
            )
            LogStream.objects.create(
                organization=cast.operator,
                cluster=cast.cluster,
                kind="kernel",
                host=f"gpu00{number}",
                label_digest=bytes([number]) * 32,
                labels={},
                last_received_at=at,
            )


def _count(client: Client, path: str) -> int | None:
    """Return how many queries an answer takes that was given once already; None where none is."""
    if client.get(path).status_code != 200:
        return None
    with CaptureQueriesContext(connection) as asked:
        client.get(path)
    return len(asked)


def test_no_answer_asks_the_database_more_often_than_is_written_down(world: World) -> None:
    counted: dict[str, int] = {}
    owners = (world.cast.tenant, world.cast.operator)
    clients = [(owner, member(owner).client) for owner in owners]
    for route in inside():
        if route.pattern.endswith(".pdf"):
            continue  # an extra that is installed here or there
        counts = [_count(client, route.path(owner.slug, world.ids)) for owner, client in clients]
        if any(counts):
            counted[route.pattern] = max(count or 0 for count in counts)
    written = json.loads(COUNTS.read_text("utf-8"))
    assert counted.keys() == written.keys()
    assert {path: n for path, n in counted.items() if n > written[path]} == {}
