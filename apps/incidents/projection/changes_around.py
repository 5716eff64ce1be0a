"""Which changes are told of an incident: those near the stop that touch its hosts, or may."""

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Final

from apps.fleet.changes.change_values import ChangeView
from apps.fleet.facade.sessions import hosts_of_attempts
from apps.incidents.projection.header_values import IncidentHeader
from apps.tenancy.access import Actor

# As far back as changes are looked for before a failure, and a day for what was done about it.
BEFORE: Final = timedelta(hours=72)
AFTER: Final = timedelta(hours=24)
MOST: Final = 30


def broke_at(header: IncidentHeader) -> datetime:
    """Return when it broke; when it was found where nobody told."""
    return header.incident.started_at or header.incident.detected_at


def span_around(header: IncidentHeader, *, now: datetime) -> tuple[datetime, datetime]:
    """Return the span in which changes are looked for."""
    at = broke_at(header)
    return at - BEFORE, min(at + AFTER, now)


def hosts_of_incident(header: IncidentHeader, *, actor: Actor) -> frozenset[str]:
    """Return the hosts that are blamed, and those of its attempts that the actor may know of."""
    blamed = {str(each["host"]) for each in header.culprits or () if each.get("host")}
    return hosts_of_attempts(actor=actor, ids=[each.id for each in header.attempts]) | blamed


def nearest_changes(
    changes: Iterable[ChangeView], *, header: IncidentHeader, hosts: Collection[str]
) -> tuple[ChangeView, ...]:
    """Return those nearest to the stop that touch any of these hosts or may, by time."""
    at = broke_at(header)
    touching = (each for each in changes if each.may_touch(hosts))
    nearest = sorted(touching, key=lambda each: (abs(each.starts_at - at), each.id))[:MOST]
    return tuple(sorted(nearest, key=lambda each: (each.starts_at, each.id)))
