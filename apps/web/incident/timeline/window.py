"""The window of time that the lanes show."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from apps.diagnosis.input_values import whole_number
from apps.web.display.choices import SegmentLink
from apps.web.lanes.elements import Entry
from apps.web.lanes.entry_index import KEPT_LANES, IndexedTimeline, timeline_of
from apps.web.lanes.scale import Span

BEFORE = timedelta(minutes=12)
AFTER = timedelta(minutes=18)
MARGIN = timedelta(minutes=1)
LATEST = 9_999_999_999  # Unix seconds: in the year 2286
LEAST, MOST = timedelta(seconds=1), timedelta(days=400)  # that a window may be drawn over
SPANS: Mapping[str, tuple[timedelta, timedelta]] = {
    "2m": (timedelta(minutes=1), timedelta(minutes=1)),
    "30m": (BEFORE, AFTER),
    "2h": (timedelta(hours=1), timedelta(hours=1)),
}


def chosen_span(name: str) -> Span | None:
    """Return the window that somebody drew: two Unix seconds with a hyphen; else None."""
    begin, _hyphen, end = name.partition("-")
    first, last = (whole_number(each, most=LATEST) for each in (begin, end))
    if first is None or last is None:
        return None
    starts_at, ends_at = datetime.fromtimestamp(first, UTC), datetime.fromtimestamp(last, UTC)
    if not LEAST <= ends_at - starts_at <= MOST:
        return None
    return Span(starts_at=starts_at, ends_at=ends_at)


def drawn_choice(*, span: str, group: str) -> tuple[SegmentLink, ...]:
    """Return the window that somebody drew as one more choice, while it is the one."""
    drawn = chosen_span(span)
    if drawn is None:
        return ()
    begin, end = f"{drawn.starts_at:%H:%M:%S}", f"{drawn.ends_at:%H:%M:%S}"
    query = f"?span={span}&group={group}"
    return (SegmentLink(text=f"{begin}–{end}", query=query, is_on=True),)  # noqa: RUF001  a span


def span_of(
    *, name: str, entries: Sequence[Entry] | IndexedTimeline, failed_at: datetime | None
) -> Span | None:
    """Return the window that the lanes show, or nothing where no entry has a time."""
    timeline = timeline_of(entries)
    # What is told at the edge of any window makes none wider.
    extents = [part.extent for part in timeline.parts if part.extent]
    if not extents:
        return None
    if chosen := chosen_span(name):
        return chosen
    first = min(begin for begin, _ in extents)
    if name == "all":
        last = max(end for _, end in extents)
        return Span(starts_at=first - MARGIN, ends_at=last + MARGIN)
    middle = failed_at or first
    if name in SPANS:
        before, after = SPANS[name]
        return Span(starts_at=middle - before, ends_at=middle + after)
    return _close_span(timeline=timeline, middle=middle)


def _close_span(*, timeline: IndexedTimeline, middle: datetime) -> Span:
    # What tells the story stands within half an hour; lone notes of later days would flatten it.
    found = [part.urgent_between(middle - BEFORE, middle + AFTER) for part in timeline.parts]
    times = [middle, *(at for part in found for at in part)]
    first, last = min(times), max(times)
    margin = max((last - first) * 0.12, MARGIN)
    return Span(starts_at=first - margin, ends_at=last + margin)


def near(entries: Sequence[Entry]) -> list[Entry]:
    """Return what stands around the stop, what has no time, and what people did."""
    chief = next((entry.at for entry in entries if entry.role == "initiating" and entry.at), None)
    if chief is None:
        return list(entries)
    return [
        entry
        for entry in entries
        if entry.at is None
        or entry.lane in KEPT_LANES
        or chief - BEFORE <= (entry.ends_at or entry.at) <= chief + AFTER
    ]
