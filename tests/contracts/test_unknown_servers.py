"""A vendor speaks for its layer only where that part is known to serve the session."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from apps.diagnosis.model import Layer
from apps.fleet.models import Attempt, ParticipationRole
from apps.incidents.correlation.attempts.attempt_facts import gather
from apps.incidents.models import Hypothesis, Incident
from apps.telemetry.attempts.readings import readings_of_attempt
from apps.telemetry.metrics.anomaly_rows import write_anomalies
from apps.telemetry.models import LogStream, Source
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.metrics.metrics_server import SERVER
from tests.cast import make
from tests.cast.parties import NOW, World, send, settle
from tests.contracts.forgery_scene import AT
from tests.contracts.line_stories import story

pytestmark = [pytest.mark.django_db, pytest.mark.sweep]
DOWN = "mount-lost-words"
SHOWN = (
    "verdict_status",
    "layer",
    "cause",
    "probability",
    "culprits",
    "actions",
    "restart",
    "kind",
)


def stamped(text: str, *, seconds: int = -20) -> str:
    """Return a line of shortly before the stop."""
    return f"{AT + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%S}+00:00 {text}"


OFFLINE = stamped("nas1 nfsd[771]: storage server nas1 is offline")
EVICTS = stamped(
    "oss3 kernel: LustreError: 0:0:(ldlm_lockd.c:257:expired_lock_main()) ### lock callback timer "
    "expired after 100s: evicting client at {client}@o2ib"
)
WAITS = stamped("{host} kernel: nfs: server nas1 not responding, still trying", seconds=-30)


def shown(world: World) -> list[tuple[Any, ...]]:
    """Return what the victim's incidents say."""
    with organization_scope(*world.ids):
        return list(Incident.objects.order_by("id").values_list(*SHOWN))


def told(world: World) -> set[str]:
    """Return which kinds of line count for the victim's attempt."""
    with organization_scope(*world.ids):
        attempt = Attempt.objects.select_related("session__cluster").get(session__name="job-1")
        found = readings_of_attempt(attempt=attempt).readings
        return {event.signature for each in found for event in each.events}


def asked(world: World) -> set[str]:
    """Return what would settle the victim's open question."""
    with organization_scope(*world.ids):
        rows = Hypothesis.objects.filter(incident__organization=world.victim)
        return {
            f"{each['source']}: {each['would']['kind']}" for row in rows for each in row.missing
        }


@pytest.mark.parametrize(
    "labels",
    [
        {"stream": "storage"},
        {"stream": "storage", "host": "nas1"},
        {"stream": "storage", "session": "job-1"},
    ],
    ids=["unlabelled", "of-a-server", "naming-the-session"],
)
def test_a_server_that_nobody_knows_weighs_on_no_session(labels: dict[str, str]) -> None:
    world = story()
    settle(world)
    before = shown(world)
    assert send(world, "storage_vendor", "/api/v1/logs", OFFLINE, **labels).status_code == 200
    settle(world)
    assert shown(world) == before
    assert DOWN not in told(world)
    with organization_scope(world.parties["storage_vendor"].pk):
        assert LogStream.objects.filter(organization=world.parties["storage_vendor"]).exists()


def test_an_open_question_says_what_would_tell_whether_the_session_uses_it() -> None:
    world = story()
    settle(world)
    assert not {each for each in asked(world) if each.startswith("inventory")}
    send(world, "storage_vendor", "/api/v1/logs", OFFLINE, stream="storage")
    settle(world)
    assert {each for each in asked(world) if each.startswith("inventory")} == {
        "inventory: says-if-storage-used"
    }


@pytest.mark.parametrize("hosts", [[], ["gpu001"]])
def test_an_inventory_says_whom_a_server_serves(hosts: list[str]) -> None:
    world = story()
    said = {"mounts": [{"path": "/ckpt", "server": "nas1", "hosts": hosts}]}
    assert send(world, "operator", "/api/v1/inventory", said).status_code == 200
    send(world, "storage_vendor", "/api/v1/logs", OFFLINE, stream="storage", host="nas1")
    settle(world)
    assert DOWN in told(world)
    assert shown(world)[-1][1:3] == ("storage", "nfs-unavailable")


