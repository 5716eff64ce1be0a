"""What is kept of each row's past, and how an hour that ends is learnt."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state.baselines.level_cells import (
    CELL_SECONDS,
)
from apps.diagnosis.detection.detector_state.regimes import (
    ALONE,
    BEGINNING,
    IDLE,
    NONE,
    WITH_PEERS,
    Kinds,
)

HOUR_SECONDS: Final = 3_600.0
CELLS: Final = int(HOUR_SECONDS / CELL_SECONDS)
HOURS: Final = 24
DAYS: Final = 8
# Cells that make an hour, hours before anything is called unusual, days before a drift is.
LEAST_CELLS: Final = 6
LEAST_HOURS: Final = 6
LEAST_DAYS: Final = 2
# How far a row ever strayed is forgotten by half in three days: what comes every night is usual.
REACH_KEPT: Final = 0.5 ** (1 / (3 * HOURS))
# How much it stirs within an hour is learnt over half a day.
NOISE_WEIGHT: Final = 1 / 12
# The kinds of time whose pasts are kept apart.
CHANNELS: Final = (WITH_PEERS, IDLE, ALONE)
F32 = NDArray[Any]  # single precision
# Columns of what is kept for each row and channel.
NOISE, REACH, NEWEST = 0, 1, 2
RING = slice(3, 3 + HOURS)
WEEK = slice(RING.stop, RING.stop + DAYS)
WIDTH: Final = WEEK.stop


@dataclass(slots=True, kw_only=True, eq=False)
class BaselineRows:
    """The rows of many frames, and what became usual for them as the hours passed."""

    past: F32  # shape (rows, channels, WIDTH)
    now: F32  # shape (rows, CELLS): the hour that goes on
    kinds: Kinds  # of its cells
    judged: list[tuple[F32, F32, F32]]  # middle, unit, reach before some cells
    ended: list[tuple[float, F32, F32, F32, F32]]  # begin of an hour; its value, usual, unit, reach
    beside: list[tuple[F32, F32, F32]]  # middle, unit, reach beside the peers, by hours' ends


def pass_hours(
    rows: BaselineRows, starts: NDArray[np.float64], values: F32, all_kinds: Kinds
) -> None:
    """Take the cells hour by hour: what is usual before them, then what they add to it."""
    middle, unit = _own_past(rows.past)
    rows.beside.append((middle[:, 0], unit[:, 0], rows.past[:, 0, REACH].copy()))
    hour_of = np.floor(starts / HOUR_SECONDS + 1e-9).astype(np.int64)
    for hour in np.unique(hour_of).tolist():
        columns = np.flatnonzero(hour_of == hour)
        kinds = all_kinds[:, columns]
        places = np.rint(starts[columns] % HOUR_SECONDS / CELL_SECONDS).astype(np.intp)
        rows.now[:, places], rows.kinds[:, places] = values[:, columns], kinds
        begun = np.maximum.accumulate(rows.kinds == BEGINNING, axis=1)[:, places]
        judged = np.where(begun & (kinds == ALONE), np.int8(NONE), kinds)
        own = (middle, unit, rows.past[:, :, REACH])
        rows.judged.append((_of(own[0], judged), _of(own[1], judged), _of(own[2], judged)))
        if places[-1] == CELLS - 1:
            _end_hour(rows, hour, middle, unit)
            middle, unit = _own_past(rows.past)
            rows.beside.append((middle[:, 0], unit[:, 0], rows.past[:, 0, REACH].copy()))


def _of(own: F32, kinds: Kinds) -> F32:
    """Return for each cell what is kept for its kind of time."""
    chosen: F32 = np.full(kinds.shape, np.nan, dtype=np.float32)
    for channel, kind in enumerate(CHANNELS):
        chosen = np.where(kinds == kind, own[:, channel, None], chosen)
    return chosen


def _own_past(past: F32) -> tuple[F32, F32]:
    """Return middle and robust standard deviation of the last hours, for rows and channels."""
    hours = past[:, :, RING].reshape(-1, HOURS)
    middle, spread = stats.middle_and_spread(hours.T, least=LEAST_HOURS)
    spread = np.hypot(spread, np.nan_to_num(past[:, :, NOISE].ravel()))
    shape = past.shape[:2]
    return middle.reshape(shape).astype(np.float32), spread.reshape(shape).astype(np.float32)


def _end_hour(rows: BaselineRows, hour: int, middle: F32, between: F32) -> None:
    """Let an hour that is over become part of the past."""
    past = rows.past
    begins = (rows.kinds == BEGINNING).any(axis=1)
    past[begins, CHANNELS.index(ALONE)] = np.nan
    of_kind = rows.kinds[:, None, :] == np.array(CHANNELS)[:, None]
    cells = np.where(of_kind, rows.now[:, None, :], np.nan)
    value, noise = stats.middle_and_spread(cells.reshape(-1, CELLS).T, least=LEAST_CELLS)
    value, noise = value.reshape(middle.shape), noise.reshape(middle.shape)
    strayed = np.fmax.reduce(np.abs(cells - middle[:, :, None]), axis=2)
    channel = np.argmax(~np.isnan(value), axis=1)
    row = np.arange(len(value))
    before, unit = _days_before(past, between)
    rows.ended.append(
        (
            hour * HOUR_SECONDS,
            value[row, channel].astype(np.float32),
            before[row, channel],
            unit[row, channel],
            past[row, channel, REACH],
        )
    )
    _learn(past, hour, value, noise, strayed)
    rows.now[:], rows.kinds[:] = np.nan, NONE


def _days_before(past: F32, between: F32) -> tuple[F32, F32]:
    """Return the middle of the days that are over, and how far hours and days lie apart.

    What wanders from day to day is not at its edge for the first time: the whole range counts.
    """
    shape = past.shape[:2]
    days = past[:, :, WEEK].reshape(-1, DAYS)
    middle, _ = stats.middle_and_spread(days.T, least=LEAST_DAYS)
    apart = np.fmax.reduce(days, axis=1) - np.fmin.reduce(days, axis=1)
    unit = np.hypot(apart.reshape(shape), np.nan_to_num(between))
    return middle.reshape(shape).astype(np.float32), unit.astype(np.float32)


def _learn(past: F32, hour: int, value: F32, noise: F32, strayed: F32) -> None:
    """Keep the hour where there was one; how far it strayed counts from the next hour on."""
    is_known = ~np.isnan(value)
    former = past[:, :, NOISE]
    weight = np.where(np.isnan(former), 1.0, NOISE_WEIGHT)
    learnt = np.nan_to_num(former) * (1 - weight) + noise * weight
    past[:, :, NOISE] = np.where(is_known, learnt, former)
    reach = np.fmax(past[:, :, REACH] * REACH_KEPT, past[:, :, NEWEST])
    past[:, :, REACH] = np.where(is_known, reach, past[:, :, REACH])
    past[:, :, NEWEST] = np.where(is_known, strayed, past[:, :, NEWEST])
    place = RING.start + hour % HOURS
    past[:, :, place] = np.where(is_known, value, past[:, :, place])
    if hour % HOURS == HOURS - 1:
        past[:, :, WEEK.start + hour // HOURS % DAYS], _ = _own_past(past)
