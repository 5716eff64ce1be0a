"""What a node cost: as the figures of the same days count it, and read for that alone."""

from datetime import timedelta

import pytest

from apps.fleet.models import Attempt
from apps.incidents.models import IncidentSession
from apps.reliability.facade.periods import period_of
from apps.reliability.models import AttemptMeasure
from apps.reliability.offenders.node_cost import node_cost
from apps.reliability.offenders.values import NodeCost
from apps.reliability.period.asked_span import scope_of
from apps.reliability.period.scopes import Audience
from apps.sharing.ledger_kinds import LedgerChannel
from apps.sharing.models import LedgerEntry
from apps.sharing.terms import Level, SharingRule
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast.agreements import agreed
from tests.cast.incidents import Cast, actor, attempt_of, stop_of
from tests.cast.make import AT

pytestmark = pytest.mark.django_db
SINCE, NOW = AT - timedelta(days=7), AT + timedelta(days=3)
LOST_HOURS = 16 * 2.0  # 16 GPUs, two hours each


def ran(cast: Cast, host: str) -> None:
    """Let an attempt of 16 GPUs lose two hours by a stop that blames a host."""
    attempt = attempt_of(
        cast,
        cast.tenant,
        state="failed",
        world_size=16,
        hosts=[host],
        started_at=AT - timedelta(hours=9),
        ended_at=AT,
    )
    stop_of(cast, attempt, culprits=[{"kind": "node", "host": host, "name": None}])
    with organization_scope(cast.tenant.pk):
        AttemptMeasure.objects.create(
            organization=cast.tenant,
            attempt=attempt,
            session=attempt.session,
            starts_at=AT - timedelta(hours=9),
            ends_at=AT,
            is_told=True,
            gpus=16,
            lost_progress_ms=2 * 3_600_000,
            downtime_ms=0,
            measured_at=AT,
        )


def cost(cast: Cast, who: Organization, host: str) -> NodeCost:
    with organization_scope(who.pk):
        return node_cost(
            actor=actor(who),
            cluster=cast.cluster.slug,
            host=host,
            since=SINCE,
            now=NOW,
            channel=LedgerChannel.PAGE,
        )


def shows(cast: Cast) -> None:
    """Let the tenant show the operator how its sessions get on."""
    rule = SharingRule(data="sessions", level=Level.REDACTED)
    terms = {cast.tenant.slug: [rule], cast.operator.slug: []}
    agreed(cast.tenant, cast.operator, cast.cluster, terms=terms)


def test_it_is_what_the_figures_of_the_same_days_say(cast: Cast) -> None:
    for host in ("gpu001", "gpu002"):
        ran(cast, host)
    reader = actor(cast.tenant)
    with organization_scope(cast.tenant.pk):
        scope = scope_of(
            actor=reader,
            audience=Audience.CLUSTER,
            cluster=cast.cluster.slug,
            first_day=SINCE.date(),
            last_day=NOW.date(),
        )
        nodes = period_of(actor=reader, scope=scope, now=NOW, channel=None).worst_nodes
    assert {each.host: each.gpu_hours for each in nodes} == {
        host: cost(cast, cast.tenant, host).gpu_hours.value for host in ("gpu001", "gpu002")
    }
    found = cost(cast, cast.tenant, "gpu001")
    assert (found.gpu_hours.value, found.counted, found.unknown) == (LOST_HOURS, 1, 0)
    assert cost(cast, cast.tenant, "gpu003").counted == 0


def test_of_what_a_tenant_shows_only_sessions_that_the_node_hit_are_handed_out(cast: Cast) -> None:
    for host in ("gpu001", "gpu002"):
        ran(cast, host)
    assert cost(cast, cast.operator, "gpu001").gpu_hours.value is None
    shows(cast)
    assert cost(cast, cast.operator, "gpu001").gpu_hours.value == LOST_HOURS
    assert cost(cast, cast.operator, "gpu003").counted == 0
    with organization_scope(cast.tenant.pk):
        rows = LedgerEntry.objects.for_organization(cast.tenant).filter(subject_kind="progress")
        assert [row.count for row in rows] == [1]


def test_another_tenant_reads_none_of_it(cast: Cast) -> None:
    ran(cast, "gpu001")
    shows(cast)
    found = cost(cast, cast.other_tenant, "gpu001")
    assert (found.gpu_hours.value or 0, found.counted) == (0, 0)


def test_a_loss_that_is_put_down_to_another_host_s_incident_is_none_of_this_one(
    cast: Cast,
) -> None:
    gone = attempt_of(cast, cast.tenant)
    first = stop_of(cast, gone, culprits=[{"kind": "node", "host": "gpu002", "name": None}])
    ran(cast, "gpu001")
    with organization_scope(cast.tenant.pk):
        attempt = Attempt.objects.exclude(pk=gone.pk).get()
        IncidentSession.objects.filter(incident=first).update(attempt=attempt)
    earlier, later = (cost(cast, cast.tenant, host) for host in ("gpu002", "gpu001"))
    assert earlier.gpu_hours.value == LOST_HOURS
    assert (later.gpu_hours.value or 0, later.counted) == (0, 1)
