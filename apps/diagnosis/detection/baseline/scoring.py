"""Rows after the learnt ones → scores. Row t needs rows up to t; cuts of blocks don't matter."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from apps.diagnosis.detection.baseline import held_out, training
from apps.diagnosis.detection.baseline.defaults import MINUTE, PAGES_PER_DAY
from apps.diagnosis.detection.baseline.row_views import Relation
from apps.diagnosis.detection.baseline.training import MachineBaseline, RowMemory, View
from apps.diagnosis.detection.baseline.view_scores import blocks_of_scores, view_scores
from apps.diagnosis.stats import Floats

LEVELS: Final = training.LEVEL_ROWS // training.LEVEL_BLOCK
# A day whose median is above what nine in ten learnt rows reach has shifted.
HIGH: Final = 0.9
# What two views see is less often an accident than what one sees.
SECOND: Final = 0.5

# How the views, with what was learnt and the memory before, score rows: views x rows.
Judge = Callable[[Sequence[View], Relation | None, RowMemory, Floats], Floats]


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
    if is_own:
        _, scores = _learnt(rows, step, view_scores)
        rows = np.where(training.strangest(scores)[:, None], np.nan, rows)
    found, scores = _learnt(rows, step, view_scores if is_own else held_out.unlearnt)
    threshold = training.threshold_for(scores, step=step, pages_per_day=pages_per_day)
    return replace(found, threshold=threshold)


def _learnt(rows: Floats, step: float, judge: Judge) -> tuple[MachineBaseline, Floats]:
    """Return what is usual in rows, and the scores of rows like them as `judge` tells them."""
    found, relation, began = training.prepare(rows)
    told = judge(found, relation, began, rows)
    found = training.with_units(found, told, step=step)
    raw = joined(found, told)
    before = MachineBaseline(found, relation, float(np.quantile(raw, HIGH)), np.inf, began, began)
    _, memory = advance(before, began, rows)
    level, _ = _levels(raw, began)
    return replace(before, memory=memory), _above(before, raw, level)


def advance(known: MachineBaseline, memory: RowMemory, rows: Floats) -> tuple[Floats, RowMemory]:
    """Return the score of each row and what the rows after these need."""
    if not len(rows):
        return np.empty(0), memory
    parts: list[Floats] = []
    for seen, after in blocks_of_scores(known.views, known.relation, memory, rows):
        parts.append(joined(known.views, seen))
        memory = replace(after, levels=memory.levels, pending=memory.pending)
    raw = np.concatenate(parts)
    level, memory = _levels(raw, memory)
    return _above(known, raw, level), memory


def _above(known: MachineBaseline, raw: Floats, level: Floats) -> Floats:
    return np.maximum(raw - np.maximum(level - known.level, 0.0), 0.0)


def joined(found: Sequence[View], scores: Floats) -> Floats:
    """Return the highest view of each row and half of the one after it, of what both could be."""
    units = np.array([view.unit for view in found])
    highest = np.sort(scores / units[:, None], axis=0)[-2:]
    joined: Floats = (highest[1] + SECOND * highest[0]) / (1 + SECOND)
    return joined


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
