"""How right verdicts were: what counts, in which step, and what a dispute is."""

from dataclasses import replace

import pytest

from apps.incidents.judgement.accuracy import AccuracyShare, Judged, by_layer, overall, steps
from tests.cast.make import AT

RIGHT = Judged(
    layer="gpu",
    cause="gpu.fallen_off_bus",
    status="likely",
    probability=0.7,
    is_layer_right=True,
    is_cause_right=True,
    judged_at=AT,
)
WRONG = replace(RIGHT, is_layer_right=False, is_cause_right=False)
HALF = replace(RIGHT, is_cause_right=None)
OPEN = replace(RIGHT, layer="unknown", status="unknown", probability=0.3)


def test_each_layer_counts_what_was_said_of_it_and_no_dispute() -> None:
    judged = [RIGHT, WRONG, HALF, replace(RIGHT, layer="host", is_layer_right=None), OPEN]
    assert {
        each.layer: (each.by_layer.hits, each.by_layer.n, each.by_cause.n, each.disputed_count)
        for each in by_layer(judged=judged)
    } == {"gpu": (2, 3, 2, 1), "host": (0, 0, 1, 1), "unknown": (1, 1, 1, 0)}


def test_over_all_only_verdicts_count_that_named_a_layer() -> None:
    judged = [RIGHT, replace(WRONG, status="possible"), OPEN, replace(RIGHT, is_layer_right=None)]
    share = overall(judged=judged)
    assert (share.hits, share.n) == (1, 2)


@pytest.mark.parametrize(
    ("probability", "low"),
    [(0.0, 0.0), (0.49, 0.0), (0.5, 0.5), (0.65, 0.65), (0.8, 0.8), (0.9, 0.9), (1.0, 0.9)],
)
def test_a_verdict_stands_in_the_one_step_that_begins_at_or_below_it(
    probability: float, low: float
) -> None:
    found = steps(judged=[replace(RIGHT, probability=probability)])
    assert [each.low for each in found if each.share.n] == [low]
    assert [each.stated for each in found if each.share.n] == [probability]
    assert [each.stated for each in found if not each.share.n] == [None] * 4


def test_what_was_left_open_or_is_disputed_stands_in_no_step() -> None:
    assert not any(
        each.share.n for each in steps(judged=[OPEN, replace(RIGHT, is_layer_right=None)])
    )


@pytest.mark.parametrize(("n", "is_small"), [(9, True), (10, False)])
def test_fewer_than_ten_say_little(n: int, *, is_small: bool) -> None:
    assert AccuracyShare(hits=n, n=n).is_small is is_small
