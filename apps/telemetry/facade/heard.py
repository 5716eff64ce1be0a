"""When each source of an organization was heard last. Needs the organization's scope."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max

from apps.telemetry.models import LogStream, PushedState, Source
from apps.telemetry.samples.accept import KIND
from apps.telemetry.values import SourceView, source_view
from apps.tenancy.models import Organization


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardSource:
    """A metrics source that was heard at least once."""

    source: SourceView
    last_at: datetime
    is_sent: bool  # it pushes; the others are read


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardLog:
    """The logs of one kind of a cluster."""

    kind: str
    cluster_id: int
    cluster: str
    last_at: datetime


def heard_sources(*, organization: Organization) -> tuple[HeardSource, ...]:
    """Return the sources that are switched on and were heard, in the order they were made."""
    states = PushedState.objects.for_organization(organization)
    sent = dict(states.values_list("source_id", "last_body_at"))
    rows = Source.objects.for_organization(organization).filter(is_enabled=True)
    told = [
        (row, sent.get(row.pk) if row.kind == KIND else row.last_success_at)
        for row in rows.select_related("cluster").order_by("id")
    ]
    return tuple(
        HeardSource(source=source_view(row), last_at=last, is_sent=row.kind == KIND)
        for row, last in told
        if last is not None
    )


def heard_logs(*, organization: Organization, kinds: Collection[str]) -> tuple[HeardLog, ...]:
    """Return when each of these kinds of log was heard last, by cluster."""
    rows = LogStream.objects.for_organization(organization).filter(
        kind__in=kinds, cluster__isnull=False, last_received_at__isnull=False
    )
    told = rows.values("kind", "cluster_id", "cluster__slug").annotate(last=Max("last_received_at"))
    return tuple(
        HeardLog(
            kind=row["kind"],
            cluster_id=row["cluster_id"],
            cluster=row["cluster__slug"],
            last_at=row["last"],
        )
        for row in told.order_by("cluster_id", "kind")
    )
