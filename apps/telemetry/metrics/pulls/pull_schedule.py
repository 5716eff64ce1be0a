"""When a source is pulled: once a period, and seldom after failures."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import zip_longest
from typing import Final

from django.conf import settings
from django.db.models import Max

from apps.telemetry.models import Source
from apps.telemetry.samples.accept import KIND as PUSHED
from apps.tenancy.scope import organization_scope
from apps.tenancy.work import leases
from apps.tenancy.work.leases import Lease

NEVER: Final = datetime.min.replace(tzinfo=UTC)
KINDS: Final = ("prometheus", PUSHED)
# Outlives every budget of a pull's reading and the task's hard limit.
PULL: Final = Lease(lasts=timedelta(seconds=150))
# A sweep that comes a moment early need not wait for the next.
SLACK: Final = timedelta(seconds=2)
# After failures a source is left alone for one period, two, four … 5 min: the circuit.
LONGEST_PAUSE: Final = timedelta(minutes=5)


def due_source_ids(*, organization_id: int, now: datetime) -> list[int]:
    """Return the sources of an organization that it is time to pull. Needs the scope."""
    rows = (
        Source.objects.for_organization(organization_id)
        .filter(kind__in=KINDS, is_enabled=True)
        .order_by("last_attempt_at", "id")
    )
    return [source.pk for source in rows if is_due(source=source, now=now)]


def next_pulls(
    *, organization_ids: Iterable[int], count: int, now: datetime
) -> list[tuple[int, int]]:
    """Return (organization, source) of so many pulls that are due, each organization in turn.

    Who was served longest ago is first: one with many sources waits for its own.
    """
    waiting: list[tuple[datetime, int, list[int]]] = []
    for organization_id in organization_ids:
        with organization_scope(organization_id):
            sources = due_source_ids(organization_id=organization_id, now=now)
            own = Source.objects.for_organization(organization_id)
            last = own.aggregate(at=Max("last_attempt_at"))["at"]
        if sources:
            waiting.append((last or NEVER, organization_id, sources))
    rounds = zip_longest(*(_named(who, sources) for _, who, sources in sorted(waiting)))
    return [each for turn in rounds for each in turn if each is not None][:count]


def _named(organization_id: int, sources: Iterable[int]) -> list[tuple[int, int]]:
    return [(organization_id, source_id) for source_id in sources]


def is_pushed(source: Source) -> bool:
    """Say whether a source is read from what was sent to the portal, and no server is asked."""
    return source.kind == PUSHED


def is_pushed_source(*, organization_id: int, source_id: int) -> bool:
    """Say the same of a source by its number; not of one that is gone. Needs the scope."""
    rows = Source.objects.for_organization(organization_id)
    return rows.filter(id=source_id, kind=PUSHED).exists()


def is_due(*, source: Source, now: datetime) -> bool:
    """Say whether no pull of the source runs, and its period or its pause has passed."""
    if PULL.is_held(source, now=now):
        return False
    if not source.last_attempt_at:
        return True
    pause = pause_after(failures=max(1, source.failure_count))
    return now >= source.last_attempt_at + pause - SLACK


def pause_after(*, failures: int) -> timedelta:
    """Return how long a source is left alone: its period, and longer from the second failure on."""
    period = timedelta(seconds=settings.PORTAL_PULL_SECONDS)
    longest = max(period, LONGEST_PAUSE)
    return leases.pause_after(failures=failures, first=period, longest=longest)
