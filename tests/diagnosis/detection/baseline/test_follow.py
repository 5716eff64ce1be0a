"""What is learnt of a machine, and what stands out of it afterwards."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis.detection.baseline.attribution import ranked
from apps.diagnosis.detection.baseline.row_views import FIVE
from apps.diagnosis.detection.baseline.score_spans import BRIDGE, spells
from apps.diagnosis.detection.baseline.scoring import advance, joined, usual
from apps.diagnosis.detection.baseline.training import LEVEL_ROWS, MachineBaseline, TooLittle
from apps.diagnosis.stats import Floats
from tests.diagnosis.detection.baseline.machine import COLUMNS, DAY, DEAD, table, with_burst

TRAIN = table(days=4, seed=1)
TEST = table(days=2, seed=2)
KNOWN = usual(TRAIN)


def _scores(known: MachineBaseline, rows: Floats) -> Floats:
    return advance(known, known.memory, rows)[0]


def test_days_like_the_learnt_ones_hardly_ever_reach_the_threshold() -> None:
    found = spells(_scores(KNOWN, table(days=10, seed=3)), threshold=KNOWN.threshold)

    assert len(found) <= 5


def test_a_burst_of_several_metrics_is_one_episode_with_those_metrics_first() -> None:
    rows = with_burst(TEST, start=1000, end=1020, columns=(2, 5, 7))

    found = spells(_scores(KNOWN, rows), threshold=KNOWN.threshold)

    assert [one.start for one in found] == [1000]
    assert 1020 <= found[0].end <= 1020 + FIVE  # the way back may be a jump too
    assert {2, 5, 7} <= set(ranked(KNOWN, rows[:1000], rows[1000:1020])[:4])


def test_the_end_of_an_hour_of_rare_events_is_as_usual_as_its_begin() -> None:
    rows = TEST.copy()
    rows[1000:1060, 12:14] = 1.0  # these columns only ever rise from where they rest, and fall back

    scores = _scores(KNOWN, rows)

    assert scores[1060:1065].max() <= scores[1000:1060].max()


def test_what_two_views_see_counts_more_than_what_one_sees() -> None:
    one = np.array([[2.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    two = np.array([[2.0, 0.0], [2.0, 0.0], [0.0, 0.0]])
    found = [replace(view, unit=1.0) for view in KNOWN.views[:3]]

    assert joined(found, two)[0] > joined(found, one)[0] > 0


def test_a_column_that_stops_following_the_others_stands_out_within_its_own_range() -> None:
    rows = TEST.copy()
    rows[1700:1760, :5] = rows[1000:1060, :5]  # the valley of the day where its peak is

    assert _scores(KNOWN, rows)[1700:1760].max() > 2 * _scores(KNOWN, TEST)[1700:1760].max()


def test_a_dead_column_that_comes_alive_counts_but_only_so_far() -> None:
    rows, wild = TEST.copy(), TEST.copy()
    rows[1000:1010, DEAD] = 1.0
    wild[1000:1010, DEAD] = 1e15

    scores, wildly = _scores(KNOWN, rows), _scores(KNOWN, wild)

    assert scores[1000] > 2 * np.median(scores)
    assert wildly[1000] == pytest.approx(scores[1000])
    assert ranked(KNOWN, rows[:1000], rows[1000:1010])[0] == DEAD


def test_a_level_that_stays_for_most_of_a_day_is_usual_from_then_on() -> None:
    rows = table(days=4, seed=4)
    rows[DAY:, :6] += 1.5

    scores = _scores(KNOWN, rows)

    assert scores[DAY] >= KNOWN.threshold
    late = scores[DAY + LEVEL_ROWS :]
    assert np.mean(late >= KNOWN.threshold) < 0.01


def test_scores_know_nothing_of_later_rows() -> None:
    changed = with_burst(TEST, start=1500, end=1600, columns=(0, 1, 2))

    assert np.array_equal(_scores(KNOWN, TEST)[:1500], _scores(KNOWN, changed)[:1500])


@settings(max_examples=25, deadline=None)
@given(cuts=st.lists(st.integers(0, len(TEST)), max_size=8))
def test_any_cuts_between_blocks_give_the_same_scores(cuts: list[int]) -> None:
    memory, parts = KNOWN.memory, []
    edges = [0, *sorted(cuts), len(TEST)]
    for start, end in itertools.pairwise(edges):
        scores, memory = advance(KNOWN, memory, TEST[start:end])
        parts.append(scores)

    assert np.allclose(np.concatenate(parts), _scores(KNOWN, TEST), rtol=0, atol=1e-9)


@settings(max_examples=15, deadline=None)
@given(exponent=st.integers(-9, 12), shift=st.floats(-3, 3))
def test_scores_do_not_depend_on_units(exponent: int, shift: float) -> None:
    unit = 10.0**exponent
    known = usual((TRAIN[:DAY] + shift) * unit)

    scores = _scores(known, (TEST[:400] + shift) * unit)

    assert np.allclose(scores, _scores(usual(TRAIN[:DAY]), TEST[:400]), rtol=1e-3, atol=1e-3)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000), share=st.floats(0, 1), gap=st.sampled_from([np.nan, np.inf]))
def test_missing_values_give_finite_scores_and_never_a_crash(
    seed: int, share: float, gap: float
) -> None:
    random = np.random.default_rng(seed)
    train, test = TRAIN[:300].copy(), TEST[:200].copy()
    train[random.random(train.shape) < share * 0.99] = np.nan
    test[random.random(test.shape) < share] = gap
    train[0, 0] = 1.0

    known = usual(train)
    scores = _scores(known, test)

    assert np.isfinite(scores).all()
    assert sorted(ranked(known, train, test)) == list(range(COLUMNS))


def test_rows_that_are_missing_altogether_are_not_unusual() -> None:
    rows = TEST.copy()
    rows[900:1000] = np.nan

    scores = _scores(KNOWN, rows)

    assert (scores[900:1000] == 0).all()
    assert scores[1000:1010].max() < KNOWN.threshold


def test_a_table_that_is_learnt_and_scored_itself_still_shows_its_incident() -> None:
    rows = with_burst(TEST, start=1000, end=1030, columns=(1, 3, 4, 6))
    known = usual(rows, is_own=True)

    found = spells(advance(known, known.began, rows)[0], threshold=known.threshold)

    assert any(one.start <= 1005 < one.end for one in found)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (np.zeros((10, 3)), "10 rows are too few"),
        (np.zeros((100, 0)), "no columns"),
        (np.full((100, 3), np.nan), "no column holds a number"),
    ],
)
def test_a_table_that_nothing_can_be_learnt_from_is_refused_with_the_reason(
    rows: Floats, said: str
) -> None:
    with pytest.raises(TooLittle, match=said):
        usual(rows)


@pytest.mark.parametrize("columns", [1, 2, 4, 40])
def test_any_number_of_columns_and_short_tables_are_scored(columns: int) -> None:
    random = np.random.default_rng(5)
    known = usual(random.standard_normal((60, columns)))

    assert np.isfinite(_scores(known, random.standard_normal((7, columns)))).all()


def test_a_constant_table_has_no_episode_until_it_moves() -> None:
    known = usual(np.full((500, 4), 0.1))
    rows = np.full((50, 4), 0.1)
    rows[30] = 0.2

    found = spells(_scores(known, rows), threshold=known.threshold)

    assert [(one.start, one.end) for one in found] == [(30, 31)]


def test_a_lower_budget_of_pages_is_a_higher_threshold() -> None:
    thresholds = [usual(TRAIN, pages_per_day=each).threshold for each in (0.01, 0.1, 1.0)]

    assert thresholds == sorted(thresholds, reverse=True)


def test_spells_join_over_short_gaps_only() -> None:
    scores = np.zeros(100)
    scores[[10, 12, 12 + BRIDGE + 1, 60]] = [2, 5, 3, 2]

    found = spells(scores, threshold=2.0)

    assert [(one.start, one.end, one.score) for one in found] == [(10, 24, 5.0), (60, 61, 2.0)]
