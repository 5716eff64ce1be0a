"""What stood around an incident, read through the doors: a few queries, however long its story."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from apps.fleet.changes.change_values import ChangeView
from apps.incidents.facade.cluster_changes import changes_around
from apps.incidents.projection.changes_around import broke_at
from apps.incidents.projection.header_values import IncidentHeader
from apps.sharing.ledger_kinds import LedgerChannel
from apps.tenancy.access import Actor
from apps.web.incident.circumstances.changes import node_changes
from apps.web.incident.circumstances.checkpoints import checkpoint_bands
from apps.web.incident.circumstances.told_changes import (
    change_entries,
    changed_before,
)
from apps.web.incident.circumstances.verdict_states import verdict_states
from apps.web.incident.timeline.window import chosen_span
from apps.web.lanes.elements import Entry
from apps.web.lanes.scale import Span

AROUND: Final = timedelta(hours=2)  # unless another window was drawn


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What stood around an incident."""

    entries: tuple[Entry, ...] = ()
    changed_before: tuple[str, ...] = ()  # a sentence for each change in the hour before it broke


def circumstances(
    *,
    actor: Actor,
    header: IncidentHeader,
    span: str,
    now: datetime,
    channel: LedgerChannel | None,
) -> Circumstances:
    """Return saves, loads, changes, nodes left out and states of the verdict, by time.

    Without a channel nothing that others show. Raises LedgerUnavailable.
    """
    changes, hosts = changes_around(actor=actor, header=header, now=now, channel=channel)
    found = [
        *checkpoint_bands(actor=actor, header=header, span=_span(header, span), channel=channel),
        *node_changes(actor=actor, header=header, now=now),
        *change_entries(changes, broke_at=broke_at(header), now=now),
        *verdict_states(header=header, now=now),
    ]
    return Circumstances(
        entries=tuple(sorted(found, key=lambda each: (each.at or now, each.key))),
        changed_before=changed_before(changes, header=header, hosts=hosts),
    )


def _span(header: IncidentHeader, drawn: str) -> Span:
    at = header.incident.started_at or header.incident.detected_at
    chosen = chosen_span(drawn)
    begin, end = at - AROUND, at + AROUND
    if chosen is None:
        return Span(starts_at=begin, ends_at=end)
    return Span(starts_at=min(begin, chosen.starts_at), ends_at=max(end, chosen.ends_at))


def changed_around(
    changes: Sequence[ChangeView], *, header: IncidentHeader, hosts: Collection[str], now: datetime
) -> Circumstances:
    """Return what was changed around an incident, and nothing else that stood there."""
    entries = change_entries(changes, broke_at=broke_at(header), now=now)
    told = changed_before(changes, header=header, hosts=hosts)
    return Circumstances(entries=tuple(entries), changed_before=told)


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
