"""Whom an organization should keep hearing: its metrics sources, and its logs by kind and cluster.

Logs of sessions are none of them: a session that ends is silent for ever, and rightly so.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Max

from apps.telemetry.models import LogStream, PushedState, Source
from apps.telemetry.samples.accept import KIND
from apps.tenancy.models import Organization

# Samples come every few seconds; five minutes are what Prometheus takes for "not there".
METRICS_AFTER: Final = timedelta(minutes=5)
# A kernel that has nothing to say is healthy: logs are given time, and what is usual is learnt.
LOGS_AFTER: Final = timedelta(hours=1)
LOGS_KNOWN_FOR: Final = timedelta(hours=24)
LOG_KINDS: Final = ("kernel", "scheduler", "storage", "fabric", "bmc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """Something that was heard at least once."""

    subject: str  # source:<public id> or log:<cluster>/<kind>
    name: str
    cluster: str
    cluster_id: int
    last_at: datetime
    quiet_limit: timedelta
    is_log: bool = False
    is_asked: bool = True  # the portal tried to hear it since
    is_simulated: bool = False
    public_id: str | None = None  # of a source


def voices_of(*, organization: Organization) -> list[Voice]:
    """Return everything that the organization should keep hearing. Needs its scope."""
    return [*_sources(organization), *_logs(organization)]


def _sources(organization: Organization) -> Iterator[Voice]:
    states = PushedState.objects.for_organization(organization)
    sent = dict(states.values_list("source_id", "last_body_at"))
    rows = Source.objects.for_organization(organization).filter(is_enabled=True)
    for row in rows.select_related("cluster").order_by("id"):
        is_sent = row.kind == KIND
        last = sent.get(row.pk) if is_sent else row.last_success_at
        if last is None:
            continue
        yield Voice(
            subject=f"source:{row.public_id}",
            name=row.name,
            cluster=row.cluster.slug,
            cluster_id=row.cluster_id,
            last_at=last,
            quiet_limit=METRICS_AFTER,
            is_asked=is_sent or row.state == "stale",
            is_simulated=row.is_simulated,
            public_id=row.public_id,
        )


def _logs(organization: Organization) -> Iterator[Voice]:
    rows = LogStream.objects.for_organization(organization).filter(
        kind__in=LOG_KINDS, cluster__isnull=False, last_received_at__isnull=False
    )
    told = rows.values("kind", "cluster_id", "cluster__slug").annotate(last=Max("last_received_at"))
    for row in told.order_by("cluster_id", "kind"):
        yield Voice(
            subject=f"log:{row['cluster__slug']}/{row['kind']}",
            name=f"{row['kind']} log",
            cluster=row["cluster__slug"],
            cluster_id=row["cluster_id"],
            last_at=row["last"],
            quiet_limit=LOGS_AFTER,
            is_log=True,
            is_simulated=organization.is_simulated,
        )
