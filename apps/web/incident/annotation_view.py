"""Notes on an incident: add one for a named audience, write a new version of one's own."""

from datetime import UTC, datetime

from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from apps.diagnosis.input_values import in_bounds
from apps.incidents.entries import Audience, Note
from apps.incidents.facade.acts import annotate, note_annotation, own_annotation, revise
from apps.incidents.facade.reads import open_incident, party_ids
from apps.incidents.projection.header_values import IncidentFacts
from apps.incidents.projection.values import AnnotationVersion
from apps.incidents.refusals import AlreadyChanged, AudienceUnknown, TextMissing
from apps.tenancy.access import Right
from apps.tenancy.middleware import OrganizationRequest
from apps.web.incident.read import incident_page
from apps.web.incident.timeline.lane_heads import LANE_TITLES, LANES
from apps.web.shell.render import show


class TimeUnreadable(Exception):
    """A time that was typed is none."""


@require_http_methods(["GET", "HEAD", "POST"])
def add(request: OrganizationRequest, org: str, public_id: str) -> HttpResponse:
    """Write a note; without a named recipient its own organization alone reads it."""
    now = timezone.now()
    found = open_incident(actor=request.actor, public_id=public_id, right=Right.ACT)
    if request.method != "POST":
        return redirect("web:incident", org, found.public_id)
    audience = Audience(
        organizations=tuple(request.POST.getlist("audience")),
        all_parties=request.POST.get("all_parties") == "1",
    )
    problem = ""
    try:
        row = annotate(
            actor=request.actor, incident=found, note=_note(request), audience=audience, now=now
        )
        note_annotation(
            actor=request.actor,
            incident=found,
            annotation=row,
            action="annotation.written",
            request=request,
            now=now,
        )
    except TextMissing:
        problem = _("Write something first, at most 10,000 characters.")
    except TimeUnreadable:
        problem = _("That time can't be read. Write it like 2026-11-22 14:03:05, in UTC.")
    except AudienceUnknown:
        problem = _("One of the recipients is no party of this incident. Load the page again.")
    return _answer(request, org=org, incident=found, now=now, problem=problem)


@require_http_methods(["GET", "HEAD", "POST"])
def edit(
    request: OrganizationRequest, org: str, public_id: str, annotation_id: str
) -> HttpResponse:
    """Write the next version of a note of one's own organization, for the same audience."""
    now = timezone.now()
    found = open_incident(actor=request.actor, public_id=public_id, right=Right.ACT)
    former = own_annotation(actor=request.actor, incident=found, public_id=annotation_id)
    if request.method != "POST":
        return redirect("web:incident", org, found.public_id)
    problem = ""
    note = Note(
        text=request.POST.get("text", ""),
        starts_at=former.starts_at,
        ends_at=former.ends_at,
        lane=former.lane,
    )
    try:
        row = revise(
            actor=request.actor,
            incident=found,
            former=former,
            note=note,
            audience=_same_audience(request, found, former),
            now=now,
        )
        note_annotation(
            actor=request.actor,
            incident=found,
            annotation=row,
            action="annotation.revised",
            former=former,
            request=request,
            now=now,
        )
    except TextMissing:
        problem = _("Write something first, at most 10,000 characters.")
    except AlreadyChanged:
        problem = _("Somebody wrote a newer version in between: this is how it reads now.")
    return _answer(request, org=org, incident=found, now=now, problem=problem)


def _note(request: OrganizationRequest) -> Note:
    lane = request.POST.get("lane", "")
    return Note(
        text=request.POST.get("text", ""),
        starts_at=_time(request.POST.get("starts_at", "")),
        ends_at=_time(request.POST.get("ends_at", "")),
        lane=lane if lane in LANE_TITLES else "",
    )


def _same_audience(
    request: OrganizationRequest, incident: IncidentFacts, former: AnnotationVersion
) -> Audience:
    known = party_ids(actor=request.actor, incident=incident)
    return Audience(
        organizations=tuple(slug for slug, pk in known.items() if pk in former.audience)
    )


def _time(text: str) -> datetime | None:
    """Return what a time field holds, as UTC, None where it is empty; raise TimeUnreadable."""
    if not text.strip():
        return None
    try:
        parsed = parse_datetime(text.strip())
    except ValueError:
        parsed = None
    at = in_bounds(parsed.replace(tzinfo=UTC)) if parsed else None
    if at is None:
        raise TimeUnreadable
    return at


def _answer(
    request: OrganizationRequest, *, org: str, incident: IncidentFacts, now: datetime, problem: str
) -> HttpResponse:
    if not request.headers.get("HX-Request") and not problem:
        return redirect("web:incident", org, incident.public_id)
    page = incident_page(request=request, public_id=incident.public_id, now=now)
    template = (
        "web/incident/annotations.html"
        if request.headers.get("HX-Request")
        else "web/incident/page.html"
    )
    return show(
        request,
        template,
        section="incidents",
        now=now,
        page=page,
        problem=problem,
        note_text=request.POST.get("text", "") if problem else "",
        note_lanes=[(lane, _(name)) for lane, name in LANES],
    )
