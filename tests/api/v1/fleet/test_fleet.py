"""A metric of all parts of a cluster by REST: the same facts that the page shows."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.fleet.models import Participation, ParticipationRole
from apps.sharing.models import LedgerEntry
from apps.sharing.terms import Level, Place, SharingRule
from apps.tenancy.models import Organization, TokenScope
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.agreements import agreed
from tests.cast.clients import token
from tests.cast.fleet_world import HOT, OURS, POWER, SILENT, TEMPERATURE, FleetWorld, build

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> FleetWorld:
    """Eight nodes, measured until now."""
    return build(now=timezone.now())  # noqa: TID251  the view reads the clock


def _answer(world: FleetWorld, reader: Organization, **query: str) -> Any:
    asked = {"cluster": world.cluster.slug, **query}
    return token(reader, TokenScope.READ).get("fleet/", **asked)


def _found(world: FleetWorld, reader: Organization, **query: str) -> dict[str, Any]:
    answer = _answer(world, reader, **query)
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found


def test_all_parts_of_all_nodes_the_worst_first(world: FleetWorld) -> None:
    found = _found(world, world.operator)
    assert found["metric"]["name"] == TEMPERATURE
    assert len(found["nodes"]) == 8
    first = found["nodes"][0]
    assert (first["host"], first["parts"]) == (HOT[0], ["0", "1", "2", "3"])
    assert first["values"][HOT[1]] == 93
    assert first["from_peers"][HOT[1]] == max(first["from_peers"])
    assert first["session"]["id"] == world.session.public_id
    assert {TEMPERATURE, POWER} <= set(found["metrics"])


def test_what_is_not_told_is_null(world: FleetWorld) -> None:
    silent = next(e for e in _found(world, world.operator)["nodes"] if e["host"] == SILENT)
    assert silent["values"] == silent["age_seconds"] == silent["from_peers"] == [None] * 4
    assert silent["standing"] == "no-data"


def test_an_instant_is_answered_as_it_was(world: FleetWorld) -> None:
    at = world.at - timedelta(minutes=20)
    found = _found(world, world.operator, at=at.isoformat(), host=HOT[0])
    (node,) = found["nodes"]
    assert node["values"] == [60, 61, 62, 63]


def test_an_unknown_metric_is_refused_with_what_was_meant(world: FleetWorld) -> None:
    answer = _answer(world, world.operator, metric="gpu.temperatxre")
    assert answer.status_code == 400
    assert "gpu.temperature" in answer.content.decode()


def test_of_several_clusters_one_must_be_named(world: FleetWorld) -> None:
    asking = token(world.operator, TokenScope.READ)
    assert asking.get("fleet/").json()["cluster"] == world.cluster.slug
    another = make.cluster()
    make.participation(
        organization=world.operator, cluster=another, part=ParticipationRole.OPERATOR
    )
    refusal = asking.get("fleet/")
    assert refusal.status_code == 400
    assert [each["field"] for each in refusal.json()["errors"]] == ["cluster"]
    assert token(world.outsider, TokenScope.READ).get("fleet/").status_code == 404


def test_an_outsider_finds_no_such_cluster(world: FleetWorld) -> None:
    assert _answer(world, world.operator).status_code == 200
    assert _answer(world, world.outsider).status_code == 404
    path = f"/api/v1/o/{world.operator.slug}/fleet/"
    query = {"cluster": world.cluster.slug}
    asking = token(world.outsider, TokenScope.READ)
    assert asking.client.get(path, query).status_code == 404
    assert Client().get(path, query).status_code == 404


def test_who_left_finds_no_such_cluster(world: FleetWorld) -> None:
    assert _answer(world, world.vendor).status_code == 200
    with organization_scope(world.vendor.pk):
        Participation.objects.filter(organization=world.vendor).delete()
    assert _answer(world, world.vendor).status_code == 404


def test_a_tenant_reads_what_is_shown_and_the_holder_has_it_in_its_ledger(
    world: FleetWorld,
) -> None:
    hidden = _found(world, world.tenant)
    assert [each["host"] for each in hidden["nodes"]] == list(OURS)
    assert {each["standing"] for each in hidden["nodes"]} == {"hidden"}
    assert hidden["metrics"] == []
    rule = SharingRule(data="metrics:gpu", level=Level.FULL, where=Place.OWN_SESSIONS)
    now = timezone.now()  # noqa: TID251  the view reads the clock
    terms = {world.operator.slug: [rule]}
    agreed(world.operator, world.tenant, world.cluster, terms=terms, now=now)
    found = _found(world, world.tenant)
    assert sorted(each["host"] for each in found["nodes"]) == list(OURS)
    assert {each["shared"]["level"] for each in found["nodes"]} == {"full"}
    with organization_scope(world.operator.pk):
        look = LedgerEntry.objects.get()
    assert (look.channel, look.subject_kind) == ("rest", "fleet")
