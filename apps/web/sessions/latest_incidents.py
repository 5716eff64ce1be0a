"""The newest incident of each session."""

from collections.abc import Sequence

from apps.fleet.values import SessionView
from apps.incidents.facade.reads import incidents_of_sessions
from apps.incidents.projection.header_values import IncidentHeader
from apps.tenancy.middleware import OrganizationRequest

INCIDENTS_READ = 200


def latest_headers(
    request: OrganizationRequest, *, sessions: Sequence[SessionView]
) -> dict[int, IncidentHeader]:
    """Return session id → the newest incident that hit it."""
    ids = [each.id for each in sessions]
    found = incidents_of_sessions(actor=request.actor, session_ids=ids)[:INCIDENTS_READ]
    latest: dict[int, IncidentHeader] = {}
    for header in found:
        for attempt in header.attempts:
            latest.setdefault(attempt.session.id, header)
    return latest
