"""The judge of scores counts pages, not runs, and is hand-checked on a few rows."""

import numpy as np

from tests.score.pages import average_at_five, best, hit_rate, judged, pages, spans


def _mask(*rows: int, of: int = 240) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    mask = np.zeros(of, dtype=bool)
    mask[list(rows)] = True
    return mask


def test_a_page_covers_the_hour_that_its_first_row_begins() -> None:
    assert pages(_mask(), hour=60) == 0
    assert pages(_mask(5, 6, 64), hour=60) == 1
    assert pages(_mask(5, 65, 66), hour=60) == 2
    assert pages(np.ones(240, dtype=bool), hour=60) == 4


def test_always_alerting_finds_everything_and_pages_every_hour() -> None:
    label = _mask(10, 11, 100)

    found = judged(np.ones(240), label, threshold=1.0, hour=60)

    assert (found.found, found.incidents) == (2, 2)
    assert found.pages == 4
    assert found.days == 240 / 1440


def test_rows_inside_a_label_are_no_false_page_and_one_of_them_is_enough() -> None:
    scores = np.zeros(240)
    scores[[12, 50]] = 3.0

    found = judged(scores, _mask(10, 11, 12, 13), threshold=3.0, hour=60)

    assert (found.found, found.pages) == (1, 1)


def test_the_best_threshold_keeps_to_the_budget() -> None:
    label = _mask(10, 100, 200, of=1440)
    scores = np.zeros(1440)
    scores[[10, 100, 200]] = [9.0, 5.0, 1.0]
    scores[[500, 700]] = [7.0, 2.0]

    found = [best(scores, label, budget=budget, hour=60) for budget in (0, 1, 2)]

    assert found == [1, 2, 3]


def test_spans_are_rows_from_the_first_to_before_the_last() -> None:
    assert spans(_mask(3, 4, 5, 9)) == [(3, 6), (9, 10)]


def test_rankings_are_judged_against_as_many_columns_as_are_responsible() -> None:
    order, responsible = [4, 1, 0, 2, 3], frozenset({4, 0})

    assert hit_rate(order, responsible) == 0.5
    assert average_at_five(order, responsible) == (1 + 0.5 + 1 + 1 + 1) / 5
