"""Rows after the learnt ones → scores. Row t needs rows up to t; cuts of blocks don't matter."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from apps.diagnosis.detection.baseline import column_tails, row_views, training
from apps.diagnosis.detection.baseline.defaults import MINUTE, PAGES_PER_DAY
from apps.diagnosis.detection.baseline.row_views import Relation
from apps.diagnosis.detection.baseline.training import MachineBaseline, RowMemory, View
from apps.diagnosis.stats import Floats, without_blanks

CELLS: Final = 400_000  # of one block: a few megabytes stay near the processor
LEVELS: Final = training.LEVEL_ROWS // training.LEVEL_BLOCK
# A day whose median is above what nine in ten learnt rows reach has shifted.
HIGH: Final = 0.9


def usual(
    table: Floats,
    *,
    step: float = MINUTE,
    pages_per_day: float = PAGES_PER_DAY,
    is_own: bool = False,
) -> MachineBaseline:
    """Learn what is usual from a table; `is_own` when the same rows will be scored.

    Then its strangest rows are left out, so that what is to be found doesn't count as usual.
    Raises TooLittle, naming what is missing.
    """
    training.check(table)
    rows = training.learnt_rows(table)
    found, scores = _learnt(rows)
    if is_own:
        found, scores = _learnt(np.where(training.strangest(scores)[:, None], np.nan, rows))
    threshold = training.threshold_for(scores, step=step, pages_per_day=pages_per_day)
    return replace(found, threshold=threshold)


def _learnt(rows: Floats) -> tuple[MachineBaseline, Floats]:
    found, relation, began = training.prepare(rows)
    seen = np.hstack([part for part, _ in _view_scores(found, relation, began, rows)])
    found = training.with_units(found, seen)
    raw = _joined(found, seen)
    before = MachineBaseline(found, relation, float(np.quantile(raw, HIGH)), np.inf, began, began)
    scores, memory = advance(before, began, rows)
    return replace(before, memory=memory), scores


def advance(known: MachineBaseline, memory: RowMemory, rows: Floats) -> tuple[Floats, RowMemory]:
    """Return the score of each row and what the rows after these need."""
    if not len(rows):
        return np.empty(0), memory
    parts: list[Floats] = []
    for seen, after in _view_scores(known.views, known.relation, memory, rows):
        parts.append(_joined(known.views, seen))
        memory = replace(after, levels=memory.levels, pending=memory.pending)
    raw = np.concatenate(parts)
    level, memory = _levels(raw, memory)
    return np.maximum(raw - np.maximum(level - known.level, 0.0), 0.0), memory


def _joined(found: Sequence[View], scores: Floats) -> Floats:
    units = np.array([view.unit for view in found])
    highest: Floats = (scores / units[:, None]).max(axis=0)
    return highest


def _view_scores(
    found: Sequence[View], relation: Relation | None, memory: RowMemory, rows: Floats
) -> Iterator[tuple[Floats, RowMemory]]:
    """Yield the scores (views x rows) of block after block, and the memory after each."""
    length = max(row_views.RECENT, CELLS // max(1, rows.shape[1]))
    for start in range(0, len(rows), length):
        block = without_blanks(np.asarray(rows[start : start + length], dtype=np.float64))
        scores = np.empty((len(found), len(block)))
        swings: list[Floats] = []
        for at, (view, swing) in enumerate(zip(found, memory.swings, strict=True)):
            seen = looked(view.name, relation, memory, block)
            away, after = column_tails.distances(view.tails, seen, swing)
            scores[at] = _strongest(away)
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


def _strongest(away: Floats) -> Floats:
    """Return the weighted mean of the logarithms of the farthest columns of each row."""
    count = min(training.STRONGEST, away.shape[1])
    if count < away.shape[1]:
        away = np.partition(away, away.shape[1] - count, axis=1)[:, -count:]
    weights = training.FADING ** np.arange(count - 1, -1, -1)
    mean: Floats = np.log1p(np.sort(away, axis=1)) @ (weights / weights.sum())
    return mean


def _levels(raw: Floats, memory: RowMemory) -> tuple[Floats, RowMemory]:
    """Return the median of the score over the last whole blocks before each row."""
    block = training.LEVEL_BLOCK
    scores = np.concatenate([memory.pending, raw])
    whole = len(scores) // block
    medians = np.median(scores[: whole * block].reshape(whole, block), axis=1)
    history = np.concatenate([memory.levels, medians])
    # Before there are LEVELS blocks, the missing ones count as usual (zero).
    padded = np.concatenate([np.zeros(LEVELS), history])
    running = np.median(sliding_window_view(padded, LEVELS), axis=1)
    known_blocks = len(memory.levels) + np.arange(len(memory.pending), len(scores)) // block
    after = replace(memory, levels=history[-LEVELS:], pending=scores[whole * block :])
    return running[known_blocks], after
