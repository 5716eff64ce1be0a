"""What each view makes of rows: one score a row, block by block, causally."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from apps.diagnosis.detection.baseline import column_tails, row_views
from apps.diagnosis.detection.baseline.row_views import Relation
from apps.diagnosis.detection.baseline.training import RowMemory, View
from apps.diagnosis.stats import Floats, without_blanks

CELLS: Final = 50_000  # of one block: its tables stay in the processor's cache
LEAST_ROWS: Final = 4 * row_views.RECENT  # each block looks at so many rows before it again
# The farthest columns, each counting less than the one before: one noisy metric is no incident, and
# an incident that shows in a few is not thinned by the hundred others.
STRONGEST: Final = 8
FADING: Final = 0.8
# The plain rule takes the mean of as many.
PLAIN_STRONGEST: Final = 5


def view_scores(
    found: Sequence[View], relation: Relation | None, memory: RowMemory, rows: Floats
) -> Floats:
    """Return the scores (views x rows)."""
    parts = [part for part, _ in blocks_of_scores(found, relation, memory, rows)]
    return np.hstack(parts) if parts else np.empty((len(found), 0))


def blocks_of_scores(
    found: Sequence[View], relation: Relation | None, memory: RowMemory, rows: Floats
) -> Iterator[tuple[Floats, RowMemory]]:
    """Yield the scores (views x rows) of block after block, and the memory after each."""
    length = max(LEAST_ROWS, CELLS // max(1, rows.shape[1]))
    for start in range(0, len(rows), length):
        block = without_blanks(np.asarray(rows[start : start + length], dtype=np.float64))
        scores = np.empty((len(found), len(block)))
        swings: list[Floats] = []
        for at, (view, swing) in enumerate(zip(found, memory.swings, strict=True)):
            seen = looked(view.name, relation, memory, block)
            away, after = column_tails.distances(view.tails, seen, swing)
            scores[at] = STRENGTHS[view.name](away)
            swings.append(after)
        recent = np.vstack([memory.recent, row_views.filled(block, memory.recent[-1:])])
        memory = RowMemory(
            memory.seen + len(block),
            recent[-row_views.RECENT :],
            tuple(swings),
            memory.levels,
            memory.pending,
        )
        yield scores, memory


def looked(name: str, relation: Relation | None, memory: RowMemory, block: Floats) -> Floats:
    """Return what one view sees of the rows."""
    if name == "jump":
        return row_views.jumps(block, memory.recent, memory.seen)
    if name == "relation" and relation is not None:
        return row_views.residuals(relation, block)
    return block


def _mean_of_logarithms(away: Floats) -> Floats:
    """Return the weighted mean of the logarithms of the farthest columns of each row."""
    away = _farthest(away, STRONGEST)
    weights = FADING ** np.arange(away.shape[1] - 1, -1, -1)
    mean: Floats = np.log1p(np.sort(away, axis=1)) @ (weights / weights.sum())
    return mean


def _logarithm_of_mean(away: Floats) -> Floats:
    """Return the logarithm of the plain mean of the farthest columns of each row."""
    mean: Floats = np.log1p(_farthest(away, PLAIN_STRONGEST).mean(axis=1))
    return mean


def _farthest(away: Floats, most: int) -> Floats:
    count = min(most, away.shape[1])
    if count == away.shape[1]:
        return away
    few: Floats = np.partition(away, away.shape[1] - count, axis=1)[:, -count:]
    return few


STRENGTHS: Final = {
    "level": _mean_of_logarithms,
    "plain": _logarithm_of_mean,
    "jump": _mean_of_logarithms,
    "relation": _mean_of_logarithms,
}
