"""What is usual for each row: levels of five minutes beside its own last day and week.

Twelve cells make an hour; the medians of the last 24 hours, by the hour of the day, are the row's
own past, for time beside peers, alone and idle apart. What is usual changes once an hour, by hours
that are over: nothing looks ahead.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state import array_store
from apps.diagnosis.detection.detector_state.baselines.level_cells import (
    CELL_SECONDS,
    Cells,
    cells_of,
)
from apps.diagnosis.detection.detector_state.peer_levels import KNOWN_FLOOR, alike
from apps.diagnosis.detection.detector_state.regimes import (
    ALONE,
    BEGINNING,
    IDLE,
    NONE,
    WITH_PEERS,
    Kinds,
)
from apps.diagnosis.model import Frame, Notes, Scene

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
# An hour within the reach of single cells is at most this many units away.
REACH_UNITS: Final = 3.0
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DailyBaseline:
    """The finished cells and hours of one frame beside what was usual before each."""

    cells: Cells
    middle: F32  # shape (rows, cells): the row's own past, for the kind of time of the cell
    unit: F32  # its robust standard deviation, not below half of the other rows'
    reach: F32  # how far it, or any two of its like, strayed in the last days
    hours: NDArray[np.float64]  # where each hour that ended begins
    hour_values: F32  # shape (rows, hours)
    hour_usual: F32  # the median of the days before
    hour_unit: F32
    offsets: F32  # shape (rows, hours + 1): usual distance from the peers, before each hour's end
    spreads: F32  # the robust standard deviation of that
    strays: F32  # and how far it, or any two of its like, strayed from it

    def beside_peers(self, frame: Frame) -> tuple[F32, F32, F32]:
        """Return a row's usual distance from its peers, spread and reach, before each column."""
        ends = self.hours + HOUR_SECONDS - frame.step
        place = np.searchsorted(ends, frame.at - 1e-6)
        return self.offsets[:, place], self.spreads[:, place], self.strays[:, place]


@dataclass(slots=True, kw_only=True, eq=False)
class _Rows:
    """The rows of many frames, and what became usual for them as the hours passed."""

    past: F32  # shape (rows, channels, WIDTH)
    now: F32  # shape (rows, CELLS): the hour that goes on
    kinds: Kinds  # of its cells
    judged: list[tuple[F32, F32, F32]]  # middle, unit, reach before some cells
    ended: list[tuple[float, F32, F32, F32, F32]]  # begin of an hour; its value, usual, unit, reach
    beside: list[tuple[F32, F32, F32]]  # middle, unit, reach beside the peers, by hours' ends


def usual(frame: Frame, notes: Notes, scene: Scene, frames: Sequence[Frame]) -> DailyBaseline:
    """Return what is usual for a frame; worked out for all frames at once, once a block."""
    key = ("usual", id(frame))
    if key not in notes.worked:
        grids: dict[tuple[float, float, int], list[Frame]] = defaultdict(list)
        learners = notes.worked.get("learners", frozenset(frame.signal.watch))
        for each in notes.worked.get("frames", frames):
            if each.values.shape[1] and not learners.isdisjoint(each.signal.watch):
                grids[each.start, each.step, each.values.shape[1]].append(each)
        for members in grids.values():
            _work_out(members, notes, scene, frames)
    found: DailyBaseline = notes.worked[key]
    return found


def _work_out(
    members: Sequence[Frame], notes: Notes, scene: Scene, frames: Sequence[Frame]
) -> None:
    cut = [cells_of(frame, notes, scene, frames) for frame in members]
    rows = _rows(members, notes)
    values = np.concatenate([cells.values for cells in cut])
    _pass_hours(rows, cut[0].starts, values, np.concatenate([cells.kinds for cells in cut]))
    at = 0
    for frame, cells in zip(members, cut, strict=True):
        part = slice(at, at + len(cells.values))
        at = part.stop
        notes.worked["usual", id(frame)] = _usual_of(
            rows, part, cells, frame.signal.floor, alike(frame, notes)
        )
        if len(cells.starts):
            array_store.keep(
                notes,
                f"usual/{frame.signal.name}",
                past=rows.past[part],
                now=rows.now[part],
                kinds=rows.kinds[part],
            )


def _rows(members: Sequence[Frame], notes: Notes) -> _Rows:
    """Return what is known of the rows of all frames, in arrays of their own."""
    blank, none = np.float32(np.nan), np.int8(NONE)
    known = []
    for frame in members:
        subject, count = f"usual/{frame.signal.name}", len(frame.values)
        shape = (count, len(CHANNELS), WIDTH)
        known.append(
            (
                array_store.array(notes, subject, "past", shape=shape, fill=blank),
                array_store.array(notes, subject, "now", shape=(count, CELLS), fill=blank),
                array_store.array(notes, subject, "kinds", shape=(count, CELLS), fill=none),
            )
        )
    past, now, kinds = (np.concatenate(each) for each in zip(*known, strict=True))
    return _Rows(past=past, now=now, kinds=kinds, judged=[], ended=[], beside=[])


def _pass_hours(rows: _Rows, starts: NDArray[np.float64], values: F32, all_kinds: Kinds) -> None:
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


def _end_hour(rows: _Rows, hour: int, middle: F32, between: F32) -> None:
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


def _with_like(reach: F32, like: NDArray[np.intp]) -> F32:
    """Return how far each row strays, or two of its like: what they do is nothing to tell of it."""
    return np.fmax(reach, stats.second_highest(reach, like))


def _usual_of(
    rows: _Rows, part: slice, cells: Cells, floor: float, like: NDArray[np.intp]
) -> DailyBaseline:
    """Return what is usual for the rows of one frame."""
    none: F32 = np.empty((len(cells.values), 0), dtype=np.float32)
    middle, unit, reach = (
        np.concatenate([each[place][part] for each in rows.judged], axis=1) if rows.judged else none
        for place in range(3)
    )
    others, _ = stats.middle_and_spread(unit)
    ended = [tuple(each[part, None] for each in hour) for _, *hour in rows.ended]
    value, before, hour_unit, strayed = (
        np.concatenate((none, *each), axis=1)
        for each in zip(*(ended or [(none,) * 4]), strict=True)
    )
    hour_unit = np.fmax(hour_unit, _with_like(strayed, like) / REACH_UNITS)
    return DailyBaseline(
        cells=cells,
        middle=middle,
        unit=np.fmax(np.fmax(unit, others / 2), floor * KNOWN_FLOOR).astype(np.float32),
        reach=_with_like(reach, like),
        hours=np.array([each[0] for each in rows.ended], dtype=np.float64),
        hour_values=value,
        hour_usual=before,
        hour_unit=np.fmax(hour_unit, floor).astype(np.float32),
        offsets=np.stack([each[0][part] for each in rows.beside], axis=1),
        spreads=np.stack([each[1][part] for each in rows.beside], axis=1),
        strays=_with_like(np.stack([each[2][part] for each in rows.beside], axis=1), like),
    )
