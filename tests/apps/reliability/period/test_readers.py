"""A period in figures: who reads what of it."""

from datetime import timedelta

import pytest

from apps.fleet.models import Session, SessionParty
from apps.incidents.entries import Opinion
from apps.incidents.judgement.feedback import judge
from apps.incidents.states import Judgement
from apps.reliability.models import AttemptHour
from apps.reliability.period.scopes import Absence, Audience
from apps.reliability.period.tables import figures_of
from apps.tenancy.access import NotFound
from apps.tenancy.scope import organization_scope
from tests.apps.reliability.period.asked_periods import (
    DAY,
    NOW,
    of_cluster,
    period,
    sessions_in,
    stopped,
)
from tests.cast.incidents import Cast, actor, attempt_of, stop_of
from tests.cast.make import AT
from tests.cast.reports import leave_one_tenant
from tests.cast.training_season import FIRST_DAY, build_season

pytestmark = pytest.mark.django_db


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


@pytest.mark.parametrize("audience", [Audience.OWN, Audience.CLUSTER])
def test_another_tenant_counts_nothing_of_it(cast: Cast, audience: Audience) -> None:
    stopped(cast)
    assert sessions_in(period(cast, cast.tenant, audience=audience)) == 1
    found = period(cast, cast.other_tenant, audience=audience)
    assert sessions_in(found) == 0
    assert found.losses.incidents.count == 0
    assert found.time_to_failure.run_hours == 0


def test_a_stranger_finds_no_cluster_and_counts_nothing(cast: Cast) -> None:
    stopped(cast)
    with pytest.raises(NotFound):
        of_cluster(cast, cast.stranger)
    assert sessions_in(period(cast, cast.stranger)) == 0


def test_who_left_the_cluster_counts_no_session_of_others(cast: Cast) -> None:
    stopped(cast)
    assert sessions_in(of_cluster(cast, cast.operator)) == 1
    with organization_scope(*cast.ids):
        own = SessionParty.objects.for_organization(cast.operator)
        own.update(left_at=NOW, attempts_then=[])
    assert sessions_in(of_cluster(cast, cast.operator)) == 0


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


def test_jointly_all_parties_read_the_same(cast: Cast) -> None:
    stopped(cast)
    leave_one_tenant(cast)
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


def test_jointly_what_a_party_contests_is_contested_for_all(cast: Cast) -> None:
    _, incident = stopped(cast)
    leave_one_tenant(cast)
    with organization_scope(cast.vendor.pk):
        judge(
            actor=actor(cast.vendor),
            incident=incident,
            opinion=Opinion(judgement=Judgement.WRONG, layer="network", cause="link-down"),
            now=AT + timedelta(minutes=5),
        )
    for who in (cast.vendor, cast.operator, cast.tenant):
        assert period(cast, who, audience=Audience.JOINT).losses.total.disputed.n == 1


def test_jointly_nothing_tells_one_tenant_of_another(cast: Cast) -> None:
    stopped(cast)
    stopped(cast, cast.other_tenant)
    for who in (cast.tenant, cast.other_tenant, cast.operator, cast.vendor):
        found = period(cast, who, audience=Audience.JOINT)
        assert found.losses.incidents.count == 0
        assert found.now.sessions is None
        assert Absence.OTHER_TENANTS in {each.absence for each in found.withheld}


def test_sessions_of_other_clusters_are_not_counted_with_a_clusters(cast: Cast) -> None:
    first, _ = stopped(cast)
    with organization_scope(*cast.ids):
        Session.objects.filter(pk=first.session_id).update(cluster=None)
    assert sessions_in(period(cast, cast.tenant)) == 1
    assert sessions_in(period(cast, cast.tenant, cluster=cast.cluster.slug)) == 0


@pytest.mark.parametrize("tenants", [1, 2])
def test_a_joint_figure_says_the_reason_that_the_list_says(cast: Cast, tenants: int) -> None:
    stopped(cast)
    if tenants == 1:
        leave_one_tenant(cast)
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
