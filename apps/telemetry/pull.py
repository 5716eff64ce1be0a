"""One pull of a source: claim, read outside any scope, then write facts, inventory and state.

A pull is repeatable: spans overlap on one grid, findings are unique, and the cursor moves only
after everything before it was written. What a source does wrong stays with that source.
"""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from django.conf import settings
from django.db.models import F, Q

from apps.diagnosis.metrics.frames import Grid, grid_between
from apps.diagnosis.model import Frame, PeerGroup, Scene
from apps.fleet.hosts import alias_table
from apps.fleet.models import Attempt, SessionParty
from apps.telemetry import detect, memory, metrics, seen
from apps.telemetry.models import Source
from apps.telemetry.sources.prometheus import (
    Address,
    PrometheusSource,
    QueryFailed,
    SourceUnreachable,
    instant,
)
from apps.tenancy.scope import organization_scope

logger = logging.getLogger(__name__)

# A sweep that comes a moment early need not wait for the next.
SLACK: Final = timedelta(seconds=2)
# Detectors need some past: continuity of four minutes, and a start before it.
LOOKBACK: Final = timedelta(minutes=10)
# How far back a first contact, or the first after an outage, reads.
BACKFILL: Final = timedelta(hours=7)
STEP_SECONDS: Final = 30.0
BACKFILL_STEP_SECONDS: Final = 60.0
# A span longer than this is read at the coarser step.
LONG: Final = timedelta(minutes=30)
# The lease outlives every budget below and the task's hard limit.
LEASE: Final = timedelta(seconds=150)
READ_SECONDS: Final = 20.0
BACKFILL_SECONDS: Final = 60.0
# After failures a source is left alone for one period, two, four … 5 min: the circuit.
LONGEST_PAUSE: Final = timedelta(minutes=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulled:
    """What one pull did."""

    state: str  # fresh stale skipped
    series_count: int = 0
    sample_count: int = 0
    new_count: int = 0
    read_seconds: float = 0.0
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Job:
    source: Source
    address: Address
    names: metrics.Names
    grid: Grid
    groups: tuple[PeerGroup, ...]
    seconds: float


def due_source_ids(*, organization_id: int, now: datetime) -> list[int]:
    """Return the sources of an organization that it is time to pull. Needs the scope."""
    rows = (
        Source.objects.for_organization(organization_id)
        .filter(kind="prometheus", is_enabled=True)
        .order_by("last_attempt_at", "id")
    )
    return [source.pk for source in rows if is_due(source=source, now=now)]


def is_due(*, source: Source, now: datetime) -> bool:
    """Say whether no pull of the source runs, and its period or its pause has passed."""
    if source.claimed_until and source.claimed_until > now:
        return False
    if not source.last_attempt_at:
        return True
    pause = pause_after(failures=max(1, source.failure_count))
    return now >= source.last_attempt_at + pause - SLACK


def pause_after(*, failures: int) -> timedelta:
    """Return how long a source is left alone: its period, and longer from the second failure on."""
    period = timedelta(seconds=settings.PORTAL_PULL_SECONDS)
    pause: timedelta = period * 2 ** min(failures - 1, 8)
    return max(period, min(pause, LONGEST_PAUSE))


def pull_source(*, organization_id: int, source_id: int, now: datetime) -> Pulled:
    """Pull one source once; never raises for what the source does."""
    with organization_scope(organization_id):
        job = _claim(organization_id=organization_id, source_id=source_id, now=now)
    if job is None:
        return Pulled(state="skipped")
    began = time.monotonic()
    try:
        # The network: no scope and no transaction is open here.
        with PrometheusSource(address=job.address) as client:
            taken = _read(client=client, job=job)
            sample_count = client.sample_count
    except (SourceUnreachable, QueryFailed) as error:
        outcome = Pulled(state="stale", error=str(error)[:300])
        with organization_scope(organization_id):
            _note_failure(source=job.source, error=outcome.error)
        logger.warning("metrics.source_failed", extra={"source": source_id})
        return outcome
    read_seconds = time.monotonic() - began
    with organization_scope(organization_id):
        new_count = _write(job=job, taken=taken, now=now)
    logger.info(
        "metrics.pulled",
        extra={"source": source_id, "series": taken.series_count, "seconds": read_seconds},
    )
    return Pulled(
        state="fresh" if taken.frames else "stale",
        series_count=taken.series_count,
        sample_count=sample_count,
        new_count=new_count,
        read_seconds=read_seconds,
    )


def _claim(*, organization_id: int, source_id: int, now: datetime) -> _Job | None:
    rows = Source.objects.for_organization(organization_id).filter(
        id=source_id, kind="prometheus", is_enabled=True
    )
    source = rows.first()
    if source is None or not is_due(source=source, now=now):
        return None
    free = Q(claimed_until=None) | Q(claimed_until__lte=now)
    claimed = rows.filter(free, failure_count=source.failure_count).update(
        claimed_until=now + LEASE, last_attempt_at=now
    )
    if not claimed:
        return None
    grid = span_to_read(read_until=source.read_until, now=now)
    return _Job(
        source=source,
        address=metrics.address_of(source=source),
        names=metrics.Names(
            label_map=source.label_map, aliases=alias_table(cluster_id=source.cluster_id)
        ),
        grid=grid,
        groups=_groups(source=source, grid=grid),
        seconds=BACKFILL_SECONDS if grid.step > STEP_SECONDS else READ_SECONDS,
    )


def span_to_read(*, read_until: datetime | None, now: datetime) -> Grid:
    """Return what to read: on from the cursor with some past, at most the back-fill's length."""
    oldest = now - BACKFILL
    starts_at = max(oldest, read_until - LOOKBACK) if read_until else oldest
    starts_at = min(starts_at, now - LOOKBACK)
    step = BACKFILL_STEP_SECONDS if now - starts_at > LONG else STEP_SECONDS
    return grid_between(start=starts_at.timestamp(), end=now.timestamp(), step=step)


def _read(*, client: PrometheusSource, job: _Job) -> metrics.Taken:
    served = client.metric_names(starts_at=job.grid.start, ends_at=job.grid.end)
    names = metrics.with_told_hosts(
        client=client, names=job.names, metric_names=served, at=job.grid.end
    )
    return metrics.read(
        client=client,
        wanted=metrics.served(signals=metrics.watched(), names=served),
        grid=job.grid,
        names=names,
        seconds=job.seconds,
    )


def _write(*, job: _Job, taken: metrics.Taken, now: datetime) -> int:
    source = job.source
    carried = memory.carry(source=source, frames=taken.frames)
    scene = Scene(groups=(*job.groups, *_others(job=job, frames=taken.frames)))
    found = detect.detect(frames=carried, scene=scene)
    new = detect.write_anomalies(source=source, anomalies=found, now=now)
    seen.record(source=source, frames=taken.frames, now=now)
    overlap_from = job.grid.end - LOOKBACK.total_seconds()
    memory.remember(source=source, frames=carried, before=overlap_from)
    has_data = bool(taken.frames)
    Source.objects.for_organization(source.organization_id).filter(id=source.pk).update(
        state="fresh" if has_data else "stale",
        last_success_at=now if has_data else source.last_success_at,
        last_error=_remark(taken),
        failure_count=0,
        series_count=taken.series_count,
        read_until=instant(job.grid.end),
        claimed_until=None,
    )
    return len(new)


def _note_failure(*, source: Source, error: str) -> None:
    Source.objects.for_organization(source.organization_id).filter(id=source.pk).update(
        state="stale", last_error=error, failure_count=F("failure_count") + 1, claimed_until=None
    )


def _remark(taken: metrics.Taken) -> str:
    if not taken.frames:
        return "it answers, but serves none of the metrics that Faultline knows"
    parts = []
    if taken.refused:
        parts.append("refused: " + ", ".join(taken.refused))
    if taken.warning:
        parts.append("partial: " + taken.warning)
    if taken.left_out:
        parts.append("no time for: " + ", ".join(taken.left_out))
    return "; ".join(parts)[:300]


def _groups(*, source: Source, grid: Grid) -> tuple[PeerGroup, ...]:
    """Return the attempts that ran in the span, as far as the source's owner may know of them."""
    known = SessionParty.objects.for_organization(source.organization_id).values("session_id")
    attempts = (
        Attempt.objects.filter(session__cluster_id=source.cluster_id, session_id__in=known)
        .filter(started_at__lt=instant(grid.end))
        .filter(Q(ended_at=None) | Q(ended_at__gt=instant(grid.start)))
        .order_by("started_at", "id")
    )
    groups = [
        PeerGroup(
            name=f"attempt {attempt.pk}",
            hosts=tuple(attempt.hosts),
            starts_at=attempt.started_at,
            ends_at=attempt.ended_at,
        )
        for attempt in attempts
        if attempt.started_at and attempt.hosts
    ]
    return tuple(until_relieved(group=group, groups=groups) for group in groups)


def until_relieved(*, group: PeerGroup, groups: Sequence[PeerGroup]) -> PeerGroup:
    """Return a group whose end nobody told with the start of the next one on its hosts as end."""
    hosts = set(group.hosts)
    later = [
        other.starts_at
        for other in groups
        if other.starts_at > group.starts_at and not hosts.isdisjoint(other.hosts)
    ]
    return replace(group, ends_at=min(later)) if later and group.ends_at is None else group


def _others(*, job: _Job, frames: Sequence[Frame]) -> tuple[PeerGroup, ...]:
    """Return the hosts that no known session used, to be compared while they work."""
    grouped = {host for group in job.groups for host in group.hosts}
    heard = {entity.host for frame in frames for entity in frame.entities if entity.host}
    others = tuple(sorted(heard - grouped))
    starts_at = datetime.fromtimestamp(job.grid.start, UTC)
    return (PeerGroup(name="", hosts=others, starts_at=starts_at),) if others else ()
