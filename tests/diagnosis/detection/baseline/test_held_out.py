"""Units of the views: told by rows that they did not learn, so that none flatters itself."""

import numpy as np
import pytest

from apps.diagnosis.detection.baseline import held_out, training
from apps.diagnosis.detection.baseline.scoring import advance, usual
from apps.diagnosis.detection.baseline.view_scores import STRENGTHS, view_scores
from tests.diagnosis.detection.baseline.machine import table

ROWS = table(days=3, seed=1)


def test_every_row_is_scored_once_by_every_view() -> None:
    found, relation, began = training.prepare(ROWS)

    told = held_out.unlearnt(found, relation, began, ROWS)

    assert told.shape == (len(found), len(ROWS))
    assert [view.name for view in found] == list(STRENGTHS)


def test_a_part_that_is_unlike_the_others_is_far_to_them_though_not_to_itself() -> None:
    rows = ROWS.copy()
    rows[-1000:, :12] += 3.0
    found, relation, began = training.prepare(rows)

    unlearnt = held_out.unlearnt(found, relation, began, rows)[0, -1000:]
    learnt = view_scores(found, relation, began, rows)[0, -1000:]

    assert np.median(unlearnt) > 2 * np.median(learnt)


def test_of_few_rows_the_learnt_ones_tell_themselves() -> None:
    few = ROWS[: held_out.PARTS * held_out.LEAST_ROWS - 1]
    found, relation, began = training.prepare(few)

    told = held_out.unlearnt(found, relation, began, few)

    assert np.array_equal(told, view_scores(found, relation, began, few))


def test_of_very_many_rows_only_the_last_are_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_out, "MOST_CELLS", 1000 * ROWS.shape[1])
    found, relation, began = training.prepare(ROWS)

    assert held_out.unlearnt(found, relation, began, ROWS).shape[1] == 1000


def test_a_part_without_any_value_teaches_nothing_and_breaks_nothing() -> None:
    rows = ROWS.copy()
    rows[: len(rows) // 3] = np.nan

    known = usual(rows)

    assert np.isfinite(advance(known, known.memory, ROWS[:100])[0]).all()


def test_a_view_with_wild_hours_gets_a_wide_unit() -> None:
    calm, wild = np.full(6000, 0.5), np.full(6000, 0.5)
    wild[::300] = 4.0
    found, _, _ = training.prepare(ROWS)

    units = [
        view.unit for view in training.with_units(found[:2], np.stack([calm, wild]), step=60.0)
    ]

    assert units == [0.5, 4.0]
