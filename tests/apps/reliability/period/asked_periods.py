"""Periods as organizations read them, and an attempt that fails in one."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from apps.fleet.models import Attempt
from apps.incidents.models import Incident
from apps.reliability.facade.periods import period_of, scope_of
from apps.reliability.period.scopes import Audience
from apps.reliability.period.values import Period
from apps.sharing.ledger_kinds import LedgerChannel
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast.incidents import Cast, actor, attempt_of, stop_of
from tests.cast.make import AT

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
