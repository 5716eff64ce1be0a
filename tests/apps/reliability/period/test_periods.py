"""A period in figures: what is counted, for whom, and what adds up."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from apps.fleet.models import Attempt, Participation, Session, SessionParty
from apps.incidents.entries import Opinion
from apps.incidents.judgement.feedback import judge
from apps.incidents.models import Incident
from apps.incidents.states import Judgement
from apps.reliability.facade.periods import BadPeriod, period_of, scope_of
from apps.reliability.models import AttemptHour, AttemptMeasure
from apps.reliability.period.scopes import Absence, Audience
from apps.reliability.period.tables import LOSS_KINDS, counted_by, figures_of, table_rows
from apps.reliability.period.values import HourShare, Period
from apps.reliability.prices import set_price
from apps.sharing.ledger_kinds import LedgerChannel
from apps.tenancy.access import NotFound
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from apps.training.instants import milliseconds
from tests.cast.incidents import Cast, actor, attempt_of, stop_of
from tests.cast.make import AT
from tests.cast.training_season import FIRST_DAY, build_season

NOW = AT + timedelta(days=3)
FIRST, LAST = date(2026, 11, 21), date(2026, 11, 22)
DAY = datetime(2026, 11, 21, tzinfo=UTC)
GPUS = 64


def period(cast: Cast, who: Organization, **asked: Any) -> Period:
    """Return the period that an organization reads."""
    asked = {"first_day": FIRST, "last_day": LAST, **asked}
    if asked.get("audience", Audience.OWN) is not Audience.OWN:
        asked.setdefault("cluster", cast.cluster.slug)
    reader = actor(who)
    with organization_scope(who.pk):
        scope = scope_of(actor=reader, **asked)
        return period_of(actor=reader, scope=scope, now=NOW, channel=LedgerChannel.PAGE)


def of_cluster(cast: Cast, who: Organization) -> Period:
    return period(cast, who, audience=Audience.CLUSTER)


def sessions_in(found: Period) -> int | None:
    """Return how many sessions a period counts; None where they are hidden."""
    return found.now.sessions.count if found.now.sessions else None


def stopped(cast: Cast, who: Organization | None = None) -> tuple[Attempt, Incident]:
    """Make an attempt of 64 GPUs on 8 nodes that fails after ten hours; the next one runs for four
    hours, an hour later, and finishes.
    """
    tenant = who or cast.tenant
    first = attempt_of(
        cast,
        tenant,
        started_at=DAY,
        ended_at=DAY + timedelta(hours=10),
        state="failed",
        world_size=GPUS,
        hosts=[f"gpu{each:03d}" for each in range(1, 9)],
    )
    with organization_scope(tenant.pk):
        Attempt.objects.create(
            organization=tenant,
            session=first.session,
            number=2,
            state="finished",
            started_at=DAY + timedelta(hours=11),
            ended_at=DAY + timedelta(hours=15),
            world_size=GPUS,
            hosts=first.hosts,
        )
    return first, stop_of(cast, first)


def without_other_tenant(cast: Cast) -> None:
    """Let the cluster have one tenant."""
    with organization_scope(cast.other_tenant.pk):
        Participation.objects.filter(organization=cast.other_tenant).delete()


@pytest.mark.django_db
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


@pytest.mark.django_db
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


@pytest.mark.django_db
def test_of_no_session_nothing_is_zero(cast: Cast) -> None:
    found = period(cast, cast.tenant)
    values = {name: each.value for name, each in figures_of(found).items()}
    assert {name for name, value in values.items() if value is not None} == set()
    assert found.division.uses == ()
    assert found.division.hours == ()


@pytest.mark.django_db
def test_the_hour_that_runs_is_in_no_line_of_hours(cast: Cast) -> None:
    attempt = attempt_of(cast, cast.tenant, started_at=NOW - timedelta(hours=3), state="running")
    begun = NOW.replace(minute=0, second=0, microsecond=0)
    with organization_scope(cast.tenant.pk):
        for back in range(3):
            AttemptHour.objects.create(
                organization=cast.tenant,
                attempt=attempt,
                session=attempt.session,
                hour=begun - back * timedelta(hours=1),
                is_told=True,
                productive_ms=60_000,
            )
    asked = {"first_day": NOW.date() - timedelta(days=1), "last_day": NOW.date()}
    early, late = (
        [each.ends_at for each in hours_at(cast, begun + timedelta(minutes=minutes), asked)]
        for minutes in (59, 60)
    )
    assert early == [begun - timedelta(hours=1), begun]
    assert late == [*early, begun + timedelta(hours=1)]


def hours_at(cast: Cast, now: datetime, asked: dict[str, Any]) -> tuple[HourShare, ...]:
    """Return the hours that the tenant reads at an instant."""
    reader = actor(cast.tenant)
    with organization_scope(cast.tenant.pk):
        scope = scope_of(actor=reader, **asked)
        return period_of(actor=reader, scope=scope, now=now, channel=None).division.hours


@pytest.mark.django_db
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


@pytest.mark.django_db
def test_an_incident_at_the_end_of_a_range_is_not_in_it(cast: Cast) -> None:
    _, incident = stopped(cast)
    day = timedelta(days=1)
    for at, count in ((DAY, 1), (DAY + 2 * day, 0), (DAY - timedelta(microseconds=1), 0)):
        with organization_scope(*cast.ids):
            Incident.objects.filter(pk=incident.pk).update(started_at=at)
        assert period(cast, cast.tenant).losses.incidents.count == count


@pytest.mark.django_db
def test_losses_are_downtime_times_gpus_where_nobody_tells_steps(cast: Cast) -> None:
    _, incident = stopped(cast)
    found = period(cast, cast.tenant).losses
    assert found.total.gpu_hours.value == pytest.approx(GPUS)  # an hour until the next begin
    assert found.total.gpu_hours.is_at_least
    assert found.total.progress.value is None
    assert found.total.progress.absence is Absence.NOT_TOLD
    for kind in LOSS_KINDS:
        (only,) = found.by[kind]
        assert only.gpu_hours == pytest.approx(GPUS)
        assert (only.incidents.hits, only.incidents.n) == (1, 1)
        assert only.counted.ids == (incident.public_id,)
    names = {kind: found.by[kind][0].name for kind in LOSS_KINDS}
    assert (names["layer"], names["node"]) == ("gpu", "gpu001")
    assert names["party"] == cast.vendor.name
    assert names["month"] == "2026-11"


@pytest.mark.django_db
def test_contested_losses_stand_apart(cast: Cast) -> None:
    _, incident = stopped(cast)
    assert period(cast, cast.tenant).losses.total.disputed.value == 0
    vendor = actor(cast.vendor)
    with organization_scope(cast.vendor.pk):
        told = Opinion(judgement=Judgement.WRONG, layer="network", cause="link-down")
        judge(
            actor=vendor,
            incident=incident,
            opinion=told,
            now=AT + timedelta(minutes=5),
        )
    found = period(cast, cast.tenant).losses
    assert found.total.disputed.value == pytest.approx(GPUS)
    assert found.total.disputed.n == 1
    assert found.by["layer"][0].disputed_gpu_hours == pytest.approx(GPUS)


@pytest.mark.django_db
def test_a_price_turns_losses_into_money_of_ones_own(cast: Cast) -> None:
    stopped(cast)
    assert period(cast, cast.tenant).cost is None
    with organization_scope(cast.tenant.pk):
        set_price(
            actor=actor(cast.tenant, MemberRole.ADMIN),
            per_gpu_hour="2.50",
            currency="eur",
            now=NOW,
        )
    cost = period(cast, cast.tenant).cost
    assert cost is not None
    assert (int(cost.lost or 0), cost.currency) == (160, "EUR")
    assert of_cluster(cast, cast.operator).cost is None


@pytest.mark.django_db
def test_the_operator_counts_times_and_is_told_that_steps_are_hidden(cast: Cast) -> None:
    build_season(cast, sessions=6, saves=12)
    days = {"first_day": FIRST_DAY.date(), "last_day": (FIRST_DAY + timedelta(days=72)).date()}
    own = period(cast, cast.tenant, **days)
    theirs = period(cast, cast.operator, audience=Audience.CLUSTER, **days)
    assert theirs.time_to_failure.hours == own.time_to_failure.hours
    assert own.division.goodput.value is not None
    for figure in ("goodput", "ettr", "mfu-percent", "lost-progress-gpu-hours", "save-seconds"):
        hidden = figures_of(theirs)[figure]
        assert hidden.value is None, figure
        assert hidden.absence is Absence.HIDDEN, figure
    assert theirs.division.uses == ()
    assert theirs.division.hours == ()
    assert {each.figure for each in theirs.withheld} >= {"goodput", "lost-progress"}
    assert theirs.retries.automatic.n == 0
    assert (theirs.retries.unknown_count or 0) > 0


@pytest.mark.django_db
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


@pytest.mark.django_db
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


@pytest.mark.django_db
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


@pytest.mark.django_db
def test_a_vendor_reads_incidents_that_blame_its_layer_and_no_session(cast: Cast) -> None:
    stopped(cast)
    other = attempt_of(cast, cast.tenant, started_at=DAY)
    stop_of(cast, other, layer="software", cause="cuda-out-of-memory", culprits=[])
    found = of_cluster(cast, cast.vendor)
    assert [each.name for each in found.losses.by["layer"]] == ["gpu"]
    assert found.losses.incidents.count == 1
    assert found.now.sessions is None
    assert found.now.attempts is None
    assert found.time_to_failure.run_hours is None
    assert found.retries.longest is None
    assert found.division.wall_ms is None
    assert found.losses.total.gpu_hours.value is None
    assert found.losses.total.gpu_hours.absence is Absence.HIDDEN
    assert found.time_to_failure.hours.absence is Absence.HIDDEN
    assert of_cluster(cast, cast.operator).losses.incidents.count == 2


@pytest.mark.django_db
@pytest.mark.parametrize("audience", [Audience.OWN, Audience.CLUSTER])
def test_another_tenant_counts_nothing_of_it(cast: Cast, audience: Audience) -> None:
    stopped(cast)
    assert sessions_in(period(cast, cast.tenant, audience=audience)) == 1
    found = period(cast, cast.other_tenant, audience=audience)
    assert sessions_in(found) == 0
    assert found.losses.incidents.count == 0
    assert found.time_to_failure.run_hours == 0


@pytest.mark.django_db
def test_a_stranger_finds_no_cluster_and_counts_nothing(cast: Cast) -> None:
    stopped(cast)
    with pytest.raises(NotFound):
        of_cluster(cast, cast.stranger)
    assert sessions_in(period(cast, cast.stranger)) == 0


@pytest.mark.django_db
def test_who_left_the_cluster_counts_no_session_of_others(cast: Cast) -> None:
    stopped(cast)
    assert sessions_in(of_cluster(cast, cast.operator)) == 1
    with organization_scope(*cast.ids):
        own = SessionParty.objects.for_organization(cast.operator)
        own.update(left_at=NOW, attempts_then=[])
    assert sessions_in(of_cluster(cast, cast.operator)) == 0


@pytest.mark.django_db
def test_measures_of_a_tenant_are_in_no_figure_of_the_operator(cast: Cast) -> None:
    build_season(cast, sessions=3, saves=3)
    with organization_scope(cast.operator.pk):
        assert not AttemptHour.objects.exists()
    with organization_scope(*cast.ids):
        assert AttemptHour.objects.exists()
        # Were they read under the parties' scope, they would show here.
        found = of_cluster(cast, cast.operator)
    assert found.division.uses == ()
    assert not found.division.wall_ms


@pytest.mark.django_db
def test_jointly_all_parties_read_the_same(cast: Cast) -> None:
    stopped(cast)
    without_other_tenant(cast)
    readers = (cast.tenant, cast.operator, cast.vendor)
    found = [period(cast, who, audience=Audience.JOINT) for who in readers]
    assert [each.losses.incidents.count for each in found] == [1, 1, 1]
    for kind in ("layer", "cause", "month", "party"):
        first, *others = (each.losses.by[kind] for each in found)
        assert all(each == first for each in others), kind
    assert [each.now.sessions for each in found] == [None, None, None]
    for each in found:
        assert each.worst_nodes == ()
        assert [share.name for share in each.losses.by["node"]] == [""]
        assert {one.figure for one in each.withheld} >= {"time-to-failure", "worst-nodes"}


@pytest.mark.django_db
def test_jointly_what_a_party_contests_is_contested_for_all(cast: Cast) -> None:
    _, incident = stopped(cast)
    without_other_tenant(cast)
    with organization_scope(cast.vendor.pk):
        judge(
            actor=actor(cast.vendor),
            incident=incident,
            opinion=Opinion(judgement=Judgement.WRONG, layer="network", cause="link-down"),
            now=AT + timedelta(minutes=5),
        )
    for who in (cast.vendor, cast.operator, cast.tenant):
        assert period(cast, who, audience=Audience.JOINT).losses.total.disputed.n == 1


@pytest.mark.django_db
def test_jointly_nothing_tells_one_tenant_of_another(cast: Cast) -> None:
    stopped(cast)
    stopped(cast, cast.other_tenant)
    for who in (cast.tenant, cast.other_tenant, cast.operator, cast.vendor):
        found = period(cast, who, audience=Audience.JOINT)
        assert found.losses.incidents.count == 0
        assert found.now.sessions is None
        assert Absence.OTHER_TENANTS in {each.absence for each in found.withheld}


@pytest.mark.django_db
def test_sessions_of_other_clusters_are_not_counted_with_a_clusters(cast: Cast) -> None:
    first, _ = stopped(cast)
    with organization_scope(*cast.ids):
        Session.objects.filter(pk=first.session_id).update(cluster=None)
    assert sessions_in(period(cast, cast.tenant)) == 1
    assert sessions_in(period(cast, cast.tenant, cluster=cast.cluster.slug)) == 0


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("first", "last"),
    [(LAST, FIRST), (date(2020, 1, 1), LAST)],
)
def test_a_range_that_is_none_is_refused(cast: Cast, first: date, last: date) -> None:
    with pytest.raises(BadPeriod, match="1 to 400 days"):
        period(cast, cast.tenant, first_day=first, last_day=last)


@pytest.mark.django_db
def test_a_view_of_a_cluster_names_it(cast: Cast) -> None:
    with pytest.raises(BadPeriod, match="name the cluster"):
        period(cast, cast.tenant, audience=Audience.JOINT, cluster=None)


@pytest.mark.django_db
@pytest.mark.parametrize("is_joint", [False, True])
def test_what_hidden_sessions_lost_is_absent_in_every_table(cast: Cast, is_joint: bool) -> None:  # noqa: FBT001  two views
    stopped(cast)
    without_other_tenant(cast)
    audience = Audience.JOINT if is_joint else Audience.CLUSTER
    found = period(cast, cast.vendor, audience=audience)
    assert found.losses.incidents.count == 1
    for kind in LOSS_KINDS:
        (share,) = found.losses.by[kind]
        assert (share.incidents.hits, share.gpu_hours, share.gpu_hours_share) == (1, None, None)
        assert (share.gpu_hours_interval, share.disputed_gpu_hours) == (None, None)
        assert share.absence is Absence.HIDDEN
    rows = [*table_rows(found, table="losses"), *table_rows(found, table="nodes")]
    assert {row["gpu_hours"] for row in rows} == {None}
    assert {row["absence"] for row in rows} == {"hidden"}


@pytest.mark.django_db
def test_a_tenant_reads_in_the_same_tables_what_it_lost(cast: Cast) -> None:
    stopped(cast)
    (share,) = period(cast, cast.tenant).losses.by["layer"]
    assert share.gpu_hours == pytest.approx(GPUS)
    assert (share.absence, share.is_at_least) == (None, True)


@pytest.mark.django_db
def test_of_nothing_that_is_known_there_is_no_at_least(cast: Cast) -> None:
    first = attempt_of(
        cast,
        cast.tenant,
        started_at=DAY,
        ended_at=DAY + timedelta(hours=10),
        state="failed",
        world_size=GPUS,
        hosts=["gpu001"],
    )
    stop_of(cast, first)  # and nothing was started again: no downtime is known
    theirs = of_cluster(cast, cast.operator)
    for name in ("lost-gpu-hours", "lost-progress-gpu-hours", "slow-gpu-hours"):
        figure = figures_of(theirs)[name]
        assert (figure.value, figure.is_at_least) == (None, False), name
        assert figure.absence is Absence.HIDDEN, name
    downtime = figures_of(theirs)["downtime-gpu-hours"]
    assert (downtime.value, downtime.absence) == (None, Absence.NOTHING)
    assert theirs.worst_nodes[0].gpu_hours is None
    assert {each.figure for each in theirs.withheld} >= {"lost-progress", "slow-time"}
    own = figures_of(period(cast, cast.tenant))["lost-gpu-hours"]
    assert (own.value, own.absence) == (None, Absence.NOT_TOLD)


@pytest.mark.django_db
@pytest.mark.parametrize("tenants", [1, 2])
def test_a_joint_figure_says_the_reason_that_the_list_says(cast: Cast, tenants: int) -> None:
    stopped(cast)
    if tenants == 1:
        without_other_tenant(cast)
    why = Absence.HIDDEN if tenants == 1 else Absence.OTHER_TENANTS
    for who in (cast.tenant, cast.operator, cast.vendor):
        found = period(cast, who, audience=Audience.JOINT)
        listed = {each.figure: each.absence for each in found.withheld}
        total = found.losses.total
        figures = {
            "time-to-failure": (found.now.mttf_hours, found.time_to_failure.hours),
            "lost-gpu-hours": (found.now.lost_gpu_hours, total.gpu_hours),
            "lost-progress": (total.progress,),
            "slow-time": (total.slow,),
            "retries": (found.retries.burnt_gpu_hours, found.saves.restart_seconds),
            "goodput": (found.now.goodput, found.division.goodput),
        }
        for name, some in figures.items():
            assert {each.absence for each in some} == {listed[name]}, name
        assert listed["lost-gpu-hours"] is why
