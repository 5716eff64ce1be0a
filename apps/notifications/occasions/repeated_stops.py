"""Stops that say again what an organization was told: told together, once an hour, counted."""

from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q, QuerySet

from apps.diagnosis.model import VerdictStatus
from apps.incidents.facade.changes import IncidentState
from apps.incidents.states import IncidentKind
from apps.notifications.models import IncidentCursor

TOLD_AGAIN_AFTER: Final = timedelta(hours=1)


def join(*, row: IncidentCursor, incident: IncidentState, now: datetime) -> None:
    """Let a stop that is new wait with others of its line, if that was told; the row is unsaved.

    The newest is told for all. Needs the scope.
    """
    former = _former(row, incident, now)
    if former is None:
        return
    row.repeats, row.due_at = 1, now + TOLD_AGAIN_AFTER
    if former.told is None and former.due_at is not None:
        former.repeats = max(1, former.repeats)
        row.repeats, row.due_at = former.repeats + 1, former.due_at
        row.waiting_since = former.waiting_since
        former.waiting_since = former.due_at = None
        former.save(update_fields=["repeats", "waiting_since", "due_at"])


def is_repeat(*, row: IncidentCursor, incident: IncidentState, now: datetime) -> bool:
    """Say whether a stop still says no more than another one that was told, or is to be."""
    return _former(row, incident, now) is not None


def _former(row: IncidentCursor, incident: IncidentState, now: datetime) -> IncidentCursor | None:
    """Return what was told, or waits, of a stop beside this one that says the same so far."""
    if incident.kind != IncidentKind.STOP:
        return None
    known = IncidentCursor.objects.for_organization(row.organization_id).exclude(pk=row.pk)
    known = known.exclude(told__isnull=True, repeats=0, due_at=None).order_by("-incident_id")
    sees = incident.sees_culprit
    beside = Q(incident__followed_by=incident.id)
    beside &= Q(incident__has_followers_culprits=True) if sees else Q()
    if incident.has_followers_culprits or not sees:
        beside |= Q(incident=incident.followed_by_id)
    former = known.filter(beside).first()
    return former or _of_session(known, incident, now)


def _of_session(
    known: QuerySet[IncidentCursor], incident: IncidentState, now: datetime
) -> IncidentCursor | None:
    """Return what was told lately of the session: what is open yet may turn out to be the same.

    Who may not know the session (a vendor) is told of nothing that is open yet.
    """
    if incident.verdict_status != VerdictStatus.UNKNOWN or incident.settled_at is not None:
        return None
    if incident.session_id is None or incident.attempt_number is None:
        return None
    return known.filter(
        incident__detected_at__gte=now - TOLD_AGAIN_AFTER,
        incident__kind=IncidentKind.STOP,
        incident__attempt__session=incident.session_id,
        incident__attempt__number__lt=incident.attempt_number,
    ).first()
