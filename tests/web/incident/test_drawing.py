"""The timeline as a drawing: places, folds, uncertainty; nothing invented, nothing lost."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from apps.diagnosis.model import statement, statement_json
from apps.incidents.projection.values import TimelineMoment
from apps.web.incident.timeline.event_order import draw_order
from apps.web.incident.timeline.folding import fold, with_weights
from apps.web.incident.timeline.lane_heads import LANES
from apps.web.incident.timeline.moments import Speakers, entries_of
from apps.web.incident.timeline.story import story_of
from apps.web.incident.timeline.window import near, span_of
from apps.web.lanes.draw import draw
from apps.web.lanes.drawing import Drawing
from apps.web.lanes.elements import Entry, Item, LaneHead
from apps.web.lanes.lettering import CHARACTER
from apps.web.lanes.scale import LEFT, RIGHT, Span

AT = datetime(2026, 3, 12, 2, 3, 58, tzinfo=UTC)
HEADS = (LaneHead(key="gpu", title="GPU"), LaneHead(key="host", title="Host"))
SPAN = Span(starts_at=AT - timedelta(minutes=10), ends_at=AT + timedelta(minutes=10))


def entry(key: str, *, seconds: float | None = 0, **more: Any) -> Entry:
    """Return an entry some seconds after the stop."""
    at = None if seconds is None else AT + timedelta(seconds=seconds)
    base = Entry(key=key, lane="gpu", layer="gpu", role="cascade", title=f"moment {key}", at=at)
    return replace(base, **more)


def drawn(*entries: Entry, zone: ZoneInfo | None = None) -> Drawing:
    return draw(entries=entries, heads=HEADS, span=SPAN, failed_at=AT, zone=zone)


def items(drawing: Drawing) -> list[Item]:
    return [item for lane in drawing.lanes for item in lane.items]


def test_what_weighs_most_has_the_ring_and_its_words_and_what_weighs_little_has_not() -> None:
    crowd = [entry(f"c{n}", seconds=n, role="cascade", reference=f"event:{n}") for n in range(60)]
    minor = entry("minor", role="initiating", reference="event:100")
    heavy = entry("heavy", seconds=1, role="cascade", reference="event:200")
    weighed = with_weights(
        entries=[*crowd, minor, heavy], weights={"event:100": 0.4, "event:200": 7.5}
    )
    found = {item.entry.key: item for item in items(drawn(*weighed))}
    assert found["heavy"].is_ringed
    assert found["heavy"].label
    assert not found["minor"].is_ringed
    assert found["minor"].entry.role == "confirmation"


def test_without_weights_every_entry_keeps_its_role() -> None:
    told = [entry("a", role="initiating", reference="event:1"), entry("b", role="context")]
    assert with_weights(entries=told, weights={}) == told


def test_an_empty_story_still_has_its_lanes_and_the_moment_it_broke() -> None:
    drawing = drawn()
    assert [lane.head.title for lane in drawing.lanes] == ["GPU", "Host"]
    assert drawing.cursor is not None
    assert drawing.density is None


@pytest.mark.parametrize("title", [title for _, title in LANES] + ["An owner with a long name"])
def test_the_head_of_a_lane_ends_before_the_plot_and_inside_its_lane(title: str) -> None:
    head = LaneHead(key="x", title=title, note="storage server logs absent", is_lacking=True)
    (lane,) = draw(entries=[], heads=[head], span=SPAN).lanes
    lines = (*lane.title_lines, *lane.note_lines)

    assert all(16 + len(line) * CHARACTER <= LEFT + CHARACTER * 2 for _, line in lines)
    assert lane.y < lines[0][0] <= lines[-1][0] < lane.y + lane.height
    assert " ".join(line for _, line in lane.title_lines) == title


@given(st.lists(st.tuples(st.floats(-600, 599), st.integers(1, 500)), max_size=50))
def test_every_entry_of_the_window_is_drawn_once_and_inside_the_plot(
    moments: list[tuple[float, int]],
) -> None:
    entries = [entry(str(n), seconds=s, count=c) for n, (s, c) in enumerate(moments)]
    found = items(drawn(*entries))
    assert len({item.entry.key for item in found}) == len(found)
    assert len(found) + sum(item.folded_count for item in found) == len(entries)
    assert all(LEFT <= item.x <= RIGHT for item in found)
    assert all((item.box_x or LEFT) + item.box_width <= RIGHT + 1 for item in found)


def test_labels_of_one_row_do_not_overlap() -> None:
    found = items(drawn(*(entry(str(n), seconds=n) for n in range(4))))
    assert len({item.label_y for item in found if item.label}) == 4


def test_an_entry_without_a_time_stands_after_its_neighbour_and_says_so() -> None:
    first, second = items(drawn(entry("a", seconds=60), entry("b", seconds=None)))
    assert second.is_untimed
    assert second.x == first.x
    assert "without a time" in second.hint


def test_a_hidden_stub_stands_at_the_edge_in_every_window() -> None:
    stub = entry("held", seconds=None, is_hidden=True)
    drawing = drawn(entry("a", seconds=90_000), stub)
    assert [item.entry.key for item in items(drawing)] == ["held"]
    assert drawing.after_count == 1


def test_a_clock_error_that_can_be_seen_has_a_whisker_and_a_small_one_has_none() -> None:
    wide = entry("a", clock_error=timedelta(seconds=48))
    narrow = entry("b", seconds=300, clock_error=timedelta(seconds=1))
    by_key = {item.entry.key: item for item in items(drawn(wide, narrow))}
    assert by_key["a"].whisker_left is not None
    assert by_key["b"].whisker_left is None


def test_both_clocks_stand_on_the_axis_when_the_zone_is_known() -> None:
    drawing = drawn(entry("a"), zone=ZoneInfo("Asia/Seoul"))
    assert drawing.local_name == "KST"
    assert all(tick.local for tick in drawing.ticks)


def test_the_same_sentence_many_times_is_told_once_with_its_count_and_span() -> None:
    told = fold([entry(str(n), seconds=n, title="watchdog timeout", count=2) for n in range(9)])
    assert [each.count for each in told] == [18]
    assert "9 times, 02:03:58–02:04:06" in told[0].detail  # noqa: RUF001  as shown


def test_two_owners_saying_the_same_are_not_folded_into_one() -> None:
    same = [entry(str(n), title="x", owner=owner) for n, owner in enumerate("aaaabbbb")]
    assert [(each.owner, each.count) for each in fold(same)] == [("a", 4), ("b", 4)]


def test_a_long_silence_is_a_line_of_its_own() -> None:
    lines = story_of(entries=[entry("a"), entry("b", seconds=601)], zone=None)
    assert [line.title for line in lines if line.is_gap] == ["10 min 01 s of silence"]


def test_the_list_keeps_to_the_stop_and_to_what_people_did() -> None:
    told = [
        entry("early", seconds=-90_000),
        entry("stop", role="initiating"),
        entry("note", seconds=90_000, lane="people"),
    ]
    assert [each.key for each in near(told)] == ["stop", "note"]


def sentence(*entries: Entry, is_partial: bool = False) -> str:
    """Return what is said of the order."""
    order = draw_order(entries=entries, failed_at=AT, is_partial=is_partial)
    assert order is not None
    return order.sentence


def kernel_lines(error: timedelta) -> list[Entry]:
    """Return two lines of one log, a second apart."""
    return [
        entry(key, seconds=n, clock="1 n1 kern", line=7 + n, clock_error=error)
        for n, key in enumerate("ab")
    ]


ONE, FOUR = timedelta(seconds=1), timedelta(seconds=4)


def test_order_is_claimed_only_beyond_the_joint_clock_error() -> None:
    first = entry("a", role="initiating", clock_error=ONE)
    assert "surely came first" in sentence(first, entry("b", seconds=5, clock_error=ONE))
    assert "the order stays open" in sentence(first, entry("b", seconds=3, clock_error=FOUR))


def test_a_time_of_which_nobody_knows_the_error_has_no_order() -> None:
    verdict = entry("verdict", role="initiating", title="A GPU fell off the bus")
    own = entry("b", seconds=5, clock_error=ONE)
    for pair in ((verdict, own), (entry("a", clock_error=ONE), entry("b", seconds=5))):
        assert "surely" not in sentence(*pair)
    assert (
        sentence(verdict, own)
        == "Nobody knows how exact the time of “A GPU fell off the bus” is: the order stays open."
    )


def test_a_time_that_another_party_holds_is_told_to_be_hidden() -> None:
    verdict = entry(
        "verdict", role="initiating", title="A GPU fell off the bus", error_holders="Aurora"
    )
    assert sentence(verdict, entry("b", seconds=5, clock_error=ONE)) == (
        "The order stays open: how exact the time of “A GPU fell off the bus” is, only Aurora can "
        "see."
    )


def test_lines_of_one_log_are_in_their_order_however_wrong_its_clock_is() -> None:
    told = kernel_lines(FOUR)
    assert sentence(*told) == (
        "moment a surely came first: 1.0 s before the next, in the same log of the same host."
    )
    elsewhere = replace(told[1], clock="1 n2 kern")
    assert "the order stays open" in sentence(told[0], elsewhere)
    same_second = replace(told[1], at=AT)
    assert "moment a surely came first" in sentence(same_second, told[0])


def test_a_moment_knows_which_clock_stamped_it_where_it_is_one() -> None:
    def clock(**detail: object) -> str:
        row = TimelineMoment(
            id=1,
            organization_id=3,
            lane="gpu",
            kind="event",
            role="initiating",
            statement=statement_json(statement("text", text="x")),
            at=AT,
            ends_at=None,
            clock_error_seconds=None,
            detail=detail,
            for_all_parties=False,
            revision=1,
            created_at=AT,
        )
        (told,) = entries_of(rows=(row,), speakers=Speakers(by_id={}))
        return told.clock

    line = clock(source="kern.log", host="n1", line=7)
    assert line
    assert line == clock(source="kern.log", host="n1", line=9)
    assert line != clock(source="kern.log", host="n2", line=7)
    assert clock(source="kern.log", host=None, line=7) == ""
    assert clock(source="prometheus", host="n1", line=None) == ""


def test_a_third_clock_keeps_the_order_of_two_lines_of_one_log_open() -> None:
    told = kernel_lines(ONE)
    other = entry("c", seconds=1.5, clock_error=FOUR)
    assert sentence(*told, other) == (
        "“moment a” and “moment c” are 1.5 s apart, their clocks may be 5.0 s wrong together: "
        "the order stays open."
    )


def test_what_others_hold_may_be_earlier() -> None:
    told = [entry(key, seconds=5 * n, clock_error=ONE) for n, key in enumerate("ab")]
    assert sentence(*told, is_partial=True) == (
        "Of what you see, “moment a” surely came first, 5.0 s before the next; what others hold "
        "may be earlier."
    )


@pytest.mark.parametrize("name", ["", "2m", "30m", "2h", "all"])
def test_every_window_holds_the_stop(name: str) -> None:
    span = span_of(name=name, entries=[entry("a"), entry("b", seconds=400)], failed_at=AT)
    assert span is not None
    assert span.starts_at < AT < span.ends_at


def test_a_story_without_any_time_has_no_window() -> None:
    assert span_of(name="", entries=[entry("a", seconds=None)], failed_at=None) is None


def test_a_thousand_entries_at_one_place_are_not_a_thousand_marks() -> None:
    crowd = [entry(str(n), seconds=n / 100, title=f"moment {n}") for n in range(1000)]
    assert len(items(drawn(*crowd))) < 60


@example([0.0] * 13 + [366.0] * 5 + [499.0] * 2)
@given(st.lists(st.floats(-600, 599), min_size=20, max_size=60))
def test_marks_for_whose_words_no_row_is_left_lie_apart_and_say_what_they_are(
    seconds: list[float],
) -> None:
    found = items(drawn(*(entry(str(n), seconds=s) for n, s in enumerate(seconds))))
    lowest = max(item.y for item in found)
    row = sorted((item for item in found if item.y == lowest), key=lambda item: item.x)

    ends = [
        (item.x - 6, item.label_x + len(item.label) * CHARACTER)
        if item.anchor == "start"
        else (item.label_x - len(item.label) * CHARACTER, item.x + 6)
        for item in row
    ]
    assert all(right < left for (_, right), (left, _) in pairwise(ends))
    # A mark at an edge of the window stands half over it.
    assert all(left >= LEFT - 6 and right <= RIGHT + 12 for left, right in ends)
    assert all(item.label for item in row)
    assert all(
        f"{item.folded_count + 1} moments" in item.label for item in row if item.folded_count
    )


def test_the_words_inside_a_bar_are_not_struck_through_by_its_clock_error() -> None:
    told: dict[str, Any] = {
        "clock_error": timedelta(seconds=30),
        "ends_at": AT + timedelta(seconds=590),
    }
    (item,) = items(drawn(entry("a", title="waited for a slot", **told)))
    lines = [float(x) for x in re.findall(r"H([\d.]+)", item.whisker)]

    assert item.has_inner_label
    assert item.whisker_right > item.label_x
    assert lines == [item.x]


@pytest.mark.parametrize("told", [{"role": "initiating"}, {"count": 3}])
def test_a_file_is_drawn_by_its_name_and_hinted_by_its_path(told: dict[str, Any]) -> None:
    path = "/shared/jobs/very-long/48213.out"
    (item,) = items(drawn(entry("a", detail=f"gpu017, rank 0, session {path} line 7", **told)))
    assert item.detail == "gpu017, rank 0, session 48213.out line 7"
    assert path in item.hint


def test_what_has_no_time_has_no_error_of_it() -> None:
    (line,) = story_of(entries=[entry("a", seconds=None, clock_error=FOUR)], zone=None)
    assert (line.is_untimed, line.detail) == (True, "")
