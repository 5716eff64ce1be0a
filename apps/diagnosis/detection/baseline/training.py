"""A table of one machine's metrics → what is usual for it, and from which score on it isn't."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from apps.diagnosis.detection.baseline import column_tails, row_views
from apps.diagnosis.detection.baseline.column_tails import Tails
from apps.diagnosis.detection.baseline.row_views import Relation
from apps.diagnosis.stats import Floats, Mask, without_blanks

# Scores are in units of what the highest row of one hour in twenty reaches.
RARE_HOURS: Final = 0.05
LEAST_HOURS: Final = 5
LEAST_UNIT: Final = 1e-3
# The least unit of a residual, in standard deviations of its column.
RESIDUAL_FLOOR: Final = 0.1
# A level that the score keeps for half of this many rows is usual from then on.
LEVEL_ROWS: Final = 1440
LEVEL_BLOCK: Final = 36
# The table is learnt from its last rows, up to this many cells.
MOST_CELLS: Final = 10_000_000
LEAST_ROWS: Final = 60
# Nothing below this is unusual, however quiet the learnt table was.
LEAST_THRESHOLD: Final = 1.2
# The share of stretches, the strangest ones, that a table which is learnt and scored itself leaves
# out, with their neighbours: what is to be found in it doesn't count as usual.
LEFT_OUT: Final = 0.05
STRETCH: Final = 12  # rows


@dataclass(frozen=True, slots=True)
class View:
    """One way of looking: the tails of what it sees, and the unit of its score."""

    name: str
    tails: Tails
    unit: float


@dataclass(frozen=True, slots=True)
class RowMemory:
    """What the next row needs of the rows before it."""

    seen: int  # rows so far
    recent: Floats  # the last RECENT rows, filled
    swings: tuple[Floats, ...]  # the widest swing so far of each view
    levels: Floats  # medians of the score over the last whole blocks of LEVEL_BLOCK rows
    pending: Floats  # scores of the block that isn't whole yet


@dataclass(frozen=True, slots=True)
class MachineBaseline:
    """What is usual for one machine."""

    views: tuple[View, ...]
    relation: Relation | None
    level: float  # the score that the median of a day without a shift doesn't exceed
    threshold: float
    began: RowMemory  # before the first row
    memory: RowMemory  # after the learnt rows


class TooLittle(ValueError):
    """A table that nothing can be learnt from."""


def check(table: Floats) -> None:
    """Raise TooLittle, with what is missing, when a table can't be learnt from."""
    if table.ndim != 2 or not table.shape[1]:
        raise TooLittle("no columns to learn from")
    if len(table) < LEAST_ROWS:
        raise TooLittle(
            f"{len(table)} rows are too few to learn what is usual; {LEAST_ROWS} are needed"
        )
    if not np.isfinite(table).any():
        raise TooLittle("no column holds a number")


def learnt_rows(table: Floats) -> Floats:
    """Return the rows that are learnt from: the last ones, as double precision without blanks."""
    most = max(LEAST_ROWS, MOST_CELLS // max(1, table.shape[1]))
    return without_blanks(np.asarray(table[-most:], dtype=np.float64))


def prepare(rows: Floats) -> tuple[tuple[View, ...], Relation | None, RowMemory]:
    """Return the views with their tails but no units yet, the relation, and the empty memory."""
    middle = column_tails.learn(rows)
    known = ~np.isnan(rows)
    first = rows[np.argmax(known, axis=0), np.arange(rows.shape[1])]
    recent = np.repeat(np.nan_to_num(first)[None, :], row_views.RECENT, axis=0)
    jumps = row_views.jumps(rows, recent, 0)
    relation = row_views.relate(rows)
    found = [
        View("level", middle, 1.0),
        View("plain", column_tails.learn_plain(rows), 1.0),
        View("jump", column_tails.either_way(column_tails.learn(jumps)), 1.0),
    ]
    if relation is not None:
        rest = row_views.residuals(relation, rows)
        found.append(View("relation", column_tails.learn(rest, floor=RESIDUAL_FLOOR), 1.0))
    swings = tuple(view.tails.swing for view in found)
    nothing = np.empty(0)
    return tuple(found), relation, RowMemory(0, recent, swings, nothing, nothing)


def with_units(found: tuple[View, ...], scores: Floats, *, step: float) -> tuple[View, ...]:
    """Return the views with the units that their scores (views x rows) give.

    One view's hours have far higher peaks than another's; in this unit both are as rare.
    """
    units = []
    for of_view in scores:
        peaks, top = _peaks(of_view, step)
        units.append(max(LEAST_UNIT, float(peaks[top])))
    return tuple(replace(view, unit=unit) for view, unit in zip(found, units, strict=True))


def _peaks(scores: Floats, step: float) -> tuple[Floats, int]:
    """Return the highest score of each hour, the highest hour first, and how many are rare."""
    rows = int(np.clip(round(3600 / step), 1, max(1, len(scores) // 50)))
    hours = len(scores) // rows
    peaks = np.sort(scores[: hours * rows].reshape(hours, rows).max(axis=1))[::-1]
    return peaks, min(max(LEAST_HOURS, int(hours * RARE_HOURS)), hours - 1)


def threshold_for(scores: Floats, *, step: float, pages_per_day: float) -> float:
    """Return the score that rows like these would exceed in `pages_per_day` of a day's hours.

    Beyond the data the highest twentieth of the hours' maxima is continued as an exponential.
    """
    peaks, top = _peaks(scores, step)
    if top < 1:
        return LEAST_THRESHOLD
    fall = float(np.mean(peaks[:top] - peaks[top]))
    wanted = pages_per_day * len(scores) * step / 86400
    return max(LEAST_THRESHOLD, float(peaks[top]) + fall * float(np.log(top / wanted)))


def strangest(scores: Floats) -> Mask:
    """Say which rows a table that is learnt and scored itself is learnt without.

    They are the strangest stretches, with the stretch before and after each.
    """
    stretch = np.arange(len(scores)) // STRETCH
    peaks = np.maximum.reduceat(scores, np.arange(0, len(scores), STRETCH))
    apart = np.pad(peaks > np.quantile(peaks, 1 - LEFT_OUT), 1)
    out: Mask = (apart[:-2] | apart[1:-1] | apart[2:])[stretch]
    return out
