"""Saves and loads as bands behind all lanes, each with its name where there is room."""

from collections.abc import Sequence
from typing import Final

from apps.web.lanes.drawing import CheckpointBand
from apps.web.lanes.elements import Entry
from apps.web.lanes.lettering import CHARACTER, letters
from apps.web.lanes.scale import LEFT, RIGHT, Span
from apps.web.lanes.shape import hint

BAND_ROW: Final = 12  # of the axis, for their names
NARROWEST: Final = 3.0
BETWEEN: Final = 8  # from one name to the next


def draw_bands(*, entries: Sequence[Entry], span: Span) -> tuple[CheckpointBand, ...]:
    """Return the washes of these entries; a name that would touch the one before is left out."""
    found: list[CheckpointBand] = []
    free_from = float(LEFT)
    for entry in sorted(entries, key=lambda each: (each.at or span.starts_at, each.key)):
        starts_at = entry.at or span.starts_at
        x, x_end = span.x(starts_at), span.x(entry.ends_at or starts_at)
        x = min(x, RIGHT - NARROWEST)
        width = round(max(x_end - x, NARROWEST), 1)
        half = letters(entry.title) * CHARACTER / 2
        label_x = min(max(x + width / 2, LEFT + half), RIGHT - half)
        has_room = label_x - half >= free_from
        if has_room:
            free_from = label_x + half + BETWEEN
        found.append(
            CheckpointBand(
                x=x,
                width=width,
                label=entry.title if has_room else "",
                label_x=round(label_x, 1),
                hint=hint(entry),
            )
        )
    return tuple(found)
