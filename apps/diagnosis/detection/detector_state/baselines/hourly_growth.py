"""Growth of counters by hours of the clock: the last day of each row, and the hour so far."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state import array_store
from apps.diagnosis.detection.detector_state.new_counters import counted
from apps.diagnosis.detection.detector_state.peer_levels import alike
from apps.diagnosis.model import Frame, Notes

HOUR_SECONDS: Final = 3_600.0
HOURS: Final = 24
LEAST_HOURS: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Hour:
    """The columns of one block that lie in one hour, and the day before that hour."""

    number: int  # hours since 1970
    columns: NDArray[np.intp]
    so_far: stats.Floats  # shape (rows, columns): growth since the hour began
    ring: stats.Floats  # shape (rows, HOURS): by hour of the day; NaN where nothing is known

    @property
    def begins(self) -> float:
        """Unix seconds."""
        return self.number * HOUR_SECONDS

    def before(self, newest: int, oldest: int) -> stats.Floats:
        """Return the hours that ended so many hours before this one began to so many more."""
        places = [(self.number - back) % HOURS for back in range(newest, oldest + 1)]
        return self.ring[:, places]


def by_hour(frame: Frame, notes: Notes, frames: Sequence[Frame]) -> tuple[Hour, ...]:
    """Return the hours that a block touches; worked out once a block."""
    key = ("hours", id(frame))
    if key not in notes.worked:
        notes.worked[key] = _hours(frame, notes, frames)
    found: tuple[Hour, ...] = notes.worked[key]
    return found


def usual_growth(
    frame: Frame, notes: Notes, frames: Sequence[Frame]
) -> tuple[stats.Floats, stats.Floats]:
    """Return the growth of the hour so far, and what an hour has grown at most, at each column.

    Of its own last day, and that of any two of its like. NaN in place of the most while fewer than
    six hours are known.
    """
    shape = frame.values.shape
    so_far, most = np.zeros(shape), np.full(shape, np.nan)
    for hour in by_hour(frame, notes, frames):
        so_far[:, hour.columns] = hour.so_far
        most[:, hour.columns] = _most(hour.ring, alike(frame, notes))[:, None]
    return so_far, most


def _hours(frame: Frame, notes: Notes, frames: Sequence[Frame]) -> tuple[Hour, ...]:
    growth, _, _ = counted(frame, notes, frames)
    subject, at = f"counts/{frame.signal.name}", frame.at
    rows = len(growth)
    ring = array_store.array(notes, subject, "ring", shape=(rows, HOURS), fill=np.nan)
    open_ = array_store.array(notes, subject, "hour", shape=(rows, 2), fill=np.nan)
    hour_of = np.floor(at / HOUR_SECONDS + 1e-9).astype(np.int64)
    found = []
    for hour in np.unique(hour_of).tolist():
        columns = np.flatnonzero(hour_of == hour)
        goes_on = open_[:, 1] == hour
        ring = ring if goes_on.all() else _ended(ring, open_, goes_on)
        start = np.where(goes_on, open_[:, 0], 0.0)
        now = np.cumsum(
            np.concatenate((start[:, None], np.nan_to_num(growth[:, columns])), axis=1), axis=1
        )[:, 1:]
        found.append(Hour(number=hour, columns=columns, so_far=now, ring=ring))
        open_ = np.stack((now[:, -1], np.full(rows, hour)), axis=1)
    array_store.keep(notes, subject, ring=ring, hour=open_)
    return tuple(found)


def _ended(ring: stats.Floats, open_: stats.Floats, goes_on: NDArray[np.bool_]) -> stats.Floats:
    """Return the ring with the hours that are over."""
    rows = np.flatnonzero(~goes_on & ~np.isnan(open_[:, 1]))
    ring = ring.copy()
    ring[rows, open_[rows, 1].astype(np.int64) % HOURS] = open_[rows, 0]
    return ring


def _most(ring: stats.Floats, like: NDArray[np.intp]) -> stats.Floats:
    """Return the busiest hour of each row, or of any two of its like."""
    known = np.count_nonzero(~np.isnan(ring), axis=1)
    own = np.fmax.reduce(ring, axis=1)[:, None]
    busiest = np.fmax(own, stats.second_highest(own, like))[:, 0]
    most: stats.Floats = np.where(known >= LEAST_HOURS, busiest, np.nan)
    return most
