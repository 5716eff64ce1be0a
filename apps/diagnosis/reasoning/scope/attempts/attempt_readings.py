"""The readings of each attempt."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from apps.diagnosis.model import Anomaly, Event, Extent, Origin, Reading
from apps.diagnosis.reasoning.scope.attempts.cuts import Cuts, cuts_of, label_of
from apps.diagnosis.reasoning.scope.attempts.marks import At

Correction = Callable[[str, str], timedelta]  # (source, host as printed) → what is added


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptReadings:
    """What was said of one attempt."""

    readings: tuple[Reading, ...]
    starts_at: datetime | None  # None of the first: nobody saw what was before
    ends_at: datetime | None


def split(*, readings: Sequence[Reading], at: At, correction: Correction) -> list[AttemptReadings]:
    """Return the readings of each attempt, in order; one part where nothing tells of several."""
    cuts = cuts_of(readings, at)
    if not cuts.count:
        return [AttemptReadings(readings=tuple(readings), starts_at=None, ends_at=None)]
    told: list[list[Reading]] = [[] for _ in range(cuts.count + 1)]
    for reading in readings:
        for index, piece in _pieces(reading, cuts, at, correction).items():
            told[index].append(piece)
    starts = [None, *(cuts.at if len(cuts.at) == cuts.count else [None] * cuts.count)]
    ends = [*starts[1:], None]
    return [
        AttemptReadings(readings=tuple(pieces), starts_at=start, ends_at=end)
        for pieces, start, end in zip(told, starts, ends, strict=True)
    ]


def _pieces(reading: Reading, cuts: Cuts, at: At, correction: Correction) -> dict[int, Reading]:
    events: dict[int, list[Event]] = defaultdict(list)
    progress: dict[int, list[Event]] = defaultdict(list)
    extents: dict[int, list[Extent]] = defaultdict(list)
    for event in reading.events:
        events[cuts.of_event(event, at(event))].append(event)
    for event in reading.progress:
        progress[cuts.of_event(event, at(event))].append(event)
    spoken = {*events, *progress}
    for extent in reading.extents:
        moved = correction(reading.origin.source, extent.host or reading.origin.host or "")
        for index, piece in _clipped(extent, reading.origin, cuts, moved, spoken):
            extents[index].append(piece)
    return {
        index: Reading(
            origin=reading.origin,
            events=tuple(events[index]),
            progress=tuple(progress[index]),
            extents=tuple(extents[index]),
        )
        for index in sorted({*events, *progress, *extents})
    }


def _clipped(
    extent: Extent, origin: Origin, cuts: Cuts, moved: timedelta, spoken: set[int]
) -> Iterator[tuple[int, Extent]]:
    """Yield how far a voice was heard in each attempt."""
    label = label_of(origin)
    if label is not None and label in cuts.labels:
        yield cuts.labels.index(label), extent
        return
    first, last = (
        _stamp(extent.first_at, extent.first_local_at),
        _stamp(extent.last_at, extent.last_local_at),
    )
    if first is None or last is None or not cuts.at:
        for index in range(cuts.count + 1):
            yield index, extent
        return
    edges = [cut - moved for cut in cuts.at]
    heard = set(range(bisect_right(edges, first), bisect_right(edges, last) + 1))
    for index in sorted(heard | spoken):
        begin = max(first, edges[index - 1]) if index else first
        end = max(begin, min(last, edges[index]) if index < len(edges) else last)
        if extent.last_at is not None:
            yield index, replace(extent, first_at=begin, last_at=end)
        else:
            yield (
                index,
                replace(
                    extent,
                    first_local_at=begin.replace(tzinfo=None),
                    last_local_at=end.replace(tzinfo=None),
                ),
            )


def _stamp(at: datetime | None, local: datetime | None) -> datetime | None:
    if at is not None:
        return at.astimezone(UTC)
    return local.replace(tzinfo=UTC) if local is not None else None


def within(*, anomalies: Sequence[Anomaly], part: AttemptReadings) -> list[Anomaly]:
    """Return what was measured while an attempt ran."""
    return [
        one
        for one in anomalies
        if (part.ends_at is None or one.starts_at < part.ends_at)
        and (part.starts_at is None or (one.ends_at or one.starts_at) >= part.starts_at)
    ]
