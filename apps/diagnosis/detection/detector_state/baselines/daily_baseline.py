"""What is usual for each row: levels of five minutes beside its own last day and week.

Twelve cells make an hour; the medians of the last 24 hours, by the hour of the day, are the row's
own past, for time beside peers, alone and idle apart. What is usual changes once an hour, by hours
that are over: nothing looks ahead.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state import array_store
from apps.diagnosis.detection.detector_state.baselines.baseline_rows import (
    CELLS,
    CHANNELS,
    F32,
    HOUR_SECONDS,
    WIDTH,
    BaselineRows,
    pass_hours,
)
from apps.diagnosis.detection.detector_state.baselines.level_cells import (
    Cells,
    cells_of,
)
from apps.diagnosis.detection.detector_state.peer_levels import KNOWN_FLOOR, alike
from apps.diagnosis.detection.detector_state.regimes import (
    NONE,
)
from apps.diagnosis.model import Frame, Notes, Scene

# An hour within the reach of single cells is at most this many units away.
REACH_UNITS: Final = 3.0


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
    pass_hours(rows, cut[0].starts, values, np.concatenate([cells.kinds for cells in cut]))
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


def _rows(members: Sequence[Frame], notes: Notes) -> BaselineRows:
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
    return BaselineRows(past=past, now=now, kinds=kinds, judged=[], ended=[], beside=[])


def _with_like(reach: F32, like: NDArray[np.intp]) -> F32:
    """Return how far each row strays, or two of its like: what they do is nothing to tell of it."""
    return np.fmax(reach, stats.second_highest(reach, like))


def _usual_of(
    rows: BaselineRows, part: slice, cells: Cells, floor: float, like: NDArray[np.intp]
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
