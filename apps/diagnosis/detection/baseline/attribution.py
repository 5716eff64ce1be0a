"""Which columns of a span of rows are responsible: two distances from what was before it."""

from typing import Final

import numpy as np

from apps.diagnosis.detection.baseline import column_tails, row_views
from apps.diagnosis.detection.baseline.training import MachineBaseline
from apps.diagnosis.stats import Floats, without_blanks

BEFORE: Final = 480  # rows before the span to which it is compared
PEAK: Final = 10  # rows, the farthest ones, whose mean stands for a column


def ranked(known: MachineBaseline, history: Floats, span: Floats) -> tuple[int, ...]:
    """Return all columns of a span, the most responsible first; columns without a value last.

    A column is judged by its deviations from the last BEFORE rows of `history` (the rows above the
    span), and by its jumps as they are usual for it; both count by their logarithm.
    """
    weights = weighed(known, history, span)
    return tuple(int(column) for column in np.argsort(-weights, kind="stable"))


def weighed(known: MachineBaseline, history: Floats, span: Floats) -> Floats:
    """Return the weight of each column of a span: 0 is as usual, -1 is without a value."""
    above = without_blanks(np.asarray(history[-BEFORE:], dtype=np.float64))
    rows = without_blanks(np.asarray(span, dtype=np.float64))
    if not len(above):
        above = known.began.recent
    start = known.began.recent
    recent = np.vstack([start, row_views.filled(above, start[-1:])])[-row_views.RECENT :]
    jump = next(view for view in known.views if view.name == "jump")
    sudden, _ = column_tails.distances(
        jump.tails, row_views.jumps(rows, recent, 0), jump.tails.swing
    )
    weights: Floats = np.log1p(_peak(_deviations(known, above, rows))) + np.log1p(_peak(sudden))
    return np.where(np.isnan(rows).all(axis=0), -1.0, weights)


def _deviations(known: MachineBaseline, above: Floats, rows: Floats) -> Floats:
    """Return the distance of each value from the rows above, in their standard deviations."""
    count = np.maximum(np.count_nonzero(~np.isnan(above), axis=0), 1)
    mean = np.nansum(above, axis=0) / count
    spread = np.sqrt(np.nansum((above - mean) ** 2, axis=0) / count)
    level = known.views[0].tails
    _, swing = column_tails.distances(level, np.vstack([above, rows]), level.swing)
    unit = np.maximum(spread, np.maximum(column_tails.OF_SWING * swing, level.floor))
    away: Floats = np.nan_to_num(np.abs(rows - mean) / unit)
    return away


def _peak(away: Floats) -> Floats:
    count = min(PEAK, len(away))
    highest: Floats = np.partition(away, len(away) - count, axis=0)[-count:].mean(axis=0)
    return highest
