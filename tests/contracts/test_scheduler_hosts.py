"""The log of who runs the scheduler confirms where a job runs; a job's number is nobody's proof."""

from datetime import timedelta
from typing import Any

import pytest

from apps.fleet.models import Attempt, Participation, ParticipationRole, Session
from apps.fleet.sessions.session_rows import public_id
from apps.incidents.models import Incident
from apps.telemetry.scheduler.allocated_hosts import with_confirmed_hosts
from apps.tenancy.models import AuditEntry
from apps.tenancy.scope import organization_scope
from tests.cast.parties import NOW, World, build, send, settle
from tests.contracts.forgery_scene import AT, NCCL, XID

pytestmark = pytest.mark.django_db
BEGAN = AT - timedelta(hours=1)


def allocate(world: World, who: str, said: str, *, minutes: int = 0, **query: str) -> None:
    """Send a line of slurmctld's log, told in UTC unless something else is said of it."""
    at = BEGAN + timedelta(minutes=minutes)
    line = f"[{at:%Y-%m-%dT%H:%M:%S}.000] sched: Allocate {said} #CPUs=768 Partition=train"
    answer = send(world, who, "/api/v1/logs", line, stream="scheduler", **query or {"tz": "UTC"})
    assert answer.status_code == 200


def story(*, is_told: bool, tenants: int = 2) -> World:
    """Return parties; the victim's job 4711 died, and its operator knows that gpu001 had an Xid."""
    world = build()
    if tenants == 1:
        with organization_scope(world.parties["tenant"].pk):
            Participation.objects.filter(
                organization=world.parties["tenant"], part=ParticipationRole.TENANT
            ).delete()
    if is_told:
        report = {"session": "4711", "scheduler": "slurm", "project": "solar", "state": "running"}
        send(world, "platform", "/api/v1/session-events", {**report, "at": BEGAN.isoformat()})
    send(world, "operator", "/api/v1/logs", XID, stream="kernel", host="gpu001")
    send(world, "victim", "/api/v1/logs", NCCL, session="4711", rank="0")
    return world


def outcome(world: World) -> tuple[str, list[str], bool]:
    """Return the victim's cause, and its hosts by what they rest on."""
    settle(world)
    with organization_scope(*world.ids):
        attempt = Attempt.objects.get(organization=world.victim)
        incident = Incident.objects.get(organization=world.victim)
    return incident.cause, attempt.hosts, attempt.hosts_asserted


def test_the_schedulers_log_confirms_the_hosts_of_a_session_that_was_told() -> None:
    world = story(is_told=True)
    allocate(world, "operator", "JobId=4711 NodeList=gpu[001-002,007]")
    allocate(world, "operator", "JobId=4712 NodeList=gpu009")

    found = outcome(world)
    assert found == ("gpu-off-bus", ["gpu001", "gpu002", "gpu007"], True)
    with organization_scope(world.victim.pk):
        told = AuditEntry.objects.filter(action="session.asserted").values_list("actor", flat=True)
        assert f"organization:{world.parties['operator'].slug}" in told


def test_of_the_only_tenant_the_schedulers_log_alone_confirms_them() -> None:
    world = story(is_told=False, tenants=1)
    allocate(world, "platform", "JobId=4711 NodeList=gpu001")
    assert outcome(world) == ("gpu-off-bus", ["gpu001"], True)


def test_a_tenant_that_calls_its_session_after_anothers_job_learns_nothing() -> None:
    world = story(is_told=False)
    allocate(world, "operator", "JobId=4711 NodeList=gpu001")
    cause, hosts, is_asserted = outcome(world)
    assert (cause == "gpu-off-bus", hosts, is_asserted) == (False, [], False)


@pytest.mark.parametrize("who", ["tenant", "victim"])
def test_no_tenants_scheduler_log_confirms_any(who: str) -> None:
    world = story(is_told=True)
    allocate(world, who, "JobId=4711 NodeList=gpu001")
    cause, hosts, is_asserted = outcome(world)
    assert (cause == "gpu-off-bus", hosts, is_asserted) == (False, [], False)


def _attempts(
    world: World, name: str, *said: dict[str, Any], scheduler: str = "slurm"
) -> list[list[str]]:
    """Return the hosts of each attempt of a session of this name, by the scheduler's log alone."""
    with organization_scope(*world.ids):
        session = Session.objects.create(
            organization=world.victim,
            public_id=public_id(),
            cluster=world.cluster,
            scheduler=scheduler,
            name=name,
            is_asserted=True,
            created_at=NOW,
        )
        for number, fields in enumerate(said, start=1):
            Attempt.objects.create(
                organization=world.victim, session=session, number=number, **fields
            )
        rows = list(session.attempts.select_related("session__cluster").order_by("number"))
    return [sorted(with_confirmed_hosts(attempt=row, now=NOW).hosts) for row in rows]


def test_arrays_parts_of_jobs_and_second_starts_have_their_own_nodes() -> None:
    world = story(is_told=True)
    for said in (
        "JobId=4711_3(4714) NodeList=gpu003",
        "JobId=4711_4(4715) NodeList=gpu004",
        "JobId=5000+0 NodeList=gpu010",
        "JobId=5000+1(5001) NodeList=gpu011",
        "JobId=6000 NodeList=gpu020",
    ):
        allocate(world, "platform", said)
    allocate(world, "platform", "JobId=6000 NodeList=gpu021", minutes=30)
    settle(world)
    one: dict[str, Any] = {}
    first = {"started_at": BEGAN, "ended_at": BEGAN + timedelta(minutes=20)}
    second = {"started_at": BEGAN + timedelta(minutes=30)}

    assert _attempts(world, "4711_3", one) == [["gpu003"]]
    assert _attempts(world, "4715", one) == [["gpu004"]]
    assert _attempts(world, "4711", one, scheduler="") == [[]]
    assert _attempts(world, "5000", one) == [["gpu010", "gpu011"]]
    assert _attempts(world, "6000", one, scheduler="") == [["gpu021"]]
    assert _attempts(world, "6000", one, scheduler="backend.ai") == [[]]
    assert _attempts(world, "6000", first, second) == [["gpu020"], ["gpu021"]]
    assert _attempts(world, "6000", one, one, scheduler="SLURM") == [[], []]


def test_of_several_starts_only_a_clock_with_a_zone_tells_which_got_the_nodes() -> None:
    world = story(is_told=True)
    allocate(world, "platform", "JobId=7000 NodeList=gpu030", host="slurmctl")
    settle(world)
    first = {"started_at": BEGAN, "ended_at": BEGAN + timedelta(minutes=20)}
    second = {"started_at": BEGAN + timedelta(minutes=30)}

    assert _attempts(world, "7000", {"started_at": BEGAN}) == [["gpu030"]]
    assert _attempts(world, "7000", first, second, scheduler="SLURM") == [[], []]
