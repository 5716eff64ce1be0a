"""When a cluster saves and loads checkpoints, by what all of its nodes write and read together.

A save is more than 20 GB/s written. A load is more than 2 GB/s read while GPUs are busy for less
than half of the time: what is read beside computing is training data.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from apps.diagnosis.stats import Floats, Mask

SAVE_BYTES_PER_SECOND: Final = 20e9
LOAD_BYTES_PER_SECOND: Final = 2e9
IDLE_UTILIZATION: Final = 0.5
BRIDGED_SAMPLES: Final = 1  # a rate may fall below for one scrape inside of a phase
LONGEST_GAP: Final = 3.0  # scrapes; what lies in a longer one is not known


class PhaseKind(StrEnum):
    """What is done with a checkpoint."""

    SAVE = "save"
    LOAD = "load"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterRate:
    """What all nodes did in the scrape interval that ends at `at_seconds`; None: not measured."""

    at_seconds: float
    write_bytes_per_second: float | None
    read_bytes_per_second: float | None
    utilization: float | None  # mean of the GPUs, 0 to 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointPhase:
    """One save or load, as exact as one scrape interval."""

    kind: PhaseKind
    begins_seconds: float
    ends_seconds: float
    moved_bytes: float
    peak_bytes_per_second: float

    @property
    def duration_seconds(self) -> float:
        """Return how long it lasted."""
        return self.ends_seconds - self.begins_seconds

    @property
    def mean_bytes_per_second(self) -> float:
        """Return the mean rate."""
        return self.moved_bytes / self.duration_seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class _Series:
    at: Floats
    interval: float
    write: Floats
    read: Floats
    utilization: Floats


def phases_of(rows: Iterable[ClusterRate]) -> tuple[CheckpointPhase, ...]:
    """Return the saves and loads of these rows in order of time; rows in any order, also twice.

    Of rows that tell otherwise of one instant the highest rates and utilization count.
    """
    series = _series(rows)
    if series is None:
        return ()
    is_save = series.write > SAVE_BYTES_PER_SECOND
    is_load = (series.read > LOAD_BYTES_PER_SECOND) & (series.utilization < IDLE_UTILIZATION)
    found = [
        *_phases(PhaseKind.SAVE, series, is_save, series.write),
        *_phases(PhaseKind.LOAD, series, is_load, series.read),
    ]
    return tuple(sorted(found, key=lambda each: (each.begins_seconds, each.kind)))


def _series(rows: Iterable[ClusterRate]) -> _Series | None:
    told = [
        (
            each.at_seconds,
            *(
                np.nan if value is None else value
                for value in (
                    each.write_bytes_per_second,
                    each.read_bytes_per_second,
                    each.utilization,
                )
            ),
        )
        for each in set(rows)
    ]
    cells = np.array(told, dtype=np.float64).reshape(-1, 4)
    at, place = np.unique(cells[:, 0], return_inverse=True)
    if len(at) < 2:
        return None
    highest = np.full((3, len(at)), np.nan)
    for column in range(3):
        np.fmax.at(highest[column], place, cells[:, column + 1])
    return _Series(
        at=at,
        interval=float(np.median(np.diff(at))),
        write=highest[0],
        read=highest[1],
        utilization=highest[2],
    )


def _phases(
    kind: PhaseKind, series: _Series, mask: Mask, rates: Floats
) -> Iterator[CheckpointPhase]:
    lengths = np.diff(series.at, prepend=series.at[0] - series.interval)
    lengths = np.where(lengths > LONGEST_GAP * series.interval, series.interval, lengths)
    for first, last in _spans(np.flatnonzero(mask), series):
        inside = slice(first, last + 1)
        moved = np.nansum(rates[inside] * lengths[inside])
        early, late = _covered(rates[inside])
        yield CheckpointPhase(
            kind=kind,
            begins_seconds=float(series.at[first] - lengths[first] * early),
            ends_seconds=float(series.at[last] - lengths[last] * (1 - late)),
            moved_bytes=float(moved),
            peak_bytes_per_second=float(np.nanmax(rates[inside])),
        )


def _covered(rates: Floats) -> tuple[float, float]:
    """Return which share of its first and of its last scrape interval a phase lasts.

    A phase begins inside of an interval: its rate is the mean of what went before and of the phase.
    """
    inner = rates[1:-1][~np.isnan(rates[1:-1])]
    if not inner.size:
        return 1.0, 1.0
    usual = float(np.median(inner))
    return min(1.0, float(rates[0]) / usual), min(1.0, float(rates[-1]) / usual)


def _spans(above: np.ndarray[tuple[int], np.dtype[np.intp]], series: _Series) -> list[list[int]]:
    """Return first and last sample of each phase: no gap in time, and few samples below."""
    spans: list[list[int]] = []
    for at in above.tolist():
        if spans and _is_same(spans[-1][1], at, series):
            spans[-1][1] = at
        else:
            spans.append([at, at])
    return spans


def _is_same(last: int, at: int, series: _Series) -> bool:
    is_near = at - last <= BRIDGED_SAMPLES + 1
    steps = np.diff(series.at[last : at + 1])
    return is_near and bool((steps <= LONGEST_GAP * series.interval).all())
