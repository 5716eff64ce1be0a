"""One pull's reading, block by block: each is read, watched and written before the next.

Time is read in blocks, each once and in order: what detectors know of the past is in their memory.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from django.conf import settings

from apps.diagnosis.detection import watch, watch_memory
from apps.diagnosis.detection.metrics.frames import Grid
from apps.diagnosis.model import Anomaly, Frame, PeerGroup, Scene
from apps.telemetry.fleet_metrics.minute_age import oldest_kept
from apps.telemetry.fleet_metrics.minute_rows import write_minutes
from apps.telemetry.fleet_metrics.minute_samples import minute_samples
from apps.telemetry.metrics import (
    anomaly_rows,
    detector_memory,
    device_resolution,
    inventory_from_labels,
    series_index_cache,
)
from apps.telemetry.metrics.detector_memory import DetectorMemory
from apps.telemetry.metrics.pulls import signal_reading, source_remarks, storage_reading
from apps.telemetry.metrics.pulls.pull_schedule import is_pushed
from apps.telemetry.metrics.pulls.read_spans import STEP_SECONDS, blocks_of, span_to_read
from apps.telemetry.metrics.series_index import SeriesRoll
from apps.telemetry.models import Source
from apps.telemetry.sources.bulk_reading import Client
from apps.telemetry.sources.instants import instant
from apps.telemetry.sources.prometheus import PrometheusSource
from apps.tenancy.scope import organization_scope

# Names that had samples so recently are asked for: some are told every few minutes only.
NAMED_WITHIN: Final = timedelta(hours=1)
READ_SECONDS: Final = 20.0
BACKFILL_SECONDS: Final = 60.0
LEAST_SECONDS: Final = 5.0
# Of a pushed source nothing is waited for: it is work, and others wait for the process.
TURN_SECONDS: Final = 10.0
# A server whose clock is this far behind what was already read from it began time anew.
CLOCK_TURNED_BACK: Final = timedelta(minutes=5)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PullJob:
    """A source that was claimed, and what its reading starts from."""

    source: Source
    names: signal_reading.Names
    record: device_resolution.DeviceRecord
    remembered: DetectorMemory
    scene: Scene
    now: datetime


@dataclass(slots=True, kw_only=True, eq=False)
class PullProgress:
    """What was read, watched and written so far."""

    remembered: DetectorMemory
    served: frozenset[str] = frozenset()  # metric names
    series_count: int = 0
    new_count: int = 0
    has_data: bool = False
    asked: Grid | None = None
    read_seconds: float = 0.0
    watch_seconds: float = 0.0
    remarks: list[str] = field(default_factory=list)


def read_blocks(*, client: Client, job: PullJob, progress: PullProgress) -> None:
    """Read, watch and write block by block, until now or until the time for it is up."""
    began = time.monotonic()
    newest = job.now.timestamp()
    served = client.metric_names(starts_at=newest - NAMED_WITHIN.total_seconds(), ends_at=newest)
    progress.served = served
    there = _their_now(client=client, job=job, progress=progress)
    newest_there = _newest(client=client, there=there)
    grid = span_to_read(until=progress.remembered.until, now=there, newest=newest_there)
    progress.asked = grid
    seconds = BACKFILL_SECONDS if grid.step > STEP_SECONDS else READ_SECONDS
    roll = _roll(client=client, job=job, served=served, at=there.timestamp())
    counts = signal_reading.expected(client=client, roll=roll, at=there.timestamp())
    limit = settings.PORTAL_PULL_SERIES
    progress.read_seconds = time.monotonic() - began
    for block in blocks_of(grid=grid, row_count=min(sum(counts.values()), limit)):
        spent = time.monotonic() - began
        left = seconds - spent
        if progress.has_data and (left <= 0 or (is_pushed(job.source) and spent >= TURN_SECONDS)):
            progress.remarks.append("behind: it will be read up to now with the next pulls")
            return
        limits = signal_reading.ReadingLimits(
            seconds=max(left, LEAST_SECONDS), most_series=limit, counts=roll.counts() or counts
        )
        _take_block(client=client, job=job, progress=progress, roll=roll, asked=(block, limits))


def _their_now(*, client: Client, job: PullJob, progress: PullProgress) -> datetime:
    """Return the source's own time; note where its clock is wrong or was set back."""
    ahead = client.clock_ahead if isinstance(client, PrometheusSource) else None
    there = job.now
    if ahead is not None and source_remarks.is_wrong(ahead=ahead):
        progress.remarks.append(source_remarks.of_clock(ahead=ahead))
        there += timedelta(seconds=ahead)
    until = progress.remembered.until
    if until is not None and until - there > CLOCK_TURNED_BACK:
        progress.remarks.append("its clock was set back; its past is read anew")
        progress.remembered = DetectorMemory(memory=watch_memory.WatchMemory())
    return there


