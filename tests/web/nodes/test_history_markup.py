"""Marks of a node's time line are written without a template: strangers' words stay words."""

from apps.web.nodes.history_markup import marks_markup
from apps.web.nodes.page import HistoryLane, HistoryMark

HOSTILE = "\"><script>alert('x')</script>&"


def drawn(*, layer: str = "", href: str = "") -> str:
    """Return the only mark of a lane as SVG, each of its texts hostile."""
    mark = HistoryMark(x=140.5, width=5.0, kind="run", layer=layer, hint=HOSTILE, href=href)
    return marks_markup(HistoryLane(title="Sessions", y=72, marks=(mark,)))


def test_no_text_of_a_mark_is_markup() -> None:
    for shown in (drawn(), drawn(href=HOSTILE), drawn(layer=HOSTILE)):
        assert "<script" not in shown
        assert "&quot;&gt;&lt;script&gt;" in shown


def test_a_mark_is_a_link_where_there_is_somewhere_to_go() -> None:
    assert drawn(href="/o/x/sessions/S-1/").startswith('<a href="/o/x/sessions/S-1/" ')
    assert "<a " not in drawn()


def test_a_mark_stands_at_its_place_on_its_lane() -> None:
    assert '<rect x="140.5" y="72" transform="translate(0 8)" width="5.0" ' in drawn()
