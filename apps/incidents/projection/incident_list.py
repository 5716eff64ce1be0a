"""Incidents of sessions, for lists."""

from collections.abc import Sequence

from django.db.models import Q, QuerySet

from apps.fleet.models import Session
from apps.incidents.access import access_incidents
from apps.incidents.models import Incident, IncidentSession
from apps.tenancy.access import Actor


def incidents_of_sessions(*, actor: Actor, sessions: Sequence[Session]) -> QuerySet[Incident]:
    """Return the incidents that hit these sessions and that the actor may read, newest first."""
    ids = [session.pk for session in sessions]
    hit = IncidentSession.objects.filter(session__in=ids).values("incident_id")
    now = Q(kept=None) & (Q(id__in=hit) | Q(attempt__session__in=ids))
    return access_incidents(actor=actor).filter(now | Q(kept__session_ids__overlap=ids))
