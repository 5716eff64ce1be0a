"""Levels in cells of five minutes, less the middle of those that did the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis.detection.detector_state import array_store
from apps.diagnosis.detection.detector_state.levels import levels
from apps.diagnosis.detection.detector_state.regimes import BEGINNING, NONE, Kinds, beside_others
from apps.diagnosis.model import Frame, Notes, Scene

Floats = NDArray[np.float64]
Singles = NDArray[Any]  # single precision

CELL_SECONDS: Final = 300.0
# Of the samples that a cell has room for.
LEAST_SHARE: Final = 0.5
SUM, LEVEL, COUNT, KIND, BEGAN = range(5)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cells:
    """The cells of one frame that ended in this block."""

    starts: NDArray[np.float64]  # Unix seconds at which each begins
    values: Singles  # shape (rows, cells), NaN where too little is known
    levels: Singles  # the same as they were measured
    kinds: Kinds


def cells_of(frame: Frame, notes: Notes, scene: Scene, frames: Sequence[Frame]) -> Cells:
    """Return the finished cells; what is left of the last one is kept for the next block."""
    away, kinds = beside_others(frame, notes, scene, frames)
    at = frame.at
    cell = np.floor(at / CELL_SECONDS + 1e-9)
    first = np.flatnonzero(np.concatenate(([True], cell[1:] != cell[:-1])))
    starts = cell[first] * CELL_SECONDS
    known = ~np.isnan(away)
    totals = np.add.reduceat(np.where(known, away, 0.0), first, axis=1)
    measured = np.where(known, levels(frame, notes), 0.0)
    whole = np.add.reduceat(measured, first, axis=1, dtype=np.float64)
    counts = np.add.reduceat(known, first, axis=1, dtype=np.int64).astype(np.float64)
    lowest = np.minimum.reduceat(kinds, first, axis=1)
    highest = np.maximum.reduceat(kinds, first, axis=1)
    same = np.where((lowest == highest) | (highest == BEGINNING), highest, NONE)
    _go_on(frame, notes, float(starts[0]), (totals, whole, counts), same)
    array_store.keep(
        notes, f"cells/{frame.signal.name}", open=_open(starts, totals, whole, counts, same)
    )
    is_whole = at[-1] + frame.step > starts[-1] + CELL_SECONDS - 1e-6
    done = len(starts) if is_whole else len(starts) - 1
    least = LEAST_SHARE * max(1.0, CELL_SECONDS / frame.step)
    enough = ((counts >= least) & (same != NONE)) | (same == BEGINNING)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(enough, totals / counts, np.nan)
        heights = np.where(enough, whole / counts, np.nan)
    return Cells(
        starts=starts[:done],
        values=means[:, :done].astype(np.float32),
        levels=heights[:, :done].astype(np.float32),
        kinds=np.where(enough, same, NONE)[:, :done].astype(np.int8),
    )


def _go_on(
    frame: Frame, notes: Notes, start: float, sums: tuple[Floats, Floats, Floats], kinds: Kinds
) -> None:
    """Add to the first cell what came of it before."""
    shape = (len(kinds), 5)
    open_ = array_store.array(notes, f"cells/{frame.signal.name}", "open", shape=shape, fill=np.nan)
    goes_on = open_[:, BEGAN] == start
    if goes_on.any():
        for place, values in zip((SUM, LEVEL, COUNT), sums, strict=True):
            values[:, 0] += np.where(goes_on, open_[:, place], 0.0)
        begins = (open_[:, KIND] == BEGINNING) | (kinds[:, 0] == BEGINNING)
        kinds[goes_on & (open_[:, KIND] != kinds[:, 0]), 0] = NONE
        kinds[goes_on & begins, 0] = BEGINNING


def _open(starts: Floats, totals: Floats, whole: Floats, counts: Floats, kinds: Kinds) -> Floats:
    """Return the last cell as it is now: the next block may go on with it."""
    now = (
        totals[:, -1],
        whole[:, -1],
        counts[:, -1],
        kinds[:, -1],
        np.full(len(kinds), starts[-1]),
    )
    return np.stack(now, axis=1).astype(np.float64)
