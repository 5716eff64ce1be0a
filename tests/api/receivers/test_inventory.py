"""POST /api/v1/inventory: what an operator says of its cluster, once however often it is said."""

from datetime import UTC, datetime
from typing import Any

import pytest

from apps.fleet.models import Attempt, Device, Link, Mount, Node, ProjectTenant, Session
from apps.fleet.placement.topology import topology_of
from apps.telemetry.submissions.pieces import ENTRIES_AT_ONCE
from apps.tenancy.models import AuditEntry
from apps.tenancy.scope import organization_scope
from tests.cast.parties import build, send
from tests.cast.pushes import Cast, cast, push_json

AT = datetime(2026, 11, 21, tzinfo=UTC)


def inventory(people: Cast) -> dict[str, Any]:
    """Return two nodes, a link, a mount and a project."""
    gpu = {
        "kind": "gpu",
        "index": 0,
        "uuid": "GPU-AB12",
        "pci": "00000000:1B:00.0",
        "name": "H100",
    }
    return {
        "cluster": people.cluster.slug,
        "nodes": [
            {
                "name": "GPU001.dc.example",
                "aliases": ["10.0.0.1"],
                "zone": "Asia/Seoul",
                "devices": [gpu],
            },
            {"name": "gpu002", "aliases": ["10.0.0.2"]},
        ],
        "links": [
            {"a": {"host": "gpu001", "device": "mlx5_0"}, "b": {"switch": "leaf1", "port": "7"}}
        ],
        "mounts": [{"path": "/ckpt", "server": "nas1", "hosts": ["*"]}],
        "projects": {"mars": people.tenant.slug, "venus": "nobody"},
    }


@pytest.mark.django_db
def test_an_inventory_sent_twice_is_there_once() -> None:
    people = cast()
    push_json("/api/v1/inventory", people.token(people.operator), inventory(people))
    answer = push_json("/api/v1/inventory", people.token(people.operator), inventory(people))
    assert answer.status_code == 200
    assert answer.json()["accepted"] == 5
    assert [row["code"] for row in answer.json()["rejected"]] == ["project_unknown"]
    with organization_scope(people.operator.pk, people.tenant.pk):
        counts = [each.objects.count() for each in (Node, Device, Link, Mount)]
        assert counts == [2, 1, 1, 1]
        assert Device.objects.get().pci == "0000:1b:00.0"
        assert ProjectTenant.objects.get(project="mars").organization == people.tenant


@pytest.mark.django_db
def test_a_part_in_the_place_of_another_replaces_it() -> None:
    people, said = cast(), {}
    for uuid in ("GPU-ab12", "GPU-cd34"):
        said = inventory(people)
        said["nodes"][0]["devices"][0]["uuid"] = uuid
        push_json("/api/v1/inventory", people.token(people.operator), said)
    with organization_scope(people.operator.pk):
        seated = Device.objects.filter(replaced_at=None)
        assert [row.uuid for row in seated] == ["cd34"]
        assert Device.objects.count() == 2


@pytest.mark.django_db
def test_a_tenant_maps_no_projects() -> None:
    people = cast()
    answer = push_json(
        "/api/v1/inventory", people.token(people.tenant), {"projects": {"x": people.other.slug}}
    )
    assert answer.status_code == 403
    with organization_scope(people.other.pk):
        assert not ProjectTenant.objects.filter(project="x").exists()


@pytest.mark.django_db
def test_a_project_of_one_tenant_is_not_given_to_another_beside() -> None:
    people = cast()
    given = {**inventory(people), "projects": {"solar": people.other.slug}}
    answer = push_json("/api/v1/inventory", people.token(people.operator), given)

    assert [row["code"] for row in answer.json()["rejected"]] == ["project_unknown"]
    with organization_scope(people.tenant.pk, people.other.pk):
        assert ProjectTenant.objects.get(project="solar").organization == people.tenant


@pytest.mark.django_db
def test_topology_names_hosts_by_the_operators_names() -> None:
    people = cast()
    push_json("/api/v1/inventory", people.token(people.operator), inventory(people))
    with organization_scope(people.operator.pk, people.tenant.pk):
        session = Session.objects.create(
            organization=people.tenant,
            public_id="SES-1",
            cluster=people.cluster,
            name="s",
            created_at=AT,
        )
        attempt = Attempt.objects.create(
            organization=people.tenant,
            session=session,
            hosts=["10.0.0.1", "gpu002.dc.example", "gpu009"],
            hosts_asserted=True,
            ranks={"0": {"host": "10.0.0.1", "gpu": 0, "pci": "", "uuid": ""}},
        )
        topology = topology_of(attempt=attempt)
    assert topology.hosts == ("gpu001", "gpu002", "gpu009")
    assert topology.placements[0].host == "gpu001"
    assert topology.mounts == {"/ckpt": "nas1"}
    assert topology.zones == {"gpu001": "Asia/Seoul"}
    assert topology.devices[0].uuid == "ab12"


@pytest.mark.django_db
@pytest.mark.parametrize("count", [ENTRIES_AT_ONCE, ENTRIES_AT_ONCE + 1])
def test_an_inventory_of_which_nothing_is_for_its_sender_to_say_is_refused(count: int) -> None:
    people = cast()
    nodes = [{"name": f"gpu{number:03}", "zone": "UTC"} for number in range(count)]
    answer = push_json("/api/v1/inventory", people.token(people.tenant), {"nodes": nodes})
    assert answer.status_code == 403
    with organization_scope(people.tenant.pk, people.operator.pk):
        assert AuditEntry.objects.filter(
            organization=people.tenant, action="facts.refused"
        ).exists()
        assert not Node.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("node", "refused"),
    [
        ({}, 1),
        ({"zone": "UTC"}, 1),
        ({"aliases": ["10.0.0.9"], "devices": [{"kind": "gpu", "index": 1}]}, 1),
        ({"devices": [{"kind": "gpu", "index": 1}]}, 0),
    ],
)
def test_of_nodes_a_vendor_tells_where_its_devices_are_and_nothing_else(
    node: dict[str, Any], refused: int
) -> None:
    world = build()
    own = {"name": "gpu001", "devices": [{"kind": "gpu", "index": 0, "uuid": "GPU-ab12"}]}
    answer = send(
        world, "gpu_vendor", "/api/v1/inventory", {"nodes": [own, {"name": "gpu002", **node}]}
    )
    assert answer.status_code == 200
    assert len(answer.json()["rejected"]) == refused
