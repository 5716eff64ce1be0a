"""What surely came first: beyond the joint error of two clocks, or by the lines of one."""

from datetime import timedelta
from typing import Any

import pytest

from apps.web.incident.timeline.event_order import AROUND, MOST_ROWS, draw_order, judge
from apps.web.lanes.elements import Entry
from tests.cast.make import AT

SECOND = timedelta(seconds=1)


def entry(key: str, seconds: float = 0.0, error: float | None = 1.0, **more: Any) -> Entry:
    """Return what happened some seconds after the stop."""
    said = {"lane": "gpu", "layer": "gpu", "role": "cascade", "title": f"told by {key}"} | more
    exact = None if error is None else error * SECOND
    return Entry(key=key, at=AT + seconds * SECOND, clock_error=exact, **said)


@pytest.mark.parametrize(("apart", "is_sure"), [(2.0, False), (2.1, True)])
def test_the_first_is_sure_beyond_the_joint_error_of_the_clocks(
    apart: float, *, is_sure: bool
) -> None:
    told = judge([entry("a"), entry("b", apart)])
    assert ("surely came first" in told) is is_sure
    assert ("stays open" in told) is not is_sure


def test_any_rival_keeps_the_order_open_and_is_named() -> None:
    told = judge([entry("a"), entry("b", 3), entry("c", 4, error=9)])
    assert "“told by a” and “told by c” are 4.0 s apart" in told
    first_two = judge([entry("a"), entry("b", 1)])
    assert first_two.startswith("The first two are 1.0 s apart, their clocks may be 2.0 s wrong")


@pytest.mark.parametrize(
    ("seconds", "line", "is_sure"), [(0, 8, True), (0, 7, False), (0, 6, False), (0.1, 6, True)]
)
def test_lines_of_one_log_are_in_order_by_time_then_by_line(
    seconds: float, line: int, *, is_sure: bool
) -> None:
    first = entry("a", clock="kernel", line=7, error=60)
    told = judge([first, entry("b", seconds, clock="kernel", line=line, error=60)])
    assert ("in the same log of the same host" in told) is is_sure


def test_without_a_clock_two_lines_are_not_of_one() -> None:
    told = judge([entry("a", line=1, error=60), entry("b", 1, line=2, error=60)])
    assert "stays open" in told


@pytest.mark.parametrize(("first", "second"), [(None, 1.0), (1.0, None)])
def test_where_nobody_knows_how_exact_a_time_is_the_order_stays_open(
    first: float | None, second: float | None
) -> None:
    told = judge([entry("a", 0, first), entry("b", 60, second)])
    assert told.startswith("Nobody knows how exact the time of “told by")
    hidden = judge([entry("a", 0, None, error_holders="Aurora"), entry("b", 60)])
    assert hidden.endswith("only Aurora can see.")


def test_who_sees_a_part_is_told_first_of_what_it_sees() -> None:
    told = judge([entry("a"), entry("b", 60)], is_partial=True)
    assert "what others hold may be earlier" in told


def keys(*entries: Entry) -> list[str]:
    """Return which entries are compared."""
    drawn = draw_order(entries=entries, failed_at=AT)
    return [row.entry.key for row in drawn.rows] if drawn else []


def test_two_are_compared_and_one_is_not() -> None:
    assert keys(entry("a"), entry("b", 1)) == ["a", "b"]
    assert keys(entry("a")) == []
    assert draw_order(entries=[entry("a"), entry("b", 1)], failed_at=None) is None


@pytest.mark.parametrize("side", [-1, 1])
def test_only_what_happened_around_the_stop_is_compared(side: int) -> None:
    edge = AROUND.total_seconds()
    near, far = entry("near", side * edge), entry("far", side * (edge + 1))
    assert sorted(keys(entry("a"), near, far)) == ["a", "near"]


@pytest.mark.parametrize("more", [{"is_band": True}, {"is_hidden": True}, {"role": "context"}])
def test_what_tells_of_no_fault_to_the_reader_is_not_compared(more: dict[str, Any]) -> None:
    assert keys(entry("a"), entry("b", 1), entry("c", 2, **more)) == ["a", "b"]


def test_the_nearest_are_compared_in_the_order_of_their_times() -> None:
    many = [entry(f"{number}", -number) for number in range(MOST_ROWS + 2)]
    assert keys(*many) == [f"{number}" for number in reversed(range(MOST_ROWS))]


@pytest.mark.parametrize(("length", "is_cut"), [(51, False), (52, True)])
def test_a_long_title_is_cut(length: int, *, is_cut: bool) -> None:
    drawn = draw_order(entries=[entry("a", title="t" * length), entry("b", 1)], failed_at=AT)
    assert drawn
    assert drawn.rows[0].label.endswith("…") is is_cut


def test_what_is_not_shown_leads_no_order() -> None:
    bare = entry("hidden", -30, is_bare=True)
    order = draw_order(entries=[bare, entry("a"), entry("b", 9)], failed_at=AT)
    assert order is not None
    assert [row.entry.key for row in order.rows] == ["a", "b"]
    assert "what others hold may be earlier" in order.sentence
    assert draw_order(entries=[bare, entry("a")], failed_at=AT) is None
