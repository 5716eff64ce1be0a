"""What people do to work on an incident together, as the forms of its page say it."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from apps.diagnosis.input_values import in_bounds
from apps.incidents.entries import HandOverEntry, StepEntry
from apps.incidents.facade.acts import note_act
from apps.incidents.facade.reads import open_incident
from apps.incidents.facade.work import (
    answer_hand_over,
    answer_resolution,
    note_hand_over,
    propose_hand_over,
    propose_resolution,
    set_action,
    set_ticket,
)
from apps.incidents.projection.header_values import IncidentFacts
from apps.incidents.refusals import (
    AlreadyHandled,
    BadStep,
    HandOverOpen,
    IncidentNotOpen,
    MentionUnread,
    ResolutionProposed,
    TooManyAnnotations,
)
from apps.incidents.states import ActionState, HandOverState, ResolutionState
from apps.tenancy.access import NotFound, Right
from apps.tenancy.middleware import OrganizationRequest, with_writes_kept
from apps.web.incident.read import incident_page
from apps.web.incident.timeline.lane_heads import LANES
from apps.web.live import page_topics
from apps.web.shell.render import show

METHODS = ["GET", "HEAD", "POST"]
LATE: Mapping[type[Exception], Promise] = {
    AlreadyHandled: gettext_lazy("Somebody was faster: this is how the incident stands now."),
    HandOverOpen: gettext_lazy("A hand-over waits for its answer already: take it back first."),
    IncidentNotOpen: gettext_lazy("The incident is not open any more: reopen it first."),
    ResolutionProposed: gettext_lazy("You have proposed that already; it waits for an answer."),
}
LACKING: Mapping[str, Promise] = {
    "reason": gettext_lazy("Choose a reason."),
    "text": gettext_lazy("Say it in your own words, in at most 10,000 characters."),
    "due_at": gettext_lazy("The due time is one that is still to come, in UTC."),
    "ticket": gettext_lazy("A ticket number is one line of at most 80 characters."),
    "room": gettext_lazy(
        "Your organization has 1,000 annotations on this incident, the most there may be."
    ),
    "to": gettext_lazy("Choose another party of this incident that takes part now."),
}
Step = Callable[[OrganizationRequest, IncidentFacts], None]


def take(request: OrganizationRequest, *, org: str, public_id: str, step: Step) -> HttpResponse:
    """Take a step with an incident, then show it again; what was entered is not lost.

    A script stays where it is and is told of the change as other open pages are: all that it is
    answered is how it went.
    """
    found = open_incident(actor=request.actor, public_id=public_id, right=Right.ACT)
    again = redirect("web:incident", org, found.public_id)
    if request.method != "POST":
        return again
    is_script = bool(request.headers.get("HX-Request"))
    try:
        with transaction.atomic():
            step(request, found)
    except tuple(LATE) as error:
        messages.warning(request, str(LATE[type(error)]))
        return HttpResponse(status=205) if is_script else again  # the page it loads says so
    except (BadStep, MentionUnread, TooManyAnnotations) as error:
        if is_script:
            return HttpResponse(status=422)  # it sends the form as without a script
        return _again(request, found, problem=_why(error))
    return HttpResponse(status=204) if is_script else again


def _why(error: BadStep | MentionUnread | TooManyAnnotations) -> str:
    if isinstance(error, MentionUnread):
        return _("%(names)s would not read this: leave out the @.") % {"names": error.names}
    return str(LACKING[error.field if isinstance(error, BadStep) else "room"])


def entry_of(request: OrganizationRequest) -> StepEntry:
    """Return why, as a form says it."""
    return StepEntry(reason=request.POST.get("reason", ""), text=request.POST.get("text", ""))


@require_http_methods(METHODS)
def hand_overs(request: OrganizationRequest, org: str, public_id: str) -> HttpResponse:
    """Propose to hand the incident over."""
    return take(request, org=org, public_id=public_id, step=_propose_hand_over)


@require_http_methods(METHODS)
def hand_over(
    request: OrganizationRequest, org: str, public_id: str, hand_over: str
) -> HttpResponse:
    """Answer a hand-over, or keep one's own ticket number of it."""

    def step(request: OrganizationRequest, found: IncidentFacts) -> None:
        asked = _asked(request, found) | {"subject": hand_over}
        if "ticket" in request.POST:
            set_ticket(ticket=request.POST["ticket"], **asked)
            note_hand_over(action="hand_over.ticket_set", request=request, **asked)
            return
        state = _state(request, HandOverState)
        answer_hand_over(state=state, entry=entry_of(request), **asked)
        note_hand_over(action=f"hand_over.{state.name.lower()}", request=request, **asked)

    return take(request, org=org, public_id=public_id, step=step)


