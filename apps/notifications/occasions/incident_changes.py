"""Incidents → notices: what an organization has not been told yet, exactly once.

Derived from rows and a watermark for each incident, so whatever wakes it, and however often, it
tells the same. A verdict that wobbles is told when it has rested for a minute.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from apps.incidents.facade.changes import (
    IncidentState,
    header_as_told,
    states_of,
    states_since,
    still_party,
)
from apps.notifications import fan_out
from apps.notifications.models import IncidentCursor, Notification
from apps.notifications.occasions import repeated_stops
from apps.notifications.occasions.agreement_notices import has_agreements, tell_agreements
from apps.notifications.occasions.bundle_notices import has_bundles, tell_bundles
from apps.notifications.occasions.incident_notices import NEWS_WITHIN, notices_of
from apps.notifications.occasions.mentions import has_mentions, tell_mentions
from apps.notifications.occasions.request_notices import has_requests, tell_requests
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from apps.tenancy.values import ValueList
from apps.tenancy.work import failed_work
from apps.tenancy.work.failed_work import Unit

# How long after its detection the changes of an incident are told.
FOLLOWED_FOR = timedelta(days=7)
# And what people ask of each other about it.
WORKED_ON_FOR = timedelta(days=60)
RESTED_FOR = timedelta(seconds=60)
# A verdict that never rests is told nevertheless.
WAITS_AT_MOST = timedelta(minutes=5)
AT_ONCE = 200
KIND = "notice"  # of failed work


def has_news(*, organization_id: int, now: datetime) -> bool:
    """Say whether there is anything to look at. Opens the scope."""
    organization = Organization.objects.get(pk=organization_id)
    with organization_scope(organization_id):
        return (
            has_mentions(organization=organization, now=now)
            or has_agreements(organization=organization, now=now)
            or has_bundles(organization=organization, now=now)
            or has_requests(organization=organization, now=now)
            or _due(organization_id, now).exists()
            or _unseen(organization_id, now).exists()
            or _moved(organization_id, now).exists()
        )


def look(*, organization_id: int, now: datetime) -> list[Notification]:
    """Write the notices of what is new to an organization, and hand them on. Idempotent."""
    organization = Organization.objects.get(pk=organization_id)
    with organization_scope(organization_id):
        fan_out.hold(organization_id=organization_id)
        _meet(organization=organization, incidents=_unseen(organization_id, now)[:AT_ONCE], now=now)
        _note_moves(_moved(organization_id, now)[:AT_ONCE], organization_id, now=now)
        due = _due(organization_id, now)[:AT_ONCE]
        told = _tell(organization=organization, rows=list(due), now=now)
        told += tell_mentions(organization=organization, now=now)
        told += tell_requests(organization=organization, now=now)
        told += tell_agreements(organization=organization, now=now)
        return [*told, *tell_bundles(organization=organization, now=now)]


def _unseen(organization_id: int, now: datetime) -> ValueList[IncidentState]:
    seen = IncidentCursor.objects.for_organization(organization_id).filter(incident=OuterRef("pk"))
    recent = states_since(organization_id=organization_id, since=now - FOLLOWED_FOR)
    return recent.filter(Q(~Exists(seen)))


def _moved(organization_id: int, now: datetime) -> QuerySet[IncidentCursor]:
    known = _told(organization_id).filter(incident__detected_at__gte=now - WORKED_ON_FOR)
    is_recent = Q(incident__detected_at__gte=now - FOLLOWED_FOR)
    has_moved = ~Q(seen_revision=F("incident__revision")) | ~Q(seen_status=F("incident__status"))
    has_settled = Q(seen_settled=False, incident__settled_at__isnull=False)
    has_step = ~Q(seen_steps=F("incident__step_count"))
    return known.filter(is_recent & (has_moved | has_settled) | has_step).order_by("id")


def _due(organization_id: int, now: datetime) -> QuerySet[IncidentCursor]:
    return _told(organization_id).filter(due_at__lte=now).order_by("id")


def _told(organization_id: int) -> QuerySet[IncidentCursor]:
    # Who left the cluster is told nothing any more.
    own = IncidentCursor.objects.for_organization(organization_id)
    return own.filter(still_party(organization_id=organization_id))


def _meet(*, organization: Organization, incidents: Iterable[IncidentState], now: datetime) -> None:
    """Begin to follow incidents. News is due at once, what carries on another one like a change."""
    for incident in incidents:
        former = _absorbed(organization, incident)
        is_news = incident.detected_at >= now - NEWS_WITHIN
        row = IncidentCursor(
            organization=organization,
            incident_id=incident.id,
            seen_revision=incident.revision,
            seen_status=incident.status,
            seen_steps=incident.step_count,
            seen_settled=incident.settled_at is not None,
            told=former,
            waiting_since=now if is_news else None,
            due_at=now + (RESTED_FOR if former else timedelta(0)) if is_news else None,
        )
        if is_news and not former:
            repeated_stops.join(row=row, incident=incident, now=now)
        row.save(force_insert=True)


def _absorbed(organization: Organization, incident: IncidentState) -> dict[str, Any] | None:
    """Return what was told of an incident that this one took over."""
    own = IncidentCursor.objects.for_organization(organization).exclude(told=None)
    last = own.filter(incident__merged_into=incident.id).order_by("-id").first()
    return last.told if last else None


def _note_moves(moved: Iterable[IncidentCursor], organization_id: int, *, now: datetime) -> None:
    rows = {row.incident_id: row for row in moved}
    states = states_of(organization_id=organization_id, ids=rows.keys()) if rows else {}
    for row, incident in ((row, states[each]) for each, row in rows.items() if each in states):
        is_step = row.seen_steps != incident.step_count
        row.seen_revision, row.seen_status = incident.revision, incident.status
        row.seen_steps = incident.step_count
        row.seen_settled = incident.settled_at is not None
        row.waiting_since, row.due_at = _when(row, incident, now)
        if is_step:  # what people ask of each other does not wait for a verdict to rest
            row.waiting_since, row.due_at = row.waiting_since or now, now
        row.save(
            update_fields=[
                *("seen_revision", "seen_status", "seen_settled", "waiting_since", "due_at"),
                *("repeats", "seen_steps"),
            ]
        )


def _when(
    row: IncidentCursor, incident: IncidentState, now: datetime
) -> tuple[datetime | None, datetime | None]:
    """Return since when a change waits, and when it is told."""
    is_repeat = partial(repeated_stops.is_repeat, row=row, incident=incident, now=now)
    if row.told is None and row.repeats and is_repeat():
        return row.waiting_since, row.due_at
    if row.told is None:
        row.repeats = 0  # it has a cause of its own
        # Of what was no news when it was met, a change is none either.
        is_news = incident.detected_at >= now - NEWS_WITHIN
        return (now, now) if is_news else (None, None)
    since = row.waiting_since or now
    # Nothing more is waited for once it has settled.
    is_final = incident.settled_at is not None
    return since, now if is_final else min(now + RESTED_FOR, since + WAITS_AT_MOST)


def _tell(
    *, organization: Organization, rows: Sequence[IncidentCursor], now: datetime
) -> list[Notification]:
    made: list[Notification] = []
    for row in rows:
        unit = Unit(
            organization_id=organization.pk, kind=KIND, subject=f"incident:{row.incident_id}"
        )
        notices = failed_work.attempt(
            unit=unit,
            now=now,
            work=partial(_tell_one, organization=organization, row=row, now=now),
        )
        if notices is None:
            # The news of one incident that can't be told waits alone.
            due_at = now + failed_work.pause_after(unit=unit)
            IncidentCursor.objects.for_organization(organization).filter(pk=row.pk).update(
                due_at=due_at
            )
        else:
            made += notices
    return made


def _tell_one(
    *, organization: Organization, row: IncidentCursor, now: datetime
) -> list[Notification]:
    with organization_scope(organization.pk):
        header = header_as_told(organization=organization, incident_id=row.incident_id)
        notices = notices_of(row=row, header=header, now=now) if header else []
        made = fan_out.hand_on(organization=organization, notices=notices, now=now)
        row.waiting_since = row.due_at = None
        row.save(update_fields=["told", "step", "waiting_since", "due_at"])
    return made