@pytest.mark.parametrize("who", ["storage_vendor", "tenant"])
def test_no_vendor_and_no_tenant_lists_whom_a_server_serves(who: str) -> None:
    world = story()
    said = {"mounts": [{"path": "/ckpt", "server": "nas1"}]}
    send(world, who, "/api/v1/inventory", said)
    send(world, "storage_vendor", "/api/v1/logs", OFFLINE, stream="storage", host="nas1")
    settle(world)
    assert DOWN not in told(world)


@pytest.mark.parametrize(
    ("who", "host", "is_known"),
    [
        ("operator", "gpu001", True),
        ("operator", "gpu009", False),
        ("tenant", "gpu001", False),
        ("victim", "gpu001", False),
        ("storage_vendor", "gpu001", False),
    ],
)
def test_a_kernel_line_of_the_sessions_host_says_what_it_mounts(
    who: str, host: str, *, is_known: bool
) -> None:
    world = story()
    send(world, who, "/api/v1/logs", WAITS.format(host=host), stream="kernel", host=host)
    send(world, "storage_vendor", "/api/v1/logs", OFFLINE, stream="storage", host="nas1")
    settle(world)
    assert (DOWN in told(world)) == is_known


@pytest.mark.parametrize(("client", "counts"), [("10.0.0.1", True), ("10.0.0.9", False)])
def test_a_line_that_names_a_client_speaks_for_the_session_on_it(
    client: str, *, counts: bool
) -> None:
    world = story()
    nodes = [
        {"name": f"gpu00{number}", "aliases": [f"10.0.0.{number}"], "devices": []}
        for number in (1, 9)
    ]
    assert send(world, "operator", "/api/v1/inventory", {"nodes": nodes}).status_code == 200
    line = EVICTS.format(client=client)
    send(world, "storage_vendor", "/api/v1/logs", line, stream="storage")
    settle(world)
    assert ("lustre-server-evicts" in told(world)) == counts


@pytest.mark.parametrize(
    ("who", "mounts", "counts"),
    [
        ("storage_vendor", [], False),
        ("storage_vendor", [{"path": "/ckpt", "server": "nas1"}], True),
        ("operator", [], True),
    ],
)
def test_a_vendors_metrics_of_a_server_count_where_it_serves_the_session(
    who: str, mounts: list[dict[str, str]], *, counts: bool
) -> None:
    world = story()
    send(world, "operator", "/api/v1/inventory", {"mounts": mounts})
    slow = replace(
        SERVER, starts_at=AT - timedelta(minutes=5), ends_at=AT, layer=Layer.STORAGE, hosts=()
    )
    with organization_scope(world.parties[who].pk):
        source = Source.objects.create(
            organization=world.parties[who],
            public_id="SRC-NAS",
            cluster=world.cluster,
            kind="prometheus",
            name="nas",
            url="https://metrics.example",
            created_at=NOW,
        )
        write_anomalies(source=source, anomalies=[slow], now=NOW)
    settle(world)
    with organization_scope(*world.ids):
        attempt = Attempt.objects.select_related("session__cluster").get()
        found = [each.entity.name for each in gather(attempt=attempt).anomalies]
    assert found == (["nas1"] if counts else [])


def test_the_operators_own_line_is_its_word() -> None:
    world = story()
    send(world, "operator", "/api/v1/logs", OFFLINE, stream="storage", host="nas1")
    settle(world)
    assert DOWN in told(world)


def test_who_runs_the_cluster_and_its_storage_speaks_as_who_runs_it() -> None:
    world = story()
    make.participation(
        organization=world.parties["operator"],
        cluster=world.cluster,
        part=ParticipationRole.STORAGE_VENDOR,
    )
    send(world, "operator", "/api/v1/logs", OFFLINE, stream="storage", host="nas1")
    settle(world)
    assert DOWN in told(world)
