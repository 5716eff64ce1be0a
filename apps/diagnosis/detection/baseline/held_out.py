"""How the views score healthy rows that they didn't learn: what they learnt by heart flatters them.

The learnt rows are cut into parts; each part is scored by what the others teach.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

import numpy as np

from apps.diagnosis.detection.baseline.row_views import RECENT, Relation
from apps.diagnosis.detection.baseline.training import RowMemory, View, prepare
from apps.diagnosis.detection.baseline.view_scores import view_scores
from apps.diagnosis.stats import Floats

PARTS: Final = 3
# Parts of fewer rows tell less of rare rows than the learnt ones themselves.
LEAST_ROWS: Final = 200
# Of a longer table the last cells are scored so.
MOST_CELLS: Final = 3_000_000


def unlearnt(
    found: Sequence[View], relation: Relation | None, began: RowMemory, rows: Floats
) -> Floats:
    """Return the scores (views x rows) of each part of the rows, learnt from the other parts.

    Of few rows the scores are those of the learnt rows; of many, those of the last ones.
    """
    few = rows[-max(PARTS * LEAST_ROWS, MOST_CELLS // rows.shape[1]) :]
    if len(few) < PARTS * LEAST_ROWS:
        return view_scores(found, relation, began, rows)
    edges = np.linspace(0, len(few), PARTS + 1).astype(int).tolist()
    parts = [_part(few, start, end) for start, end in pairwise(edges)]
    return np.hstack(parts)


def _part(rows: Floats, start: int, end: int) -> Floats:
    """Return the scores of the rows from `start` to before `end`."""
    found, relation, began = prepare(np.vstack([rows[:start], rows[end:]]))
    before = rows[max(0, start - RECENT) : start]
    first = np.where(np.isnan(rows[start]), began.recent[0], rows[start])
    at_start = replace(began, recent=np.repeat(first[None, :], RECENT, axis=0))
    return view_scores(found, relation, at_start, rows[start - len(before) : end])[:, len(before) :]
