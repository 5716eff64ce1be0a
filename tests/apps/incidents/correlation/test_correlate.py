"""One incident per stop, the same whatever came first."""

from dataclasses import replace
from datetime import timedelta

import pytest

from apps.diagnosis.model import (
    Diagnosis,
    Disturbance,
    EndState,
    Layer,
    Restart,
    Verdict,
    VerdictStatus,
    statement,
)
from apps.incidents.correlation.incident_rows.hit_attempts import SETTLES_AFTER
from apps.incidents.lifecycle.acknowledge import acknowledge
from apps.incidents.models import Incident, TimelineEntry
from apps.incidents.projection.access import access_incidents
from apps.incidents.states import IncidentStatus
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.correlation.struck_sessions import (
    GPU,
    GPU_LOST,
    LATER,
    NOW,
    SOON,
    STORAGE,
    UNKNOWN,
    _look,
    listed,
)
from tests.cast import make
from tests.cast.incidents import Cast, actor, attempt_of

LOOK = statement("text", text="Look at the host")
WOULD = statement("shows-host-error")
HEALTHY = replace(
    UNKNOWN, verdict=replace(UNKNOWN.verdict, status=VerdictStatus.NO_FAILURE), failed_at=None
)
HOT = Disturbance(
    entity=GPU,
    verdict=Verdict(
        status=VerdictStatus.POSSIBLE,
        layer=Layer.GPU,
        cause="gpu-throttling",
        probability=0.7,
        cause_probability=0.7,
        culprits=(GPU,),
    ),
    restart=Restart(advice="restart-without", exclude_hosts=("gpu001",)),
    starts_at=make.AT - timedelta(minutes=40),
    ends_at=make.AT - timedelta(minutes=10),
)
SLOWED = replace(HEALTHY, end_state=EndState.RUNNING, disturbances=(HOT,))
SLOWED_THEN_LOST = replace(GPU_LOST, disturbances=(HOT,))


def test_looking_twice_writes_nothing_new(cast: Cast) -> None:
    attempt = attempt_of(cast, cast.tenant)
    first = _look(cast, attempt, GPU_LOST, SOON)
    with organization_scope(*cast.ids):
        before = TimelineEntry.objects.count()
    second = _look(cast, attempt, GPU_LOST, LATER)
    with organization_scope(*cast.ids):
        assert TimelineEntry.objects.count() == before
    assert (first.has_changed, second.has_changed) == (True, False)
    assert listed(cast) == [("stop", "open", "gpu-off-bus")]


def test_a_changed_verdict_is_a_revision_of_the_same_incident(cast: Cast) -> None:
    attempt = attempt_of(cast, cast.tenant)
    _look(cast, attempt, UNKNOWN, SOON)
    outcome = _look(cast, attempt, GPU_LOST, LATER)
    assert outcome.incident is not None
    assert outcome.incident.revision == 2
    assert listed(cast) == [("stop", "open", "gpu-off-bus")]


@pytest.mark.parametrize("first", [STORAGE, GPU_LOST, UNKNOWN])
def test_what_was_believed_before_does_not_matter(cast: Cast, first: Diagnosis) -> None:
    attempt = attempt_of(cast, cast.tenant)
    _look(cast, attempt, first, SOON)
    _look(cast, attempt, GPU_LOST, LATER)
    with organization_scope(cast.tenant.pk):
        shown = [(i.kind, i.cause) for i in access_incidents(actor=actor(cast.tenant))]
    assert shown == [("stop", "gpu-off-bus")]


def test_an_incident_without_ground_leaves_the_list(cast: Cast) -> None:
    attempt = attempt_of(cast, cast.tenant)
    _look(cast, attempt, GPU_LOST, SOON)
    _look(cast, attempt, HEALTHY, LATER)
    with organization_scope(cast.tenant.pk):
        assert list(access_incidents(actor=actor(cast.tenant))) == []


def test_a_running_session_of_which_nothing_is_known_is_no_incident(cast: Cast) -> None:
    silent = replace(UNKNOWN, failed_at=None, end_state=EndState.RUNNING)
    outcome = _look(cast, attempt_of(cast, cast.tenant), silent, SOON)
    assert outcome.incident is None


def test_what_slows_a_running_session_is_an_incident_of_the_part(cast: Cast) -> None:
    attempt = attempt_of(cast, cast.tenant)
    _look(cast, attempt, SLOWED, SOON)
    _look(cast, attempt, SLOWED, LATER)
    with organization_scope(*cast.ids):
        incident = Incident.objects.get()
    assert (incident.kind, incident.entity) == ("slow", "gpu:gpu001/3")
    assert (incident.cause, incident.started_at) == ("gpu-throttling", HOT.starts_at)


@pytest.mark.parametrize("first", [SLOWED, GPU_LOST, SLOWED_THEN_LOST])
def test_a_stop_stays_apart_from_what_slowed_the_attempt_before(
    cast: Cast, first: Diagnosis
) -> None:
    attempt = attempt_of(cast, cast.tenant)
    _look(cast, attempt, first, SOON)
    _look(cast, attempt, SLOWED_THEN_LOST, LATER)
    assert sorted(listed(cast)) == [
        ("slow", "open", "gpu-throttling"),
        ("stop", "open", "gpu-off-bus"),
    ]


def test_a_disturbance_that_is_no_longer_found_ends(cast: Cast) -> None:
    attempt = attempt_of(cast, cast.tenant)
    _look(cast, attempt, SLOWED_THEN_LOST, SOON)
    _look(cast, attempt, GPU_LOST, LATER)
    assert sorted(listed(cast)) == [
        ("slow", "withdrawn", "gpu-throttling"),
        ("stop", "open", "gpu-off-bus"),
    ]


def test_one_that_people_acted_on_stays_as_withdrawn_with_the_reason(cast: Cast) -> None:
    attempt = attempt_of(cast, cast.tenant)
    outcome = _look(cast, attempt, GPU_LOST, SOON)
    assert outcome.incident is not None
    with organization_scope(cast.tenant.pk):
        acknowledge(actor=actor(cast.tenant), incident=outcome.incident, now=NOW)
    _look(cast, attempt, HEALTHY, LATER)
    with organization_scope(cast.tenant.pk):
        (shown,) = access_incidents(actor=actor(cast.tenant))
    assert shown.status == IncidentStatus.WITHDRAWN
    assert shown.withdrawal == {"kind": "no-failure-found", "values": {}}


def test_it_settles_five_and_a_half_minutes_after_detection(cast: Cast) -> None:
    attempt = attempt_of(cast, cast.tenant)
    assert not _look(cast, attempt, GPU_LOST, SOON).is_settled
    assert _look(cast, attempt, GPU_LOST, SOON + SETTLES_AFTER).is_settled


def test_what_was_too_much_to_look_at_is_said_to_every_party(cast: Cast) -> None:
    attempt = attempt_of(cast, cast.tenant)
    for after in (SOON, LATER):
        assert _look(cast, attempt, GPU_LOST, after, is_cut=True).incident is not None
    with organization_scope(cast.vendor.pk):
        titles = [entry.title for entry in TimelineEntry.objects.filter(kind="cut")]
    (title,) = titles
    assert "the first and the last were looked at" in title
