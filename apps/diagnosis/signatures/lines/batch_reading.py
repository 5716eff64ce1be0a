"""What a batch of lines said, put together: one event per line and signature."""

from collections.abc import Sequence

from apps.diagnosis.model import Event, Extent, Origin, ProgressPoint, Reading, Role


def reading_of(
    *,
    origin: Origin,
    events: Sequence[Event],
    extents: Sequence[Extent] = (),
    points: Sequence[ProgressPoint] = (),
) -> Reading:
    """Return a reading: one event per line and signature; of progress only the latest of each
    voice."""
    told: dict[tuple[int, str], Event] = {}
    latest: dict[tuple[str | None, int | None, str], Event] = {}
    for event in sorted(events, key=lambda one: one.line.number):
        if event.role is Role.PROGRESS:
            latest[event.line.host, event.line.rank, event.signature] = event
        else:
            told.setdefault((event.line.number, event.signature), event)
    return Reading(
        origin=origin,
        events=tuple(told.values()),
        progress=tuple(latest.values()),
        extents=tuple(extents),
        points=tuple(points),
    )
