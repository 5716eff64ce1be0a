"""What incidents of a period cost, in its figures and tables."""

from datetime import timedelta

import pytest

from apps.incidents.entries import Opinion
from apps.incidents.judgement.feedback import judge
from apps.incidents.states import Judgement
from apps.reliability.period.scopes import Absence, Audience
from apps.reliability.period.tables import LOSS_KINDS, figures_of, table_rows
from apps.reliability.prices import set_price
from apps.tenancy.models import MemberRole
from apps.tenancy.scope import organization_scope
from tests.apps.reliability.period.asked_periods import (
    DAY,
    GPUS,
    NOW,
    of_cluster,
    period,
    stopped,
)
from tests.cast.incidents import Cast, actor, attempt_of, stop_of
from tests.cast.make import AT
from tests.cast.reports import leave_one_tenant

pytestmark = pytest.mark.django_db


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


@pytest.mark.parametrize("is_joint", [False, True])
def test_what_hidden_sessions_lost_is_absent_in_every_table(cast: Cast, is_joint: bool) -> None:  # noqa: FBT001  two views
    stopped(cast)
    leave_one_tenant(cast)
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


def test_a_tenant_reads_in_the_same_tables_what_it_lost(cast: Cast) -> None:
    stopped(cast)
    (share,) = period(cast, cast.tenant).losses.by["layer"]
    assert share.gpu_hours == pytest.approx(GPUS)
    assert (share.absence, share.is_at_least) == (None, True)


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
