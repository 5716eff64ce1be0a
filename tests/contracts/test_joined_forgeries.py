"""What joins others' facts to a session is what who runs the cluster told: name, time, nodes."""

from datetime import timedelta
from typing import Any

import pytest

from apps.fleet.models import Attempt, ParticipationRole
from apps.fleet.parties.leave_cluster import give_up
from apps.fleet.placement.topology import topology_of
from apps.incidents.correlation import capture_orders
from apps.incidents.models import Incident
from apps.telemetry.models import EvidenceCapture, Source
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.parties import NOW, World, build, send, settle
from tests.contracts.forgery_scene import AT, BEGAN, NCCL, XID

pytestmark = [pytest.mark.django_db, pytest.mark.sweep]
STAMP = f"{AT:%Y-%m-%dT%H:%M:%S}"
OOM = (
    f"{STAMP}+00:00 [rank3]: torch.OutOfMemoryError: CUDA out of memory. "
    "Tried to allocate 20.00 GiB. GPU 3 has a total capacity of 79.10 GiB"
)
LOST = f"[{STAMP}.000] error: Nodes gpu001 not responding, setting DOWN"


def _told(world: World, who: str, session: str, **said: Any) -> None:
    body = {"session": session, "scheduler": "slurm", **said}
    assert send(world, who, "/api/v1/session-events", body).status_code == 200


def _causes(world: World) -> dict[str, str]:
    """Return the cause of each party's incidents."""
    with organization_scope(*world.ids):
        names = {party.pk: name for name, party in world.parties.items()}
        return {names[each.organization_id]: each.cause for each in Incident.objects.order_by("id")}


@pytest.mark.parametrize("job", ["", "4712", "o"])
def test_a_job_name_that_its_user_chose_takes_no_line_from_others(job: str) -> None:
    world = build()
    _told(world, "platform", "a-1", project="lunar", state="running", at=BEGAN, hosts=["gpu009"])
    if job:
        _told(world, "tenant", "a-1", job=job)
    send(world, "platform", "/api/v1/logs", OOM, session="4712", rank="3", stream="session")
    _told(world, "platform", "4712", project="solar", state="running", at=BEGAN, hosts=["gpu001"])
    _told(world, "platform", "4712", project="solar", state="failed", at=AT.isoformat())
    settle(world)
    assert _causes(world) == {"victim": "cuda-oom"}


@pytest.mark.parametrize("is_forged", [False, True])
def test_a_tenant_moves_its_session_to_no_time_that_the_scheduler_did_not_tell(
    *, is_forged: bool
) -> None:
    world = build()
    send(world, "operator", "/api/v1/logs", XID, stream="kernel", host="gpu001")
    later = (AT + timedelta(hours=2)).isoformat()
    _told(world, "platform", "4999", project="lunar", state="running", at=later, hosts=["gpu001"])
    send(world, "tenant", "/api/v1/logs", NCCL, session="4999", rank="0")
    if is_forged:
        before, after = AT - timedelta(minutes=50), AT + timedelta(seconds=20)
        _told(world, "tenant", "4999", state="running", at=before.isoformat())
        _told(world, "tenant", "4999", state="failed", at=after.isoformat())
    settle(world)
    assert "gpu-off-bus" not in _causes(world).values()
    with organization_scope(*world.ids):
        assert Attempt.objects.get().started_at == AT + timedelta(hours=2)


def test_a_line_that_names_other_nodes_is_no_evidence() -> None:
    world = build()
    _told(world, "platform", "4999", project="lunar", state="running", at=BEGAN, hosts=["gpu009"])
    send(world, "tenant", "/api/v1/logs", NCCL, session="4999", rank="0")
    send(world, "platform", "/api/v1/logs", LOST, stream="scheduler", tz="UTC")
    settle(world)
    assert _causes(world)["tenant"] != "node-unreachable"


@pytest.mark.parametrize("who", ["gpu_vendor", "tenant"])
def test_no_strangers_source_is_asked_about_the_hosts_of_an_incident(who: str) -> None:
    world = build()
    for owner in (who, "operator"):
        party = world.parties[owner]
        with organization_scope(party.pk):
            Source.objects.create(
                organization=party,
                public_id=f"SRC-{owner}",
                cluster=world.cluster,
                kind="prometheus",
                name="mine",
                url="https://metrics.example",
                created_at=NOW,
            )
    send(world, "operator", "/api/v1/logs", XID, stream="kernel", host="gpu001")
    _told(world, "platform", "4712", project="solar", state="running", at=BEGAN, hosts=["gpu001"])
    _told(world, "platform", "4712", project="solar", state="failed", at=AT.isoformat())
    send(world, "victim", "/api/v1/logs", NCCL, session="4712", rank="0")
    settle(world)
    with organization_scope(*world.ids):
        incident = Incident.objects.get(organization=world.victim)
    capture_orders.request(incident=incident, now=NOW)
    with organization_scope(*world.ids):
        asked = set(EvidenceCapture.objects.values_list("organization_id", flat=True))
    assert asked == {world.parties["operator"].pk}


def test_who_ran_the_cluster_once_asserts_nothing_more_as_a_vendor() -> None:
    world = build()
    old, new = world.parties["operator"], make.organization()
    make.participation(organization=new, cluster=world.cluster, part=ParticipationRole.OPERATOR)
    make.participation(
        organization=old, cluster=world.cluster, part=ParticipationRole.STORAGE_VENDOR
    )
    with organization_scope(old.pk):
        give_up(
            organization=old,
            cluster=world.cluster,
            part=ParticipationRole.OPERATOR,
            now=NOW - timedelta(minutes=40),
        )
    said = {"mounts": [{"path": "/ckpt", "server": "evil"}]}
    assert send(world, "operator", "/api/v1/inventory", said).status_code == 200
    _told(world, "platform", "4712", project="solar", state="running", at=BEGAN, hosts=["gpu001"])
    with organization_scope(*world.ids, new.pk):
        attempt = Attempt.objects.select_related("session").get()
        assert topology_of(attempt=attempt).mounts == {}
