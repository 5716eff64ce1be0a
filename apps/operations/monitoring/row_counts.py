"""What the rows say of the portal's own work. Counts of all organizations together, never whose."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.core.cache import cache
from django.db import connection
from django.db.models import Count, Min, QuerySet, Sum

from apps.incidents.models import Correlation, Incident
from apps.notifications.models import Delivery
from apps.notifications.notification_kinds import DeliveryState
from apps.operations.monitoring.exposition import Family, sample
from apps.telemetry.limits import storage_limits
from apps.telemetry.models import (
    Batch,
    BatchState,
    EvidenceCapture,
    PushedBody,
    Source,
    Submission,
    SubmissionKind,
    TouchedWindow,
)
from apps.tenancy.models import FailedWork, Organization
from apps.tenancy.scope import organization_scope

Samples = tuple[Family, list[str]]


def _gauge(name: str, said: str) -> Family:
    return Family(name=name, kind="gauge", help=said)


WAITING = _gauge("portal_batches_waiting", "Accepted bodies and pieces that nobody worked off yet.")
WAITING_BYTES = _gauge("portal_batches_waiting_bytes", "Their size, unpacked.")
OLDEST = _gauge("portal_oldest_waiting_seconds", "How long the oldest of them has waited.")
DEAD = _gauge("portal_batches_dead", "Bodies and pieces given up; counted every 5 min.")
SOURCES = _gauge("portal_sources", "Sources that are switched on, by kind and state.")
CAPTURES = _gauge("portal_captures", "Captures of evidence, by state.")
WINDOWS = _gauge("portal_windows_waiting", "Touched windows that no correlation has taken.")
LATE = _gauge("portal_correlations_late", "Correlations that were due more than a minute ago.")
NOTICES = _gauge("portal_notices_waiting", "Messages to people and machines on their way.")
NOTICES_OLDEST = _gauge(
    "portal_notices_oldest_seconds", "How long the oldest of them has been due, by channel."
)
INCIDENTS = _gauge("portal_incidents", "Incidents by status, simulated ones apart.")
OPENED = Family(name="portal_incidents_opened_total", kind="counter", help="Incidents ever opened.")
ORGANIZATIONS = _gauge("portal_organizations", "Organizations of this portal.")
DATABASE_BYTES = _gauge("portal_database_bytes", "Size of the database.")
DISK_FREE = _gauge("portal_disk_free_bytes", "Free room on a disk that the portal writes to.")
DISK_SIZE = _gauge("portal_disk_size_bytes", "Size of that disk.")

SET_ASIDE = _gauge(
    "portal_work_set_aside", "Units of work that rest after failing several times, by kind."
)

DEAD_SECONDS = 300  # no index tells it, so it is not counted at each look
LATE_AFTER = timedelta(minutes=1)


def rows(*, now: datetime) -> Iterator[Samples]:
    """Yield what the database tells; raise DatabaseError when it is away."""
    organizations = list(Organization.objects.order_by("id").values_list("id", flat=True))
    with organization_scope(*organizations):
        yield from _bodies(now=now)
        yield from _work(now=now)
        yield from _incidents()
        yield from _notices(now=now)
        yield from _set_aside()
    yield _one(ORGANIZATIONS, len(organizations))
    yield _one(DATABASE_BYTES, _database_bytes())


def disk() -> Iterator[Samples]:
    """Yield the room on each disk that the portal writes to and can see."""
    found = storage_limits.disks()
    free = [(each.name, each.size - each.used) for each in found]
    yield DISK_FREE, [sample(DISK_FREE.name, count, disk=name) for name, count in free]
    yield DISK_SIZE, [sample(DISK_SIZE.name, each.size, disk=each.name) for each in found]


def _bodies(*, now: datetime) -> Iterator[Samples]:
    asked = {"count": Count("id"), "size": Sum("byte_count"), "at": Min("received_at")}
    waiting: dict[str, QuerySet[Any]] = {
        "logs": Batch.objects.all(),
        "metrics": PushedBody.objects.all(),
        **{kind.value: Submission.objects.filter(kind=kind) for kind in SubmissionKind},
    }
    found = [
        (kind, rows.filter(state=BatchState.ACCEPTED).aggregate(**asked))
        for kind, rows in waiting.items()
    ]
    yield WAITING, [sample(WAITING.name, each["count"], kind=kind) for kind, each in found]
    sizes = [(kind, each["size"] or 0) for kind, each in found]
    yield WAITING_BYTES, [sample(WAITING_BYTES.name, size, kind=kind) for kind, size in sizes]
    ages = [(kind, (now - (each["at"] or now)).total_seconds()) for kind, each in found]
    yield OLDEST, [sample(OLDEST.name, max(age, 0.0), kind=kind) for kind, age in ages]
    dead = cache.get_or_set("metrics.dead", _dead, DEAD_SECONDS)
    yield _one(DEAD, dead if isinstance(dead, int) else 0)


def _dead() -> int:
    models = (Batch, PushedBody, Submission)
    return sum(model.objects.filter(state=BatchState.DEAD).count() for model in models)


def _work(*, now: datetime) -> Iterator[Samples]:
    sources = Source.objects.filter(is_enabled=True).values_list("kind", "state")
    yield (
        SOURCES,
        [
            sample(SOURCES.name, count, kind=kind, state=state)
            for kind, state, count in sources.annotate(n=Count("id")).order_by("kind", "state")
        ],
    )
    captures = EvidenceCapture.objects.values_list("state").annotate(n=Count("id"))
    yield (
        CAPTURES,
        [sample(CAPTURES.name, count, state=state) for state, count in captures.order_by("state")],
    )
    yield _one(WINDOWS, TouchedWindow.objects.count())
    yield _one(LATE, Correlation.objects.filter(due_at__lt=now - LATE_AFTER).count())


def _incidents() -> Iterator[Samples]:
    asked = Incident.objects.values_list("status", "is_simulated").annotate(n=Count("id"))
    found = list(asked.order_by("status", "is_simulated"))
    yield (
        INCIDENTS,
        [
            sample(INCIDENTS.name, count, status=status, simulated=str(is_simulated).lower())
            for status, is_simulated, count in found
        ],
    )
    yield _one(OPENED, sum(count for *_, count in found))


def _notices(*, now: datetime) -> Iterator[Samples]:
    waiting = Delivery.objects.filter(state=DeliveryState.WAITING).values_list("channel")
    found = list(waiting.annotate(n=Count("id"), at=Min("waits_since")).order_by("channel"))
    yield NOTICES, [sample(NOTICES.name, count, channel=channel) for channel, count, _ in found]
    # What is due at an hour to come (a digest, the end of a quiet night) is not late.
    ages = [(channel, max((now - at).total_seconds(), 0.0)) for channel, _, at in found]
    yield NOTICES_OLDEST, [sample(NOTICES_OLDEST.name, age, channel=name) for name, age in ages]


def _set_aside() -> Iterator[Samples]:
    rows = FailedWork.objects.filter(set_aside_at__isnull=False).values_list("kind")
    found = rows.annotate(n=Count("id")).order_by("kind")
    yield SET_ASIDE, [sample(SET_ASIDE.name, count, kind=kind) for kind, count in found]


def _one(family: Family, value: float) -> Samples:
    return family, [sample(family.name, value)]


def _database_bytes() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])
