"""The latest of what an organization sends to a cluster, by kind, and the first that was new."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Max

from apps.fleet.access import access_sessions
from apps.fleet.models import Attempt, Cluster
from apps.telemetry.metrics.source_access import access_sources
from apps.telemetry.models import LogChunk, LogStream, PushedState, VoiceExtent
from apps.tenancy.access import Actor, Right

METRICS: Final = "metrics"
TOLD: Final = "sessions"  # what a scheduler tells, beside what is logged of it
LOOKED_AT: Final = 200  # latest attempts


@dataclass(frozen=True, slots=True, kw_only=True)
class LatestArrival:
    """The latest of one kind; of one that was not heard before `since`, the first as well."""

    kind: str  # diagnosis.model.Stream, METRICS or TOLD
    latest_at: datetime
    host: str = ""  # of the latest, or of the first
    host_count: int = 0
    first_at: datetime | None = None


def arrivals_of(
    *, actor: Actor, cluster: Cluster, since: datetime, known: Collection[str]
) -> dict[str, LatestArrival]:
    """Return what came in by kind; kinds that are `known` are not new. Needs the scope."""
    actor.require(Right.READ)
    found = {each.kind: each for each in _logs(actor, cluster, since, known)}
    latest = _metrics_at(actor, cluster)
    if latest:
        found[METRICS] = LatestArrival(kind=METRICS, latest_at=latest)
    told = _told_at(actor, cluster)
    if told:
        found[TOLD] = LatestArrival(kind=TOLD, latest_at=told)
    return found


def hosts_heard(*, actor: Actor, cluster: Cluster) -> dict[str, dict[str, datetime]]:
    """Return kind → host as it was spelt → when it was heard last. Needs the scope.

    Of streams that name no host the hosts count whose lines they hold.
    """
    actor.require(Right.READ)
    own = LogStream.objects.for_organization(actor.organization).filter(
        cluster=cluster, line_count__gt=0
    )
    heard: dict[str, dict[str, datetime]] = defaultdict(dict)
    named = own.values_list("kind", "host").annotate(at=Max("last_received_at"))
    inside = (
        VoiceExtent.objects.for_organization(actor.organization)
        .filter(stream__cluster=cluster, stream__host="")
        .values_list("stream__kind", "host")
        .annotate(at=Max("stream__last_received_at"))
    )
    for kind, host, at in (*named, *inside):
        heard[kind][host] = max(at, heard[kind].get(host, at))
    return heard


def _logs(
    actor: Actor, cluster: Cluster, since: datetime, known: Collection[str]
) -> Iterator[LatestArrival]:
    for kind, hosts in hosts_heard(actor=actor, cluster=cluster).items():
        at, host = max((at, host) for host, at in hosts.items())
        first = None
        if kind not in known:
            first = _first(actor, cluster, kind, since)
        yield LatestArrival(
            kind=kind,
            latest_at=at,
            host=first.stream.host or host if first else host,
            host_count=len(set(hosts) - {""}),
            first_at=first.batch.received_at if first else None,
        )


def _first(actor: Actor, cluster: Cluster, kind: str, since: datetime) -> LogChunk | None:
    """Return the first part that came in since an instant, of a kind that is new since."""
    own = LogChunk.objects.for_organization(actor.organization)
    new = own.filter(
        stream__cluster=cluster, stream__kind=kind, batch__received_at__gte=since
    ).select_related("stream", "batch")
    light = new.only("stream__host", "batch__received_at")
    return light.order_by("batch__received_at", "id").first()


def _metrics_at(actor: Actor, cluster: Cluster) -> datetime | None:
    sources = list(access_sources(actor=actor, cluster=cluster.slug).filter(is_enabled=True))
    own = PushedState.objects.for_organization(actor.organization).filter(source__in=sources)
    sent = own.aggregate(at=Max("last_body_at"))["at"]
    read = [source.last_success_at for source in sources]
    return max(filter(None, (sent, *read)), default=None)


def _told_at(actor: Actor, cluster: Cluster) -> datetime | None:
    """Return the latest instant that the organization itself told of a session, if it did."""
    sessions = access_sessions(actor=actor, cluster=cluster.slug).values("id")
    attempts = Attempt.objects.filter(session__in=sessions).order_by("-id")
    slug = actor.organization.slug
    told = [
        datetime.fromisoformat(said[1])
        for sources in attempts.values_list("field_sources", flat=True)[:LOOKED_AT]
        for said in sources.values()
        if said[0] == slug and said[1]
    ]
    return max(told, default=None)
