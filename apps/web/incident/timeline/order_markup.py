"""What came first, as rows of a drawing: each has a dozen numbers, too many for a template.

Whatever a stranger wrote passes through `escape` here, as a template would do it.
"""

from collections.abc import Iterable
from html import escape

from django.utils.safestring import SafeString

from apps.web.incident.timeline.event_order import EventRow

LEAST_BAR = 2  # an error bar that is shorter lies within its mark


def order_markup(rows: Iterable[EventRow]) -> SafeString:
    """Return a group for each row: whose voice, how exact, the mark and its words."""
    return SafeString("".join(_row(each) for each in rows))


def _row(row: EventRow) -> str:
    layer = escape(row.entry.layer)
    return (
        f'<g class="layer-{layer}"><title>{escape(row.entry.title)}</title>'
        f'<text class="label-quiet" x="16" y="{row.text_y}">{escape(row.lane)}</text>'
        f"{_bar(row) if row.width > LEAST_BAR else ''}"
        f'<use class="glyph glyph-{row.treatment}" href="#g-{layer}" x="{row.glyph_x}" '
        f'y="{row.glyph_y}" width="12" height="12"/>'
        f'<text class="label" x="{row.label_x}" y="{row.text_y}">{escape(row.label)}</text></g>\n'
    )


def _bar(row: EventRow) -> str:
    return (
        f'<rect class="error-bar" x="{row.left}" y="{row.bar_y}" width="{row.width}" '
        'height="6" rx="1"/>'
    )
