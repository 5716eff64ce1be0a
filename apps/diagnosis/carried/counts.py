"""How much counters usually grow in an hour: their own last day, and that of their like."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis import stats
from apps.diagnosis.carried import kept
from apps.diagnosis.carried.compared import alike
from apps.diagnosis.model import Frame, Notes

HOUR_SECONDS: Final = 3_600.0
HOURS: Final = 24
LEAST_HOURS: Final = 6


def usual_growth(
    frame: Frame, notes: Notes, growth: stats.Floats
) -> tuple[stats.Floats, stats.Floats]:
    """Return the growth of the hour so far, and what an hour has grown at most, at each column.

    NaN in place of the most while fewer than six hours are known. By hours of the clock.
    """
    subject, at = f"counts/{frame.signal.name}", frame.at
    rows = len(growth)
    ring = kept.array(notes, subject, "ring", shape=(rows, HOURS), fill=np.nan)
    open_ = kept.array(notes, subject, "hour", shape=(rows, 2), fill=np.nan)
    hour_of = np.floor(at / HOUR_SECONDS + 1e-9)
    so_far, most = np.zeros(growth.shape), np.full(growth.shape, np.nan)
    for hour in np.unique(hour_of).tolist():
        columns = np.flatnonzero(hour_of == hour)
        goes_on = open_[:, 1] == hour
        ring = ring if goes_on.all() else _ended(ring, open_, goes_on)
        start = np.where(goes_on, open_[:, 0], 0.0)
        now = np.cumsum(
            np.concatenate((start[:, None], np.nan_to_num(growth[:, columns])), axis=1), axis=1
        )[:, 1:]
        so_far[:, columns] = now
        most[:, columns] = _most(ring, alike(frame, notes))[:, None]
        open_ = np.stack((now[:, -1], np.full(rows, hour)), axis=1)
    kept.keep(notes, subject, ring=ring, hour=open_)
    return so_far, most


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
