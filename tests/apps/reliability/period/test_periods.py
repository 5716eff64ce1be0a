"""A period in figures: what is counted, and what adds up."""

from datetime import date, datetime, timedelta
from typing import Any

import pytest

from apps.incidents.models import Incident
from apps.reliability.facade.periods import BadPeriod, period_of, scope_of
from apps.reliability.models import AttemptHour, AttemptMeasure
from apps.reliability.period.scopes import Absence, Audience
from apps.reliability.period.tables import LOSS_KINDS, counted_by, figures_of
from apps.reliability.period.values import HourShare
from apps.tenancy.scope import organization_scope
from apps.training.instants import milliseconds
from tests.apps.reliability.period.asked_periods import DAY, FIRST, GPUS, LAST, NOW, period, stopped
from tests.cast.incidents import Cast, actor, attempt_of
from tests.cast.training_season import FIRST_DAY, build_season

pytestmark = pytest.mark.django_db


def test_time_to_a_failure_is_the_time_of_running_over_the_failures(cast: Cast) -> None:
    first, _ = stopped(cast)
    found = period(cast, cast.tenant).time_to_failure
    assert found.run_hours == pytest.approx(14)
    assert found.hours.value == pytest.approx(14)
    assert found.hours.n == 1
    low, high = found.hours.interval or (0, 0)
    assert low < 14 < (high or 0)
    assert found.hours.counted is not None
    assert found.hours.counted.ids == (f"{first.session.public_id}#1",)
    assert found.node_days == pytest.approx(14 * 8 / 24)
    assert found.typical_gpus == GPUS
    assert found.expected is not None
    assert found.expected.hours == pytest.approx(24 / (8 * 6.5e-3))
    assert [each.measured_elsewhere_hours for each in found.curve if each.gpus == 1024] == [7.9]


def test_without_a_failure_the_time_to_one_is_not_known_and_has_a_lower_bound(cast: Cast) -> None:
    attempt_of(
        cast, cast.tenant, started_at=DAY, ended_at=DAY + timedelta(hours=5), state="finished"
    )
    figure = period(cast, cast.tenant).time_to_failure.hours
    assert figure.value is None
    assert figure.absence is Absence.NOTHING
    assert figure.interval is not None
    assert figure.interval[0] == pytest.approx(5 / 3.6889, rel=1e-3)
    assert figure.interval[1] is None


def test_of_no_session_nothing_is_zero(cast: Cast) -> None:
    found = period(cast, cast.tenant)
    values = {name: each.value for name, each in figures_of(found).items()}
    assert {name for name, value in values.items() if value is not None} == set()
    assert found.division.uses == ()
    assert found.division.hours == ()


def test_the_hour_that_runs_is_in_no_line_of_hours(cast: Cast) -> None:
    begun = hours_of_steps(cast, *range(3))
    asked = {"first_day": NOW.date() - timedelta(days=1), "last_day": NOW.date()}
    early, late = (
        [each.ends_at for each in hours_at(cast, begun + timedelta(minutes=minutes), asked)]
        for minutes in (59, 60)
    )
    assert early == [begun - timedelta(hours=1), begun]
    assert late == [*early, begun + timedelta(hours=1)]


def test_an_hour_without_steps_between_others_is_a_gap_and_no_zero(cast: Cast) -> None:
    begun = hours_of_steps(cast, 1, 4)
    asked = {"first_day": NOW.date() - timedelta(days=1), "last_day": NOW.date()}
    hours = hours_at(cast, begun + timedelta(hours=1), asked)
    assert [(each.ends_at, each.hour, each.cumulative) for each in hours] == [
        (begun - timedelta(hours=back - 1), share, 1.0)
        for back, share in ((4, 1.0), (3, None), (2, None), (1, 1.0))
    ]


def hours_of_steps(cast: Cast, *backs: int) -> datetime:
    """Let the tenant make steps in hours so far before the one that runs; return its begin."""
    attempt = attempt_of(cast, cast.tenant, started_at=NOW - timedelta(hours=3), state="running")
    begun = NOW.replace(minute=0, second=0, microsecond=0)
    with organization_scope(cast.tenant.pk):
        for back in backs:
            AttemptHour.objects.create(
                organization=cast.tenant,
                attempt=attempt,
                session=attempt.session,
                hour=begun - back * timedelta(hours=1),
                is_told=True,
                productive_ms=60_000,
            )
    return begun


def hours_at(cast: Cast, now: datetime, asked: dict[str, Any]) -> tuple[HourShare, ...]:
    """Return the hours that the tenant reads at an instant."""
    reader = actor(cast.tenant)
    with organization_scope(cast.tenant.pk):
        scope = scope_of(actor=reader, **asked)
        return period_of(actor=reader, scope=scope, now=now, channel=None).division.hours


