"""One pull of a source: claim, read outside any scope, then write facts, inventory and state.

A pull is repeatable: findings are unique, and the cursor moves only with everything before it.
What a source does wrong stays with that source.
"""

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import F

from apps.fleet.hosts.host_names import alias_table
from apps.telemetry.metrics import coverage, detector_memory, device_resolution
from apps.telemetry.metrics.peer_groups import scene_between
from apps.telemetry.metrics.pulls import signal_reading, source_remarks
from apps.telemetry.metrics.pulls.block_reading import PullJob, PullProgress, read_blocks
from apps.telemetry.metrics.pulls.pull_schedule import KINDS, PULL, is_due
from apps.telemetry.metrics.pulls.read_spans import BACKFILL
from apps.telemetry.models import Source
from apps.telemetry.samples.window.window_reading import client_of
from apps.telemetry.sources.errors import QueryFailed, SourceUnreachable
from apps.tenancy.changes.announcements import announce
from apps.tenancy.models import Topic
from apps.tenancy.outbound.refusal_audit import note_refusal
from apps.tenancy.scope import organization_scope

logger = logging.getLogger(__name__)

UNREAD: Final = "what it sends could not be read: an error of the portal, which its operator sees"


@dataclass(frozen=True, slots=True, kw_only=True)
class PullResult:
    """What one pull did."""

    state: str  # fresh stale skipped
    series_count: int = 0
    sample_count: int = 0
    new_count: int = 0
    read_seconds: float = 0.0
    watch_seconds: float = 0.0
    error: str = ""


def pull_source(*, organization_id: int, source_id: int, now: datetime) -> PullResult:
    """Pull one source once; never raises for what the source does."""
    with organization_scope(organization_id):
        job = _claim(organization_id=organization_id, source_id=source_id, now=now)
    if job is None:
        return PullResult(state="skipped")
    progress = PullProgress(remembered=job.remembered)
    try:
        # The network: no scope and no transaction is open here.
        with client_of(source=job.source) as client:
            read_blocks(client=client, job=job, progress=progress)
            sample_count = client.sample_count
    except (SourceUnreachable, QueryFailed) as error:
        outcome = PullResult(
            state="stale", error=source_remarks.kept(str(error)), new_count=progress.new_count
        )
        with organization_scope(organization_id):
            _note_failure(source=job.source, error=outcome.error)
            note_refusal(
                error=error,
                organization_id=organization_id,
                subject=f"source:{job.source.public_id}",
                now=now,
            )
        logger.warning("metrics.source_failed", extra={"source": source_id})
        return outcome
    with organization_scope(organization_id):
        _note_success(job=job, progress=progress)
    logger.info(
        "metrics.pulled",
        extra={
            "source": source_id,
            "series": progress.series_count,
            "seconds": progress.read_seconds,
            "watch_seconds": progress.watch_seconds,
        },
    )
    return PullResult(
        state=_state(job=job, progress=progress),
        series_count=progress.series_count,
        sample_count=sample_count,
        new_count=progress.new_count,
        read_seconds=progress.read_seconds,
        watch_seconds=progress.watch_seconds,
    )


def _claim(*, organization_id: int, source_id: int, now: datetime) -> PullJob | None:
    rows = Source.objects.for_organization(organization_id).filter(
        id=source_id, kind__in=KINDS, is_enabled=True
    )
    source = rows.first()
    if source is None or not is_due(source=source, now=now):
        return None
    unchanged = rows.filter(failure_count=source.failure_count)
    if not PULL.take(unchanged, now=now, last_attempt_at=now):
        return None
    return PullJob(
        source=source,
        names=signal_reading.Names(
            label_map=source.label_map,
            aliases=alias_table(cluster_id=source.cluster_id, reader_id=source.organization_id),
        ),
        record=device_resolution.record_of(source=source, at=now),
        remembered=detector_memory.recall(source=source),
        scene=scene_between(
            organization_id=organization_id,
            cluster_id=source.cluster_id,
            starts_at=now - BACKFILL,
            ends_at=now + BACKFILL,
        ),
        now=now,
    )


def _state(*, job: PullJob, progress: PullProgress) -> str:
    """Return how fresh a source is: as it was, where there was no instant to read yet."""
    if progress.has_data:
        return "fresh"
    is_early = progress.asked is not None and not progress.asked.count
    return job.source.state if is_early and progress.served else "stale"


def _remark(*, progress: PullProgress, state: str) -> str:
    """Return what is worth knowing of the source, or why nothing came of it."""
    if state != "stale":
        return "; ".join(dict.fromkeys(progress.remarks))
    return "; ".join(
        (source_remarks.of_nothing(served=progress.served, asked=progress.asked), *progress.remarks)
    )


def _announce_change(source: Source, *, state: str, error: str) -> None:
    """Let open pages look again where the source is not what it was; a pull alone is no news."""
    if (state, error) != (source.state, source.last_error):
        announce(topic=Topic.SOURCE, subject=None, readers=[source.organization_id])


def _note_success(*, job: PullJob, progress: PullProgress) -> None:
    source = job.source
    rosters = progress.remembered.memory.rosters
    coverage.record_names(source=source, names=progress.served, now=job.now, rosters=rosters)
    state = _state(job=job, progress=progress)
    is_read = progress.has_data or state == "stale"
    remark = source_remarks.kept(_remark(progress=progress, state=state))
    _announce_change(source, state=state, error=remark)
    Source.objects.for_organization(source.organization_id).filter(id=source.pk).update(
        state=state,
        last_success_at=job.now if progress.has_data else source.last_success_at,
        last_error=remark,
        failure_count=0,
        series_count=progress.series_count if is_read else source.series_count,
        **PULL.let_go,
    )


def note_unread(*, organization_id: int, source_id: int, now: datetime) -> None:
    """Say that a source could not be read by the portal's own fault. Opens the scope."""
    with organization_scope(organization_id):
        rows = Source.objects.for_organization(organization_id).filter(pk=source_id)
        # It was not claimed where it rests: its next turn counts from here.
        rows.update(last_attempt_at=now)
        source = rows.first()
        if source is not None:
            _note_failure(source=source, error=UNREAD)


def _note_failure(*, source: Source, error: str) -> None:
    _announce_change(source, state="stale", error=error)
    Source.objects.for_organization(source.organization_id).filter(id=source.pk).update(
        state="stale", last_error=error, failure_count=F("failure_count") + 1, **PULL.let_go
    )
