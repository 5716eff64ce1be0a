"""Drawn entries and lines of a story written without templates: strangers' words stay words."""

from datetime import UTC, datetime
from typing import Any

from apps.web.incident.timeline.story import story_of
from apps.web.incident.timeline.story_markup import story_markup
from apps.web.lanes.draw import draw
from apps.web.lanes.elements import Entry, LaneHead
from apps.web.lanes.markup import items_markup
from apps.web.lanes.scale import Span

AT = datetime(2026, 3, 10, 5, 44, tzinfo=UTC)
SPAN = Span(starts_at=AT.replace(minute=40), ends_at=AT.replace(minute=50))
HOSTILE = "\"><script>alert('x')</script>&"


def entry(**more: Any) -> Entry:
    """Return an entry of the lane of networks, each of its texts hostile."""
    told: dict[str, Any] = {"title": HOSTILE, "detail": HOSTILE, "owner": HOSTILE, "at": AT, **more}
    return Entry(key="1", lane="network", layer="network", **{"role": "cascade", **told})


def drawn(*entries: Entry) -> str:
    """Return the only lane of these as SVG."""
    drawing = draw(entries=entries, heads=[LaneHead(key="network", title="Network")], span=SPAN)
    return items_markup(drawing.lanes[0].items)


def test_no_text_of_a_drawn_entry_is_markup() -> None:
    for each in (entry(), entry(role="initiating"), entry(count=5), entry(at=None, is_hidden=True)):
        shown = drawn(entry(), each)
        assert "<script" not in shown
        assert "&lt;script&gt;" in shown
        assert "&quot;&gt;" in shown


def test_no_text_of_a_line_of_the_story_is_markup() -> None:
    for each in (entry(), entry(address=HOSTILE), entry(is_hidden=True), entry(at=None)):
        shown = story_markup(story_of(entries=[each], zone=None))
        assert "<script" not in shown
        assert "&lt;script&gt;" in shown


def test_an_entry_of_a_full_lane_is_drawn_as_one_mark_for_all_at_its_place() -> None:
    shown = drawn(*(entry(title=f"Port {number} closed") for number in range(100)))
    assert shown.count("<use ") < 20
    assert "moments" in shown
