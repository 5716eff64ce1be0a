"""What came in: how fresh each kind of log is, and what became of a batch."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Sum

from apps.fleet.models import Session
from apps.fleet.values import SessionView, session_view
from apps.telemetry.models import Batch, LogChunk, LogStream
from apps.telemetry.values import BatchView, StreamView, batch_view, stream_view
from apps.tenancy.access import Actor, NotFound, Right


@dataclass(frozen=True, slots=True, kw_only=True)
class Intake:
    """One kind of log of an organization."""

    kind: str  # diagnosis.model.Stream, or empty where nothing told it
    cluster: str
    cluster_name: str
    stream_count: int
    line_count: int
    last_received_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """What came in since an instant."""

    line_count: int
    newest_at: datetime | None
    batch: str  # of the newest


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOutcome:
    """How far a batch got, and the sessions its lines belong to."""

    batch: BatchView
    sessions: tuple[SessionView, ...]


def intakes_of(*, actor: Actor) -> list[Intake]:
    """Return the kinds of log the actor's organization sends, by cluster. Needs its scope."""
    actor.require(Right.READ)
    rows = (
        LogStream.objects.for_organization(actor.organization)
        .values("kind", "cluster__slug", "cluster__name")
        .annotate(streams=Count("id"), lines=Sum("line_count"), last=Max("last_received_at"))
        .order_by("cluster__slug", "kind")
    )
    return [
        Intake(
            kind=row["kind"],
            cluster=row["cluster__slug"] or "",
            cluster_name=row["cluster__name"] or "",
            stream_count=row["streams"],
            line_count=row["lines"] or 0,
            last_received_at=row["last"],
        )
        for row in rows
    ]


def arrived_since(*, actor: Actor, since: datetime) -> Arrival:
    """Return how many lines the actor's organization sent since an instant. Needs its scope."""
    actor.require(Right.READ)
    rows = Batch.objects.for_organization(actor.organization).filter(received_at__gte=since)
    newest = rows.defer("body").order_by("-received_at", "-id").first()
    return Arrival(
        line_count=rows.aggregate(lines=Sum("line_count"))["lines"] or 0,
        newest_at=newest.received_at if newest else None,
        batch=newest.public_id if newest else "",
    )


def streams_of(*, actor: Actor, session_id: int) -> tuple[StreamView, ...]:
    """Return the logs of a session that the actor's organization holds. Needs its scope."""
    actor.require(Right.READ)
    own = LogStream.objects.for_organization(actor.organization).filter(session=session_id)
    rows = own.defer("reader_state").order_by("kind", "host", "rank", "id")
    return tuple(map(stream_view, rows))


def outcome_of(*, actor: Actor, public_id: str) -> BatchOutcome:
    """Return what became of a batch of the actor's organization; raise NotFound."""
    actor.require(Right.READ)
    own = Batch.objects.for_organization(actor.organization).defer("body")
    batch = own.filter(public_id=public_id).select_related("cluster").first()
    if batch is None:
        raise NotFound
    streams = LogChunk.objects.for_organization(actor.organization).filter(batch=batch)
    told = LogStream.objects.for_organization(actor.organization).filter(
        id__in=streams.values("stream_id")
    )
    sessions = Session.objects.filter(id__in=told.values("session_id")).order_by("id")
    found = sessions.select_related("cluster", "organization")
    return BatchOutcome(batch=batch_view(batch), sessions=tuple(map(session_view, found)))
