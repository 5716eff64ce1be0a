"""Lemons: by several signals, each with what it adds; not by exclusions alone."""

import random

import pytest

from apps.training.offenders.lemons import LemonSignal, NodeRecord, lemon_scores

FLEET = [
    NodeRecord(node=f"n{number:02}", xids=number % 2, single_node_jobs=20) for number in range(30)
]
BAD = NodeRecord(
    node="bad", xids=6, tickets=4, taken_out=3, single_node_failures=5, single_node_jobs=20
)


def test_a_node_that_stands_out_in_several_signals_is_a_lemon_and_says_by_which() -> None:
    first, *others = lemon_scores([*FLEET, BAD])

    assert first.node == "bad"
    assert first.is_lemon
    assert not any(other.is_lemon for other in others)
    assert first.score == pytest.approx(sum(each.score for each in first.signals))
    assert {each.signal for each in first.signals} == set(LemonSignal)
    loudest = {each.signal for each in first.signals[:4]}
    assert LemonSignal.XIDS in loudest
    assert LemonSignal.EXCLUDED_BY_JOBS not in loudest


def test_exclusions_alone_make_no_lemon_however_many() -> None:
    shunned = NodeRecord(node="shunned", excluded_by_jobs=500)

    assert not any(one.is_lemon for one in lemon_scores([*FLEET, shunned]))


def test_one_signal_alone_makes_no_lemon_however_loud() -> None:
    noisy = NodeRecord(node="noisy", xids=100_000)
    first, *_ = lemon_scores([*FLEET, noisy])

    assert first.node == "noisy"
    assert not first.is_lemon


def test_a_rate_is_of_the_jobs_that_ran() -> None:
    fleet = [
        NodeRecord(node=f"n{number}", single_node_failures=1, single_node_jobs=20)
        for number in range(30)
    ]
    busy = NodeRecord(node="busy", single_node_failures=6, single_node_jobs=120)
    idle = NodeRecord(node="idle", single_node_failures=6, single_node_jobs=6)
    scores = lemon_scores([*fleet, busy, idle], signals=[LemonSignal.SINGLE_NODE_FAILURE_RATE])
    rate = {one.node: one.signals[0] for one in scores}

    assert (rate["busy"].value, rate["idle"].value) == (0.05, 1.0)
    assert rate["busy"].score < 0.5 < rate["idle"].score


def test_a_fleet_that_fails_alike_has_no_lemon() -> None:
    alike = [NodeRecord(node=f"n{number}", xids=9, tickets=5, taken_out=4) for number in range(20)]

    assert not any(one.is_lemon for one in lemon_scores(alike))


def test_order_and_doubles_change_nothing() -> None:
    records = [*FLEET, BAD]
    shuffled = random.Random(8).sample(records * 2, 62)  # noqa: S311  an order

    assert lemon_scores(shuffled) == lemon_scores(records)


def test_no_fleet_has_no_scores() -> None:
    assert lemon_scores([]) == []
