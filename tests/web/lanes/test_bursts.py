"""Folded bursts open in place; changes out of the window stand at its edge; bands have names."""

import itertools
from dataclasses import replace
from datetime import timedelta

import pytest

from apps.web.incident.timeline.folding import fold
from apps.web.lanes.bursts import LINES, member_lines, rank_runs
from apps.web.lanes.scale import HEAD_HEIGHT, LEFT, RIGHT
from tests.web.lanes.plotting import AT, drawn, entry, items


def test_a_folded_burst_opens_to_its_members_at_their_times() -> None:
    told = [entry(str(n), seconds=n * 20, title="again", detail=f"rank {n}") for n in range(5)]
    drawing = drawn(*fold(told))
    (burst,) = drawing.bursts
    assert len(burst.marks) == 5
    assert [line for _, line in burst.lines][:2] == ["02:03:58 · rank 0", "02:04:18 · rank 1"]
    assert burst.panel_y + burst.panel_height <= drawing.height
    assert burst.panel_x >= LEFT
    assert burst.panel_x + burst.panel_width <= RIGHT


def test_of_a_long_burst_the_first_lines_are_told_and_how_many_more() -> None:
    told = [entry(str(n), seconds=n, title="again") for n in range(LINES + 6)]
    lines = member_lines(fold(told)[0])
    assert len(lines) == LINES + 1
    assert lines[-1] == "and 6 more"


def test_what_many_ranks_said_at_once_opens_to_the_ranks() -> None:
    assert member_lines(entry("a", count=480, ranks=tuple(range(480)))) == ("ranks 0–479",)  # noqa: RUF001  a span
    assert member_lines(entry("a", count=1)) == ()


@pytest.mark.parametrize(
    ("ranks", "told"),
    [((3,), "3"), ((0, 1, 2, 7), "0–2, 7"), ((9, 1, 0), "0–1, 9")],  # noqa: RUF001  spans
)
def test_ranks_are_told_in_runs(ranks: tuple[int, ...], told: str) -> None:
    assert rank_runs(ranks) == told


def test_ranks_with_many_gaps_are_counted() -> None:
    assert rank_runs(range(0, 60, 2)).endswith("22, and 18 more")


def test_what_others_hold_does_not_open() -> None:
    stub = entry("held", seconds=None, is_hidden=True, ranks=(1, 2))
    assert drawn(entry("a"), stub).bursts == ()


def test_a_change_before_the_window_stands_at_its_edge_with_how_long_before() -> None:
    change = entry("drain", seconds=-41 * 3600, lane="changes", role="context", stays_in_view=True)
    drawing = drawn(entry("a"), change)
    item = items(drawing)["drain"]
    assert item.x == LEFT
    assert item.label == "41 h 00 min earlier: moment drain"
    assert "09:03:58 UTC" in item.hint
    assert drawing.before_count == 0


def test_a_change_in_the_window_is_drawn_once_at_its_time() -> None:
    change = entry("drain", seconds=-60, lane="changes", stays_in_view=True)
    item = items(drawn(entry("a"), change))["drain"]
    assert item.label == "moment drain"
    assert item.x > LEFT


def test_a_state_after_the_window_stands_at_its_other_edge() -> None:
    state = entry("final", seconds=7 * 86400, lane="changes", stays_in_view=True)
    item = items(drawn(entry("a"), state))["final"]
    assert item.label == "7 d 0 h later: moment final"
    assert item.anchor == "end"


def test_names_of_bands_do_not_touch_and_have_a_row_of_their_own() -> None:
    saves = [
        entry(f"s{n}", seconds=n * 5, is_band=True, title="save", ends_at=AT + timedelta(seconds=6))
        for n in range(6)
    ]
    drawing = drawn(entry("a"), *saves)
    assert len(drawing.bands) == 6
    named = [band for band in drawing.bands if band.label]
    assert len(named) < 6
    assert all(b.label_x - a.label_x > 30 for a, b in itertools.pairwise(named))
    assert drawing.lanes[0].y > HEAD_HEIGHT
    assert drawn(entry("a")).lanes[0].y == HEAD_HEIGHT


def test_a_band_is_no_entry_of_a_lane() -> None:
    save = replace(entry("save", is_band=True), lane="gpu")
    assert items(drawn(save)) == {}
