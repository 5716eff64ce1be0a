"""A tenant whose word is taken for its hosts names some that the scheduler gave to another."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest

from apps.fleet.models import Attempt, ParticipationRole
from apps.fleet.parties.host_agreements import agree
from apps.telemetry.metrics.peer_groups import scene_between
from apps.telemetry.scheduler.reports import look_again
from apps.tenancy.scope import organization_scope
from tests.cast.parties import NOW, World, build, send, settle
from tests.contracts.forgery_scene import AT, BEGAN, XID, died, entries, incident_of

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def _trusting() -> World:
    """Return the parties, whose operator takes the tenant's word for its hosts."""
    world = build()
    _agree(world, "tenant")
    return world


def _agree(world: World, who: str) -> None:
    attempts = agree(
        cluster=world.cluster,
        slug=world.parties[who].slug,
        part=ParticipationRole.TENANT,
        is_agreed=True,
        now=NOW - timedelta(days=1),
    )
    with organization_scope(*world.ids):
        look_again(organization_id=world.parties["operator"].pk, attempts=attempts or [], now=NOW)


def _told(world: World, who: str, session: str, host: str, **said: Any) -> None:
    project = "solar" if session == "job-1" else "lunar"
    body = {"session": session, "scheduler": "slurm", "project": project, "hosts": [host]}
    event = {"state": "running", "at": BEGAN, **body, **said}
    assert send(world, who, "/api/v1/session-events", event).status_code == 200


def _victim_runs(world: World, host: str = "gpu001") -> None:
    _told(world, "platform", "job-1", host)


def _liar_names(world: World, host: str = "gpu001", at: datetime = AT - HOUR) -> None:
    _told(world, "tenant", "job-2", host, at=at.isoformat())
    died(world, "tenant", "job-2", host=host)


def _is_trusted(world: World, session: str) -> bool:
    with organization_scope(*world.ids):
        return Attempt.objects.get(session__name=session).hosts_asserted


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("spelling", ["gpu001", "GPU001.cluster.example", "n7"])
def test_it_reads_nothing_of_them_whatever_was_told_first(*, is_first: bool, spelling: str) -> None:
    world = _trusting()
    send(world, "operator", "/api/v1/inventory", {"nodes": [{"name": "gpu001", "aliases": ["n7"]}]})
    told: list[Callable[[], None]] = [
        partial(_victim_runs, world),
        partial(_liar_names, world, spelling),
    ]
    for tell in told if is_first else reversed(told):
        tell()
        settle(world)
    send(world, "operator", "/api/v1/logs", XID, stream="kernel", host="gpu001")
    settle(world)

    assert (_is_trusted(world, "job-1"), _is_trusted(world, "job-2")) == (True, False)
    assert incident_of(world, "tenant").cause != "gpu-off-bus"


def test_what_it_read_before_anybody_told_of_the_other_is_taken_back() -> None:
    world = _trusting()
    _liar_names(world)
    send(world, "operator", "/api/v1/logs", XID, stream="kernel", host="gpu001")
    settle(world)
    before = incident_of(world, "tenant").cause
    _victim_runs(world)
    settle(world)

    assert (before, _is_trusted(world, "job-2")) == ("gpu-off-bus", False)
    assert incident_of(world, "tenant").cause != "gpu-off-bus"


def test_its_starts_mute_no_warning_there() -> None:
    world = _trusting()
    _victim_runs(world)
    _told(world, "tenant", "job-2", "gpu001", at=AT.isoformat())

    operator = world.parties["operator"].pk
    with organization_scope(operator):
        scene = scene_between(
            organization_id=operator,
            cluster_id=world.cluster.pk,
            starts_at=AT - HOUR,
            ends_at=AT + HOUR,
        )
    assert [group.starts_at for group in scene.groups] == [AT - HOUR]


def test_the_agreement_lifts_no_such_claim_and_who_runs_the_cluster_reads_of_it() -> None:
    world = build()
    _victim_runs(world)
    _liar_names(world)
    _agree(world, "tenant")
    settle(world)

    assert not _is_trusted(world, "job-2")
    ((who, _),) = entries(world, "platform", "session.contradicted")
    assert who == f"organization:{world.parties['tenant'].slug}"
    assert entries(world, "victim", "session.contradicted") == []


@pytest.mark.parametrize(
    "others", ["elsewhere", "before", "after", "own", "confirmed", "handed-over"]
)
def test_whoever_names_its_own_hosts_stays_believed(others: str) -> None:
    world = _trusting()
    victim: dict[str, Any] = {
        "elsewhere": ("platform", "job-1", "gpu007", {}),
        "before": ("platform", "job-1", "gpu001", {"at": (AT - 3 * HOUR).isoformat()}),
        "after": ("platform", "job-1", "gpu001", {"at": (AT + HOUR / 2).isoformat()}),
        "own": ("platform", "job-3", "gpu001", {}),
        "confirmed": ("platform", "job-1", "gpu001", {}),
        "handed-over": ("platform", "job-1", "gpu001", {"at": (AT - 3 * HOUR).isoformat()}),
    }
    who, session, host, said = victim[others]
    if others == "after":  # its own log was heard so far, and no end was told
        _liar_names(world)
        settle(world)
    _told(world, who, session, host, **said)
    ends = {"before": AT - 2 * HOUR, "handed-over": AT - HOUR + timedelta(seconds=40)}
    if others in ends:
        _told(world, who, session, host, state="failed", at=ends[others].isoformat())
    _liar_names(world)
    if others == "confirmed":
        _told(world, "platform", "job-2", "gpu001")
    send(world, "operator", "/api/v1/logs", XID, stream="kernel", host="gpu001")
    settle(world)

    assert _is_trusted(world, "job-2")
    with organization_scope(*world.ids):
        assert Attempt.objects.filter(hosts_asserted=True).count() == 2