@require_http_methods(METHODS)
def resolutions(request: OrganizationRequest, org: str, public_id: str) -> HttpResponse:
    """Propose to resolve the incident."""

    def step(request: OrganizationRequest, found: IncidentFacts) -> None:
        asked = _asked(request, found)
        subject = propose_resolution(entry=entry_of(request), **asked)
        note_act(action="resolution.proposed", detail=subject, request=request, **asked)

    return take(request, org=org, public_id=public_id, step=step)


@require_http_methods(METHODS)
def resolution(
    request: OrganizationRequest, org: str, public_id: str, resolution: str
) -> HttpResponse:
    """Answer a proposal to resolve, or take one's own back."""

    def step(request: OrganizationRequest, found: IncidentFacts) -> None:
        asked, state = _asked(request, found), _state(request, ResolutionState)
        if state in {ResolutionState.PROPOSED, ResolutionState.REOPENED}:
            raise NotFound
        entry = StepEntry(text=request.POST.get("text", ""))
        answer_resolution(subject=resolution, state=state, entry=entry, **asked)
        note_act(action=f"resolution.{state}", detail=resolution, request=request, **asked)

    return take(request, org=org, public_id=public_id, step=step)


@require_http_methods(METHODS)
def action(request: OrganizationRequest, org: str, public_id: str, action: str) -> HttpResponse:
    """Take an action, say that it is done, refuse it, or leave it open again."""

    def step(request: OrganizationRequest, found: IncidentFacts) -> None:
        asked, state = _asked(request, found), _state(request, ActionState)
        set_action(subject=action, state=state, entry=entry_of(request), **asked)
        note_act(action=f"action.{state}", detail=action, request=request, **asked)

    return take(request, org=org, public_id=public_id, step=step)


def _propose_hand_over(request: OrganizationRequest, found: IncidentFacts) -> None:
    asked, why = _asked(request, found), entry_of(request)
    entry = HandOverEntry(
        to=request.POST.get("to", ""),
        reason=why.reason,
        text=why.text,
        due_at=_time(request.POST.get("due_at", "")),
        ticket=request.POST.get("ticket", ""),
    )
    subject = propose_hand_over(entry=entry, **asked)
    note_hand_over(action="hand_over.proposed", subject=subject, request=request, **asked)


def _asked(request: OrganizationRequest, found: IncidentFacts) -> dict[str, Any]:
    return {"actor": request.actor, "incident": found, "now": timezone.now()}


def _state(request: OrganizationRequest, kind: Any) -> Any:
    said = request.POST.get("state", "")
    if said not in kind:
        raise NotFound
    return kind(said)


def _time(text: str) -> datetime | None:
    """Return what a time field holds, as UTC, None where it is empty; raise BadStep."""
    if not text.strip():
        return None
    try:
        parsed = parse_datetime(text.strip())
    except ValueError:
        parsed = None
    at = in_bounds(parsed.replace(tzinfo=UTC)) if parsed else None
    if at is None:
        raise BadStep("due_at", "no time")
    return at


def _again(request: OrganizationRequest, found: IncidentFacts, *, problem: str) -> HttpResponse:
    now = timezone.now()
    refused = show(
        request,
        "web/incident/page.html",
        section="incidents",
        now=now,
        status=422,
        live=page_topics.incident_topics(found.public_id),
        page=incident_page(request=request, public_id=found.public_id, now=now),
        work_problem=problem,
        entered=request.POST,
        note_lanes=[(lane, _(name)) for lane, name in LANES],
    )
    return with_writes_kept(refused)