def _newest(*, client: Client, there: datetime) -> datetime:
    """Return the latest instant that a server answers for; the window has what came."""
    if not isinstance(client, PrometheusSource):
        return there
    return datetime.fromtimestamp(client.newest(at=there.timestamp()), UTC)


def _roll(*, client: Client, job: PullJob, served: frozenset[str], at: float) -> SeriesRoll:
    names = signal_reading.with_told_hosts(
        client=client, names=job.names, metric_names=served, at=at
    )
    return series_index_cache.roll_of(
        source=job.source,
        wanted=signal_reading.wanted_of(names=served, types=client.types()),
        label_map=names.label_map,
        aliases=names.aliases,
        at=at,
    )


def _take_block(
    *,
    client: Client,
    job: PullJob,
    progress: PullProgress,
    roll: SeriesRoll,
    asked: tuple[Grid, signal_reading.ReadingLimits],
) -> None:
    began = time.monotonic()
    grid, limits = asked
    taken = signal_reading.read_rolled(client=client, roll=roll, grid=grid, limits=limits)
    storage = storage_reading.read_storage(
        client=client,
        known=roll,
        served=progress.served,
        grid=grid,
        frames=taken.frames,
    )
    read = time.monotonic()
    scene = Scene(
        groups=(*job.scene.groups, *_others(scene=job.scene, frames=taken.frames, at=grid.start)),
        bands=job.scene.bands,
    )
    frames = device_resolution.unified(source=job.source, frames=taken.frames, record=job.record)
    minutes = list(minute_samples(frames=frames))
    found, known = watch.advance(memory=progress.remembered.memory, frames=frames, scene=scene)
    until = instant(grid.end)
    remembered = replace(progress.remembered, memory=known, until=until)
    is_saved = detector_memory.is_due(remembered=remembered, until=until)
    body = watch_memory.memory_to_bytes(known) if is_saved else b""
    progress.read_seconds += read - began
    progress.watch_seconds += time.monotonic() - read
    with organization_scope(job.source.organization_id):
        progress.new_count += _write(job=job, taken=taken, found=found, grid=grid)
        storage_reading.write_storage(source=job.source, samples=storage)
        write_minutes(source=job.source, samples=minutes, since=oldest_kept(now=job.now))
        if is_saved:
            detector_memory.save(source=job.source, body=body, until=until)
            remembered = replace(remembered, saved_until=until)
    detector_memory.keep_at_hand(source=job.source, remembered=remembered)
    progress.remembered = remembered
    progress.series_count = taken.series_count
    progress.has_data |= taken.series_count > 0
    progress.remarks += source_remarks.of_reading(taken=taken)


def _write(
    *, job: PullJob, taken: signal_reading.SignalReading, found: Sequence[Anomaly], grid: Grid
) -> int:
    source = job.source
    new = anomaly_rows.write_anomalies(source=source, anomalies=found, now=job.now)
    # As the labels name them: what was completed from the record must not confirm it.
    if inventory_from_labels.record(source=source, frames=taken.frames, now=job.now):
        device_resolution.forget(source=source)
    Source.objects.for_organization(source.organization_id).filter(id=source.pk).update(
        read_until=instant(grid.end)
    )
    return len(new)


def _others(*, scene: Scene, frames: Sequence[Frame], at: float) -> tuple[PeerGroup, ...]:
    """Return the hosts that no known session used, to be compared while they work."""
    grouped = {host for group in scene.groups for host in group.hosts}
    tables = {id(frame.entities): frame.entities for frame in frames}
    heard = {entity.host for table in tables.values() for entity in table if entity.host}
    others = tuple(sorted(heard - grouped))
    return (
        (PeerGroup(name="", hosts=others, starts_at=datetime.fromtimestamp(at, UTC)),)
        if others
        else ()
    )