def test_a_range_cuts_what_ran_over_its_edges(cast: Cast) -> None:
    attempt_of(
        cast,
        cast.tenant,
        started_at=DAY - timedelta(hours=5),
        ended_at=DAY + timedelta(hours=3),
        state="finished",
    )
    assert period(cast, cast.tenant).time_to_failure.run_hours == pytest.approx(3)
    before = period(cast, cast.tenant, last_day=FIRST, first_day=FIRST).before
    assert before.attempts == 1


def test_an_incident_at_the_end_of_a_range_is_not_in_it(cast: Cast) -> None:
    _, incident = stopped(cast)
    day = timedelta(days=1)
    for at, count in ((DAY, 1), (DAY + 2 * day, 0), (DAY - timedelta(microseconds=1), 0)):
        with organization_scope(*cast.ids):
            Incident.objects.filter(pk=incident.pk).update(started_at=at)
        assert period(cast, cast.tenant).losses.incidents.count == count


def test_uses_add_up_to_the_wall_clock_exactly_and_hours_to_the_uses(cast: Cast) -> None:
    build_season(cast, sessions=8, saves=16)
    days = {"first_day": FIRST_DAY.date(), "last_day": (FIRST_DAY + timedelta(days=80)).date()}
    found = period(cast, cast.tenant, **days)
    division = found.division
    assert division.wall_ms == sum(each.milliseconds for each in division.uses)
    with organization_scope(cast.tenant.pk):
        spans = AttemptMeasure.objects.values_list("starts_at", "ends_at")
        assert division.wall_ms == sum(milliseconds(b) - milliseconds(a) for a, b in spans)
    assert sum(each.share.value or 0 for each in division.uses) == pytest.approx(1)
    assert division.hours[-1].cumulative == pytest.approx(division.goodput.value)
    assert division.ettr.value is not None
    assert division.goodput.value is not None
    assert division.ettr.value >= division.goodput.value
    total = found.losses.total
    parts = [total.progress.value, total.downtime.value, total.slow.value]
    assert total.gpu_hours.value == pytest.approx(sum(each or 0 for each in parts))
    for kind in LOSS_KINDS:
        shares = found.losses.by[kind]
        assert sum(e.gpu_hours or 0 for e in shares) == pytest.approx(total.gpu_hours.value)
        assert sum(each.incidents.hits for each in shares) == found.losses.incidents.count


def test_a_week_beside_a_week_is_both_together(cast: Cast) -> None:
    build_season(cast, sessions=12, saves=24)
    first = FIRST_DAY.date()
    halves = [
        period(cast, cast.tenant, first_day=a, last_day=b)
        for a, b in (
            (first, first + timedelta(days=39)),
            (first + timedelta(days=40), first + timedelta(days=79)),
        )
    ]
    whole = period(cast, cast.tenant, first_day=first, last_day=first + timedelta(days=79))
    assert whole.division.wall_ms == sum(each.division.wall_ms or 0 for each in halves)
    hours = sum(each.time_to_failure.run_hours or 0 for each in halves)
    assert whole.time_to_failure.run_hours == pytest.approx(hours)
    counts = [each.time_to_failure.hours.n for each in halves]
    assert whole.time_to_failure.hours.n == sum(counts)
    lost = sum(each.losses.total.gpu_hours.value or 0 for each in halves)
    assert whole.losses.total.gpu_hours.value == pytest.approx(lost)
    assert halves[1].before.incidents == halves[0].now.incidents


def test_each_figure_names_what_it_counts(cast: Cast) -> None:
    build_season(cast, sessions=10, saves=20)
    days = {"first_day": FIRST_DAY.date(), "last_day": (FIRST_DAY + timedelta(days=72)).date()}
    found = period(cast, cast.tenant, **days)
    for name, figure in figures_of(found).items():
        counted = counted_by(found, figure=name)
        assert counted == figure.counted, name
    layer = found.losses.by["layer"][0]
    counted = counted_by(found, figure="layer", name=layer.name)
    assert counted is not None
    assert counted.count == layer.incidents.hits
    assert counted_by(found, figure="weather") is None
    assert counted_by(found, figure="layer", name="weather") is None


@pytest.mark.parametrize(
    ("first", "last"),
    [(LAST, FIRST), (date(2020, 1, 1), LAST)],
)
def test_a_range_that_is_none_is_refused(cast: Cast, first: date, last: date) -> None:
    with pytest.raises(BadPeriod, match="1 to 400 days"):
        period(cast, cast.tenant, first_day=first, last_day=last)


def test_a_view_of_a_cluster_names_it(cast: Cast) -> None:
    with pytest.raises(BadPeriod, match="name the cluster"):
        period(cast, cast.tenant, audience=Audience.JOINT, cluster=None)
