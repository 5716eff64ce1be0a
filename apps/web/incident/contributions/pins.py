"""Annotations on the timeline: pins in the drawing, and lines of the list."""

from collections.abc import Sequence

from apps.web.incident.contributions.annotations import NoteRow
from apps.web.incident.timeline.lane_heads import LANE_TITLES
from apps.web.incident.timeline.moments import told_in_order
from apps.web.lanes.elements import Entry
from apps.web.lanes.pins import Pin
from apps.web.lanes.scale import clock_text

LANE = "people"  # of what is about a time and no lane
HINT_LENGTH = 120


def pins_of(notes: Sequence[NoteRow], *, is_by_party: bool) -> list[Pin]:
    """Return a pin for each annotation that is about a time or a lane; its replies have none."""
    return [
        Pin(
            key=note.public_id,
            lane=note.organization if is_by_party else note.lane or LANE,
            mark=note.mark,
            hint=_hint(note),
            starts_at=note.starts_at,
            ends_at=note.ends_at,
            is_unread=note.is_unread,
        )
        for note in notes
        if _is_drawn(note)
    ]


def with_notes(*, entries: Sequence[Entry], notes: Sequence[NoteRow]) -> list[Entry]:
    """Return the story with a line for each annotation that is about a time."""
    told = [*entries]
    for note in notes:
        if _is_drawn(note) and note.starts_at:
            told = told_in_order(entries=told, added=_entry(note))
    return told


def _is_drawn(note: NoteRow) -> bool:
    is_of_lane = note.lane in LANE_TITLES
    is_placed = bool(note.starts_at) or is_of_lane
    return is_placed and (is_of_lane or not note.lane) and not (note.is_withdrawn or note.answers)


def _entry(note: NoteRow) -> Entry:
    return Entry(
        key=f"note-{note.public_id}",
        lane=note.lane or LANE,
        layer="quiet",
        role="context",
        title=_brief(note),
        detail=note.author,
        owner=note.organization,
        initial=note.mark,
        at=note.starts_at,
        ends_at=note.ends_at,
        address=f"#{note.public_id}",
    )


def _hint(note: NoteRow) -> str:
    at = f"{clock_text(note.starts_at, seconds=True)} UTC" if note.starts_at else ""
    parts = (_brief(note), f"{note.author}, {note.organization}", at)
    return " · ".join(part for part in parts if part)


def _brief(note: NoteRow) -> str:
    line = " ".join(note.text.split())
    return line if len(line) <= HINT_LENGTH else f"{line[: HINT_LENGTH - 1].rstrip()}…"
