"""The page of one session."""

from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from apps.fleet.facade.sessions import attempts_of, open_session
from apps.incidents.facade.reads import incidents_of_sessions
from apps.telemetry.status.intake import streams_of
from apps.tenancy.middleware import OrganizationRequest
from apps.web.session.compose import compose
from apps.web.shell.render import show

INCIDENTS_SHOWN = 20


@require_GET
def session(request: OrganizationRequest, org: str, public_id: str) -> HttpResponse:
    """Show a session as the organization in the path may see it."""
    now = timezone.now()
    found = open_session(actor=request.actor, public_id=public_id)
    hits = incidents_of_sessions(actor=request.actor, session_ids=[found.id])[:INCIDENTS_SHOWN]
    page = compose(
        session=found,
        attempts=attempts_of(actor=request.actor, sessions=[found])[found.id],
        headers=hits,
        streams=streams_of(actor=request.actor, session_id=found.id),
        now=now,
    )
    return show(request, "web/session/page.html", section="sessions", now=now, page=page)
