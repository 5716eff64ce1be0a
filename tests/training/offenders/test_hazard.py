"""When the next incident of a node comes, by how many it had before."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from apps.training.offenders.hazard import hazards

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
END = BEGIN + timedelta(days=100)


def day(number: float) -> datetime:
    return BEGIN + timedelta(days=number)


def test_days_are_counted_to_the_next_incident_and_to_the_end_where_none_came() -> None:
    never, once, again = hazards(
        {"a": [day(40), day(50)], "b": [day(60)], "c": []}, starts_at=BEGIN, ends_at=END
    )

    assert (never.nodes, never.next_incidents.count, never.next_incidents.days) == (3, 2, 200.0)
    assert never.mean_days == 100.0
    assert (once.nodes, once.next_incidents.count, once.next_incidents.days) == (2, 1, 50.0)
    assert (again.nodes, again.mean_days) == (1, None)
    assert again.mean_days_interval[1] is None


def test_intervals_hold_the_mean() -> None:
    (first, *_) = hazards({"a": [day(40), day(50)]}, starts_at=BEGIN, ends_at=END)
    low, high = first.mean_days_interval

    assert first.mean_days == 40.0
    assert high is not None
    assert low < 40.0 < high


def test_what_is_told_again_within_the_hour_is_one_incident() -> None:
    incidents = {"a": [day(40), day(40) + timedelta(minutes=59), day(40)]}

    assert [each.next_incidents.count for each in hazards(incidents, starts_at=BEGIN, ends_at=END)] == [1, 0]  # fmt: skip  # noqa: E501


def test_what_lies_outside_the_time_counts_nothing() -> None:
    incidents = {"a": [day(-3), day(100), day(400)]}
    (first,) = hazards(incidents, starts_at=BEGIN, ends_at=END)

    assert (first.next_incidents.count, first.next_incidents.days) == (0, 100.0)


def test_many_incidents_end_in_the_last_index() -> None:
    found = hazards(
        {"a": [day(number) for number in range(1, 9)]}, starts_at=BEGIN, ends_at=END, last_index=2
    )

    assert [each.index for each in found] == [0, 1, 2]
    assert found[2].next_incidents.count == 6
    assert found[2].nodes == 1
    assert sum(each.next_incidents.days for each in found) == pytest.approx(100.0)


def test_order_changes_nothing() -> None:
    told = [day(number * 3) for number in range(30)]
    shuffled = random.Random(9).sample(told * 2, 60)  # noqa: S311  an order

    assert hazards({"a": shuffled}, starts_at=BEGIN, ends_at=END) == hazards(
        {"a": told}, starts_at=BEGIN, ends_at=END
    )
