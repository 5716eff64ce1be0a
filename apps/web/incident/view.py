"""The page of one incident, and what people do with it."""

from collections.abc import Callable, Mapping

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from apps.incidents.facade.acts import acknowledge, mark_read, note_act, reopen, resolve
from apps.incidents.facade.reads import open_incident
from apps.incidents.projection.header_values import IncidentFacts
from apps.tenancy.access import NotFound, Right
from apps.tenancy.middleware import OrganizationRequest
from apps.web.display.export_links import export_links
from apps.web.incident.coordination_view import entry_of, take
from apps.web.incident.query_params import as_asked
from apps.web.incident.read import incident_page
from apps.web.incident.shown_page import NothingNew, shown_page
from apps.web.incident.timeline.lane_heads import LANES
from apps.web.live import page_topics
from apps.web.shell.render import show

FRAME, BARE = "base.html", "web/shell/bare.html"  # an open page keeps its frame
# Each with what the audit record calls it.
ACTS: Mapping[str, tuple[Callable[..., None], str]] = {
    "acknowledge": (acknowledge, "incident.acknowledged"),
    "resolve": (resolve, "incident.resolved"),
    "reopen": (reopen, "incident.reopened"),
}


@require_GET
def incident(request: OrganizationRequest, org: str, public_id: str) -> HttpResponse:
    """Show an incident as the organization in the path reads it."""
    now = timezone.now()
    shown = shown_page(request, public_id=public_id)
    try:
        page = incident_page(request=request, public_id=public_id, now=now, shown=shown)
    except NothingNew:
        return HttpResponse(status=204)  # the page stays as it is
    if page.public_id != public_id:
        return redirect(as_asked(request, reverse("web:incident", args=[org, page.public_id])))
    if any(note.is_unread for note in page.notes):
        found = open_incident(actor=request.actor, public_id=public_id)
        mark_read(actor=request.actor, incident=found, now=now)
    return show(
        request,
        "web/incident/page.html",
        section="incidents",
        live=page_topics.incident_topics(page.public_id),
        now=now,
        page=page,
        frame=BARE if shown else FRAME,
        note_lanes=LANES,
        may_view_as=Right.MANAGE in request.actor.rights,
        exports=export_links(organization=org, public_id=public_id),
    )


@require_POST
def act(request: OrganizationRequest, org: str, public_id: str, act: str) -> HttpResponse:
    """Acknowledge, resolve or reopen, then show the incident again."""
    if act not in ACTS:
        raise NotFound
    do, action = ACTS[act]

    def step(request: OrganizationRequest, found: IncidentFacts) -> None:
        actor, now = request.actor, timezone.now()
        why = {} if act == "acknowledge" else {"entry": entry_of(request)}
        do(actor=actor, incident=found, now=now, **why)
        note_act(actor=actor, incident=found, action=action, request=request, now=now)

    return take(request, org=org, public_id=public_id, step=step)
