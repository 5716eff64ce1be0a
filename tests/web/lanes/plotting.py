"""Entries around a stop, and the timeline that they make."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from apps.web.lanes.arcs import CausalLink
from apps.web.lanes.draw import draw
from apps.web.lanes.drawing import Drawing
from apps.web.lanes.elements import Entry, Item, LaneHead
from apps.web.lanes.scale import Span

AT = datetime(2026, 3, 12, 2, 3, 58, tzinfo=UTC)
HEADS = tuple(LaneHead(key=key, title=key) for key in ("application", "gpu", "changes"))
SPAN = Span(starts_at=AT - timedelta(minutes=10), ends_at=AT + timedelta(minutes=10))


def entry(key: str, *, seconds: float | None = 0, **more: Any) -> Entry:
    """Return an entry some seconds after the stop."""
    at = None if seconds is None else AT + timedelta(seconds=seconds)
    base = Entry(key=key, lane="gpu", layer="gpu", role="cascade", title=f"moment {key}", at=at)
    return replace(base, **more)


def drawn(*entries: Entry, links: Sequence[CausalLink] = ()) -> Drawing:
    """Return them as they are drawn."""
    return draw(entries=entries, heads=HEADS, span=SPAN, failed_at=AT, links=links)


def items(drawing: Drawing) -> dict[str, Item]:
    """Return what is drawn by the entries' keys."""
    return {item.entry.key: item for lane in drawing.lanes for item in lane.items}
