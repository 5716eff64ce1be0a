"""Bands of time read from the metrics themselves, block by block: saves, loads, starts and stops.

A save is a cluster that writes more than 20 GB/s to its file servers; a load one that reads more
than 2 GB/s while its GPUs are mostly idle (the rules of the published 504-GPU study). A start or
stop is most hosts changing between work and idleness at once.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.fusion.rules import SETTLING, SHARED_HOSTS
from apps.diagnosis.model import Band, BandKind, Frame, Semantics

SAVE_BYTES_A_SECOND = 20e9
LOAD_BYTES_A_SECOND = 2e9
IDLE = 0.5  # mean utilisation below which nobody computes
MOVED_SHARE = 0.5  # of the hosts, between two columns
# Phases of one checkpoint pause for less than this.
BRIDGE = timedelta(seconds=90)
# Metrics by what they count; of several, the first that a source has.
WRITTEN = (
    "node_mountstats_nfs_total_write_bytes_total",
    "node_mountstats_nfs_direct_write_bytes_total",
    "node_mountstats_nfs_write_bytes_total",
    "node_mountstats_nfs_operations_sent_bytes_total",
)
READ = (
    "node_mountstats_nfs_total_read_bytes_total",
    "node_mountstats_nfs_direct_read_bytes_total",
    "node_mountstats_nfs_read_bytes_total",
    "node_mountstats_nfs_operations_received_bytes_total",
)
BUSY = "gpu.utilisation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tail:
    """What to remember between blocks: the last columns of the frames that bands are read from."""

    frames: tuple[Frame, ...] = ()


def advance_bands(*, tail: Tail, frames: Sequence[Frame]) -> tuple[tuple[Band, ...], Tail]:
    """Return the bands that the next block shows; a band that goes on is told again, longer."""
    wanted = [frame for frame in frames if _is_wanted(frame) and frame.values.shape[1]]
    before = {frame.signal.name: frame for frame in tail.frames}
    whole = [_joined(before.get(frame.signal.name), frame) for frame in wanted]
    kept = tuple(_last(frame) for frame in whole)
    return merged(_bands(whole)), Tail(frames=kept)


def merged(bands: Iterable[Band]) -> tuple[Band, ...]:
    """Return bands of one kind and the same hosts that touch or overlap as one."""
    found: list[Band] = []
    for band in sorted(bands, key=lambda each: (each.kind, each.hosts, each.starts_at)):
        last = found[-1] if found else None
        is_same = last and (last.kind, last.hosts) == (band.kind, band.hosts)
        if last and is_same and band.starts_at <= last.ends_at + BRIDGE:
            found[-1] = replace(last, ends_at=max(last.ends_at, band.ends_at))
        else:
            found.append(band)
    return tuple(sorted(found, key=lambda each: (each.starts_at, each.kind, each.hosts)))


def _is_wanted(frame: Frame) -> bool:
    if frame.signal.name == BUSY:
        return True
    return any(query.metric in {*WRITTEN, *READ} for query in frame.signal.queries)


def _bands(frames: Sequence[Frame]) -> Iterator[Band]:
    busy = next((frame for frame in frames if frame.signal.name == BUSY), None)
    written, read = _served(frames, WRITTEN), _served(frames, READ)
    if written is not None:
        yield from _runs(BandKind.SAVE, written, _total(written) > SAVE_BYTES_A_SECOND)
    if read is not None and busy is not None:
        idle = np.interp(read.at, busy.at, np.nan_to_num(_mean(busy), nan=1.0)) < IDLE
        yield from _runs(BandKind.LOAD, read, (_total(read) > LOAD_BYTES_A_SECOND) & idle)
    if busy is not None:
        yield from _moves(busy)


def _served(frames: Sequence[Frame], metrics: Sequence[str]) -> Frame | None:
    for metric in metrics:
        for frame in frames:
            if any(query.metric == metric for query in frame.signal.queries):
                return frame
    return None


def _total(frame: Frame) -> stats.Floats:
    """Return what all members move a second."""
    values = stats.without_blanks(frame.values.astype(np.float64))
    if frame.signal.semantics is Semantics.COUNTER:
        values = stats.rates(values, frame.step)
    total: stats.Floats = np.nansum(values, axis=0)
    return total


def _mean(frame: Frame) -> stats.Floats:
    values = stats.without_blanks(frame.values.astype(np.float64))
    count = np.count_nonzero(~np.isnan(values), axis=0)
    with np.errstate(invalid="ignore"):
        mean: stats.Floats = np.where(count > 0, np.nansum(values, axis=0) / count, np.nan)
    return mean


def _runs(kind: BandKind, frame: Frame, mask: stats.Mask) -> Iterator[Band]:
    bridge = math.ceil(BRIDGE.total_seconds() / frame.step)
    for _, first, end in stats.runs(mask[None, :], bridge=bridge):
        # A rate is what happened in the step before its column.
        yield Band(kind=kind, starts_at=_instant(frame, first - 1), ends_at=_instant(frame, end))


def _moves(frame: Frame) -> Iterator[Band]:
    """Yield where most hosts turned from work to idleness, or back, within two columns."""
    level = _by_host(frame)
    works = np.where(np.isnan(level), np.nan, (level > IDLE).astype(np.float64))
    known = stats.last_known(works)
    if len(known) < SHARED_HOSTS or known.shape[1] < 3:
        return
    turned = np.zeros_like(known)
    turned[:, 2:] = known[:, 2:] - known[:, :-2]
    heard = np.maximum(np.count_nonzero(~np.isnan(known), axis=0), SHARED_HOSTS)
    for kind, sign in ((BandKind.START, 1.0), (BandKind.STOP, -1.0)):
        moved = np.count_nonzero(turned == sign, axis=0) > MOVED_SHARE * heard
        for _, first, end in stats.runs(moved[None, :]):
            yield Band(
                kind=kind,
                starts_at=_instant(frame, first - 2),
                ends_at=_instant(frame, end) + SETTLING,
            )


def _by_host(frame: Frame) -> stats.Floats:
    values = stats.without_blanks(frame.values.astype(np.float64))
    hosts = [entity.host or "" for entity in frame.entities]
    names = sorted(set(hosts))
    place = np.array([names.index(host) for host in hosts], dtype=np.intp)
    total, count = (np.zeros((len(names), values.shape[1])) for _ in range(2))
    np.add.at(total, place, np.nan_to_num(values))
    np.add.at(count, place, ~np.isnan(values))
    with np.errstate(invalid="ignore"):
        level: stats.Floats = np.where(count > 0, total / count, np.nan)
    return level


def _joined(before: Frame | None, frame: Frame) -> Frame:
    """Return the frame behind the columns that were kept, where they are of the same rows."""
    if before is None or before.entities != frame.entities or before.step != frame.step:
        return frame
    gap = frame.start - (before.start + before.step * before.values.shape[1])
    if abs(gap) > frame.step / 2 or before.details != frame.details:
        return frame
    values = np.concatenate((before.values, frame.values), axis=1)
    return replace(frame, start=before.start, values=values)


def _last(frame: Frame) -> Frame:
    """Return the last columns: enough for a rate, a turn and a bridge."""
    columns = max(3, math.ceil(2 * BRIDGE.total_seconds() / frame.step))
    skipped = max(0, frame.values.shape[1] - columns)
    return replace(
        frame, start=frame.start + skipped * frame.step, values=frame.values[:, skipped:]
    )


def _instant(frame: Frame, column: int) -> datetime:
    return datetime.fromtimestamp(frame.start + column * frame.step, UTC)
