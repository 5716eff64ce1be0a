"""How unevenly exclusions lie on nodes, by hand and beside what chance does."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from apps.training.offenders.exclusions import Concentration, Exclusion, concentrations

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
NODES = [f"gpu{number:03}" for number in range(10)]


def excluded(**times: int) -> list[Exclusion]:
    return [
        Exclusion(node=node, session=f"s{number}", at=NOON, cause="gpu" if number % 2 else "")
        for node, count in times.items()
        for number in range(count)
    ]


def of_any(told: list[Exclusion]) -> Concentration:
    return concentrations(told, nodes=NODES)[0]


def test_shares_are_those_counted_by_hand() -> None:
    found = of_any(excluded(gpu000=6, gpu001=3, gpu002=2, gpu003=1))

    assert found.top_nodes == (("gpu000", 6), ("gpu001", 3), ("gpu002", 2))
    assert found.top_share == pytest.approx(11 / 12, abs=1e-9)
    assert found.even_share == 0.3
    assert found.gini == pytest.approx((2 * (7 + 2 * 8 + 3 * 9 + 6 * 10) - 11 * 12) / 120, abs=1e-9)
    assert found.lorenz[0] == (0.0, 0.0)
    assert found.lorenz[-2:] == ((0.9, 0.5), (1.0, 1.0))


def test_equal_nodes_are_not_called_uneven() -> None:
    found = of_any(excluded(**dict.fromkeys(NODES, 5)))

    assert found.gini == 0.0
    assert found.top_share == found.even_share == 0.3
    assert not found.is_uneven


def test_few_exclusions_are_uneven_by_chance_and_that_is_said() -> None:
    found = of_any(excluded(gpu000=2, gpu001=1))

    assert found.top_share == 1.0
    assert not found.is_uneven


def test_one_node_with_nearly_all_is_uneven() -> None:
    found = of_any(excluded(gpu000=40, gpu001=2))

    assert found.is_uneven
    assert found.gini_interval[0] < found.gini <= found.gini_interval[1]


def test_causes_are_judged_apart() -> None:
    every, gpu = concentrations(excluded(gpu000=6, gpu001=3), nodes=NODES)

    assert (every.cause, every.exclusions) == (None, 9)
    assert (gpu.cause, gpu.exclusions) == ("gpu", 4)


def test_order_and_doubles_change_nothing() -> None:
    told = excluded(gpu000=9, gpu004=4, gpu007=2)
    shuffled = random.Random(6).sample(told * 2, 30)  # noqa: S311  an order

    assert concentrations(shuffled, nodes=NODES[::-1]) == concentrations(told, nodes=NODES)


def test_exclusions_without_a_session_are_told_apart_by_their_time() -> None:
    told = [Exclusion(node="x", session="", at=NOON + timedelta(days=day)) for day in (0, 0, 1)]

    assert of_any(told).exclusions == 2
    assert of_any(told).nodes == 11


def test_without_exclusions_there_is_nothing_to_say() -> None:
    assert concentrations([], nodes=NODES) == []
