"""What the rows say of the portal's own work. Counts of all organizations together, never whose."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.core.cache import cache
from django.db import connection
from django.db.models import Count, Min, QuerySet, Sum
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from apps.incidents.models import Correlation, Incident
from apps.notifications.models import Delivery
from apps.notifications.notification_kinds import DeliveryState
from apps.telemetry.limits import storage_limits
from apps.telemetry.models import (
    Batch,
    BatchState,
    EvidenceCapture,
    PushedBody,
    Source,
    Submission,
    TouchedWindow,
)
from apps.telemetry.submission_kinds import SubmissionKind
from apps.tenancy.models import FailedWork, Organization
from apps.tenancy.scope import organization_scope

DEAD_SECONDS = 300  # no index tells it, so it is not counted at each look
LATE_AFTER = timedelta(minutes=1)
Counts = Iterable[tuple[Sequence[str], float]]  # the values of the labels, and how many

# What they were called before, for dashboards and alerts of one's own: gone in the next release.
FORMER_NOTIFICATIONS: Final = "portal_notices"


def rows(*, now: datetime) -> Iterator[Metric]:
    """Yield what the database tells; raise DatabaseError when it is away."""
    organizations = list(Organization.objects.order_by("id").values_list("id", flat=True))
    with organization_scope(*organizations):
        yield from _bodies(now=now)
        yield from _work(now=now)
        yield from _incidents()
        yield from _notifications(now=now)
        yield from _set_aside()
    yield _gauge("portal_organizations", "Organizations of this portal.", len(organizations))
    yield _gauge("portal_database_bytes", "Size of the database.", _database_bytes())


def disk() -> Iterator[Metric]:
    """Yield the room on each disk that the portal writes to and can see."""
    found = storage_limits.disks()
    yield gauges(
        "portal_disk_free_bytes",
        "Free room on a disk that the portal writes to.",
        labels=["disk"],
        counts=[([each.name], each.size - each.used) for each in found],
    )
    yield gauges(
        "portal_disk_size_bytes",
        "Size of that disk.",
        labels=["disk"],
        counts=[([each.name], each.size) for each in found],
    )


def gauges(name: str, said: str, *, labels: Sequence[str], counts: Counts) -> Metric:
    """Return a gauge with a sample for each of these values of its labels."""
    family = GaugeMetricFamily(name, said, labels=labels)
    for values, count in counts:
        family.add_metric(values, count)
    return family


def _gauge(name: str, said: str, value: float) -> Metric:
    return GaugeMetricFamily(name, said, value=value)


def _bodies(*, now: datetime) -> Iterator[Metric]:
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
    yield gauges(
        "portal_batches_waiting",
        "Accepted bodies and pieces that nobody worked off yet.",
        labels=["kind"],
        counts=[([kind], each["count"]) for kind, each in found],
    )
    yield gauges(
        "portal_batches_waiting_bytes",
        "Their size, unpacked.",
        labels=["kind"],
        counts=[([kind], each["size"] or 0) for kind, each in found],
    )
    yield gauges(
        "portal_oldest_waiting_seconds",
        "How long the oldest of them has waited.",
        labels=["kind"],
        counts=[([kind], _seconds(each["at"] or now, now)) for kind, each in found],
    )
    dead = cache.get_or_set("metrics.dead", _dead, DEAD_SECONDS)
    yield _gauge(
        "portal_batches_dead",
        "Bodies and pieces given up; counted every 5 min.",
        dead if isinstance(dead, int) else 0,
    )


def _dead() -> int:
    models = (Batch, PushedBody, Submission)
    return sum(model.objects.filter(state=BatchState.DEAD).count() for model in models)


def _work(*, now: datetime) -> Iterator[Metric]:
    sources = Source.objects.filter(is_enabled=True).values_list("kind", "state")
    found = sources.annotate(n=Count("id")).order_by("kind", "state")
    yield gauges(
        "portal_sources",
        "Sources that are switched on, by kind and state.",
        labels=["kind", "state"],
        counts=[([kind, state], count) for kind, state, count in found],
    )
    captures = EvidenceCapture.objects.values_list("state").annotate(n=Count("id"))
    yield gauges(
        "portal_captures",
        "Captures of evidence, by state.",
        labels=["state"],
        counts=[([state], count) for state, count in captures.order_by("state")],
    )
    yield _gauge(
        "portal_windows_waiting",
        "Touched windows that no correlation has taken.",
        TouchedWindow.objects.count(),
    )
    yield _gauge(
        "portal_correlations_late",
        "Correlations that were due more than a minute ago.",
        Correlation.objects.filter(due_at__lt=now - LATE_AFTER).count(),
    )


def _incidents() -> Iterator[Metric]:
    asked = Incident.objects.values_list("status", "is_simulated").annotate(n=Count("id"))
    found = list(asked.order_by("status", "is_simulated"))
    yield gauges(
        "portal_incidents",
        "Incidents by status, simulated ones apart.",
        labels=["status", "simulated"],
        counts=[
            ([status, str(is_simulated).lower()], count) for status, is_simulated, count in found
        ],
    )
    yield CounterMetricFamily(
        "portal_incidents_opened_total",
        "Incidents ever opened.",
        value=sum(count for *_, count in found),
    )


def _notifications(*, now: datetime) -> Iterator[Metric]:
    waiting = Delivery.objects.filter(state=DeliveryState.WAITING).values_list("channel")
    found = list(waiting.annotate(n=Count("id"), at=Min("waits_since")).order_by("channel"))
    # What is due at an hour to come (a digest, the end of a quiet night) is not late.
    for name in ("portal_notifications", FORMER_NOTIFICATIONS):
        yield gauges(
            f"{name}_waiting",
            "Messages to people and machines on their way.",
            labels=["channel"],
            counts=[([channel], count) for channel, count, _ in found],
        )
        yield gauges(
            f"{name}_oldest_seconds",
            "How long the oldest of them has been due, by channel.",
            labels=["channel"],
            counts=[([channel], _seconds(at, now)) for channel, _, at in found],
        )


def _set_aside() -> Iterator[Metric]:
    rows = FailedWork.objects.filter(set_aside_at__isnull=False).values_list("kind")
    yield gauges(
        "portal_work_set_aside",
        "Units of work that rest after failing several times, by kind.",
        labels=["kind"],
        counts=[([kind], count) for kind, count in rows.annotate(n=Count("id")).order_by("kind")],
    )


def _seconds(since: datetime, now: datetime) -> float:
    return max((now - since).total_seconds(), 0.0)


def _database_bytes() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])
