"""The newest incident of each session."""

from collections.abc import Sequence

from apps.fleet.models import Session
from apps.incidents.projection.incident_list import incidents_of_sessions
from apps.incidents.projection.incident_view import IncidentHeader, read_headers
from apps.tenancy.middleware import OrganizationRequest

INCIDENTS_READ = 200


def latest_headers(
    request: OrganizationRequest, *, sessions: Sequence[Session]
) -> dict[int, IncidentHeader]:
    """Return session id → the newest incident that hit it."""
    found = list(incidents_of_sessions(actor=request.actor, sessions=sessions)[:INCIDENTS_READ])
    latest: dict[int, IncidentHeader] = {}
    for header in read_headers(actor=request.actor, incidents=found):
        for attempt in header.attempts:
            latest.setdefault(attempt.session_id, header)
    return latest
