"""What incidents cost, by count and by GPU-hours."""

import random
from datetime import UTC, datetime
from typing import Any

import pytest

from apps.training.economics.losses import IncidentLoss, weights, weights_by


def loss(incident: str, hours: float, **told: Any) -> IncidentLoss:
    at = told.pop("at", datetime(2026, 3, 9, tzinfo=UTC))
    return IncidentLoss(incident=incident, at=at, gpus=8, downtime_seconds=hours * 3600, **told)


def test_lost_is_what_was_trained_since_the_checkpoint_what_stood_still_and_what_was_slow() -> None:
    one = loss("a", 1.0, progress_seconds=1800.0, slow_seconds=900.0)

    assert one.gpu_hours == pytest.approx(8 * 1.75)


def test_few_incidents_can_weigh_most() -> None:
    losses = [loss(f"{number}", 0.1, layer="software") for number in range(9)]
    heavy, light = weights([*losses, loss("x", 9.1, layer="gpu")], by="layer")

    assert (heavy.name, heavy.incidents.rate) == ("gpu", 0.1)
    assert heavy.hours_share == pytest.approx(0.91)
    assert light.hours_share == pytest.approx(0.09)
    assert heavy.hours_interval[0] < heavy.hours_share < heavy.hours_interval[1]


def test_order_and_doubles_change_nothing() -> None:
    losses = [loss(f"{number}", number, node=f"gpu{number % 5}") for number in range(30)]
    shuffled = random.Random(4).sample(losses * 2, 60)  # noqa: S311  an order

    assert weights(shuffled, by="node") == weights(losses, by="node")


def test_an_incident_that_is_told_anew_counts_once_with_what_it_came_to() -> None:
    (only,) = weights([loss("a", 1.0, cause="x"), loss("a", 3.0, cause="x")], by="cause")

    assert (only.incidents.n, only.gpu_hours) == (1, 24.0)


def test_months_are_of_the_incidents() -> None:
    april = loss("b", 1.0, at=datetime(2026, 4, 1, tzinfo=UTC))

    assert {each.name for each in weights([loss("a", 1.0), april], by="month")} == {
        "2026-03",
        "2026-04",
    }


def test_nothing_lost_weighs_nothing() -> None:
    assert weights([], by="party") == []
    assert weights([loss("a", 0.0)], by="layer")[0].hours_share == 0.0


def test_by_several_keys_each_is_as_by_itself() -> None:
    losses = [
        loss(f"{n}", n, node=f"gpu{n % 3}", layer="gpu" if n % 2 else "host") for n in range(9)
    ]
    together = weights_by(losses, keys=("node", "layer", "month"))
    assert together == {key: weights(losses, by=key) for key in ("node", "layer", "month")}


def test_no_incident_weighs_nothing() -> None:
    assert weights([], by="layer") == []
