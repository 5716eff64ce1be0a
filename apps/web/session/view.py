"""The page of one session."""

from collections.abc import Sequence
from dataclasses import replace

from django.contrib import messages
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from apps.diagnosis.input_values import whole_number
from apps.diagnosis.spelling import shown
from apps.fleet.facade.lifecycles import histories_of
from apps.fleet.facade.sessions import attempts_of, open_session
from apps.fleet.values import AttemptView
from apps.incidents.facade.reads import incidents_of_sessions
from apps.incidents.facade.recovery import recovery_of
from apps.reliability.facade.session_history import MOST_ATTEMPTS, session_history
from apps.telemetry.status.intake import streams_of
from apps.tenancy.middleware import OrganizationRequest
from apps.tenancy.people.organization_names import organization_names
from apps.web.display.authority import sources_of
from apps.web.live import page_topics
from apps.web.session.compose import SessionKnowledge, compose, shown_attempt
from apps.web.shell.render import show
from apps.web.stragglers.session_panel import straggler_panel

INCIDENTS_SHOWN = 20


@require_GET
def session(request: OrganizationRequest, org: str, public_id: str) -> HttpResponse:
    """Show a session as the organization in the path may see it."""
    now = timezone.now()
    found = open_session(actor=request.actor, public_id=public_id)
    hits = incidents_of_sessions(actor=request.actor, session_ids=[found.id])[:INCIDENTS_SHOWN]
    attempts = attempts_of(actor=request.actor, sessions=[found])[found.id]
    looked_at = shown_attempt(attempts, hits, asked=attempt_number(request, attempts))
    states = histories_of(actor=request.actor, attempts=attempts[-MOST_ATTEMPTS:])
    told = {each.source for history in states.values() for each in history.states}
    known = SessionKnowledge(
        attempts=attempts,
        shown=looked_at,
        headers=hits,
        streams=streams_of(actor=request.actor, session_id=found.id),
        history=session_history(
            actor=request.actor, session=found, attempts=attempts, headers=hits, now=now
        ),
        states=states,
        names=organization_names(slugs=told | sources_of(attempts)),
        recovery=recovery_of(
            actor=request.actor, session=found, attempt=looked_at, headers=hits, now=now
        )
        if looked_at
        else None,
    )
    page = replace(
        compose(session=found, known=known, now=now),
        stragglers=straggler_panel(
            actor=request.actor, session=found, attempts=attempts, shown=looked_at, now=now
        ),
    )
    return show(
        request,
        "web/session/page.html",
        section="sessions",
        now=now,
        page=page,
        live=page_topics.session_topics(found.public_id),
    )


def attempt_number(request: OrganizationRequest, attempts: Sequence[AttemptView]) -> int | None:
    """Return which attempt the address asks for; say so where the session has none of it."""
    text = request.GET.get("attempt", "")
    number = whole_number(text)
    if number in {each.number for each in attempts}:
        return number
    if text:
        told = _("This session has no attempt “%(value)s”: another one is shown.")
        messages.warning(request, told % {"value": shown(word=text)})
    return None
