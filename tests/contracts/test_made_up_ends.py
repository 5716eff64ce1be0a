"""A tenant says that its session ended well: what that does to an incident that others share."""

import pytest

from apps.incidents.models import Incident, IncidentSession
from apps.tenancy.scope import organization_scope
from tests.cast.parties import NOW, World, build, send, settle
from tests.contracts.forgery_scene import two_sessions_on_one_server

SHOWN = ("public_id", "kind", "status", "layer", "cause", "probability", "culprits")
JOBS = {"victim": "job-1", "tenant": "job-2"}


def ends_well(world: World, who: str) -> None:
    """Let a tenant report a good end of its own session, after the stop."""
    said = {"session": JOBS[who], "scheduler": "slurm", "state": "finished", "at": NOW.isoformat()}
    assert send(world, who, "/api/v1/session-events", said).status_code == 200
    settle(world)


def stored(world: World, *more: str) -> list[tuple[object, ...]]:
    """Return what incidents say."""
    with organization_scope(*world.ids):
        return list(Incident.objects.order_by("id").values_list(*SHOWN, *more))


def hit(world: World) -> list[str]:
    """Return whose sessions are part of any."""
    with organization_scope(*world.ids):
        rows = IncidentSession.objects.order_by("session__name")
        return list(rows.values_list("session__name", flat=True))


@pytest.mark.django_db
def test_a_good_end_that_a_tenant_tells_takes_nothing_from_what_others_share() -> None:
    # What logs of both sides told of the stop stands: a state is one voice among them.
    world = build()
    two_sessions_on_one_server(world)
    before, with_revision = stored(world), stored(world, "revision", "end_state")
    assert [each[1:3] for each in before] == [("shared", "open")]
    assert hit(world) == ["job-1", "job-2"]

    ends_well(world, "tenant")
    assert stored(world, "revision", "end_state") == with_revision
    assert hit(world) == ["job-1", "job-2"]

    ends_well(world, "victim")  # the other one, too
    assert stored(world) == before
    assert hit(world) == ["job-1", "job-2"]
