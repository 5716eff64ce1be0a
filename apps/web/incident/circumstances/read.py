"""What stood around an incident, read through the doors: a few queries, however long its story."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from apps.incidents.projection.header_values import IncidentHeader
from apps.tenancy.access import Actor
from apps.web.incident.circumstances.changes import node_changes
from apps.web.incident.circumstances.checkpoints import checkpoint_bands
from apps.web.incident.circumstances.verdict_states import verdict_states
from apps.web.incident.timeline.window import chosen_span
from apps.web.lanes.elements import Entry
from apps.web.lanes.scale import Span

AROUND: Final = timedelta(hours=2)  # unless another window was drawn


def circumstances(
    *, actor: Actor, header: IncidentHeader, span: str, now: datetime
) -> tuple[Entry, ...]:
    """Return saves, loads, nodes left out and states of the verdict, by time."""
    found = [
        *checkpoint_bands(actor=actor, header=header, span=_span(header, span)),
        *node_changes(actor=actor, header=header, now=now),
        *verdict_states(header=header, now=now),
    ]
    return tuple(sorted(found, key=lambda each: (each.at or now, each.key)))


def _span(header: IncidentHeader, drawn: str) -> Span:
    at = header.incident.started_at or header.incident.detected_at
    chosen = chosen_span(drawn)
    begin, end = at - AROUND, at + AROUND
    if chosen is None:
        return Span(starts_at=begin, ends_at=end)
    return Span(starts_at=min(begin, chosen.starts_at), ends_at=max(end, chosen.ends_at))


def with_circumstances(*, entries: Sequence[Entry], around: Sequence[Entry]) -> list[Entry]:
    """Return the story with what stood around it, each in its place by time.

    What has no time stays behind its neighbour.
    """
    told: list[Entry] = []
    waiting = [*around]
    for entry in entries:
        while waiting and entry.at and (waiting[0].at or entry.at) < entry.at:
            told.append(waiting.pop(0))
        told.append(entry)
    return [*told, *waiting]
