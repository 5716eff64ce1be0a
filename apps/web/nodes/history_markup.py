"""Marks of a node's time line as SVG: a season has hundreds, too many for a template.

Whatever a stranger wrote passes through `escape` here, as a template would do it.
"""

from html import escape

from django.utils.safestring import SafeString

from apps.web.nodes.page import HistoryLane, HistoryMark


def marks_markup(lane: HistoryLane) -> SafeString:
    """Return the marks of one lane, each with what is said when a pointer rests on it."""
    return SafeString("".join(_mark(each, lane.y) for each in lane.marks))


def _mark(mark: HistoryMark, y: int) -> str:
    layer = f"layer-{escape(mark.layer)}" if mark.layer else ""
    drawn = (
        f'<g class="history-{mark.kind} {layer}"><title>{escape(mark.hint)}</title>'
        f'<rect x="{mark.x}" y="{y}" transform="translate(0 8)" width="{mark.width}" '
        'height="16" rx="2"/></g>'
    )
    if not mark.href:
        return f"{drawn}\n"
    return f'<a href="{escape(mark.href)}" class="plot-item">{drawn}</a>\n'
