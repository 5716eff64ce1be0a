"""Annotations on an incident: write, answer, change, withdraw, and what changed meanwhile."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from apps.diagnosis.input_values import whole_number
from apps.incidents.entries import Note
from apps.incidents.facade.acts import (
    annotate,
    mark_read,
    note_annotation,
    own_annotation,
    revise,
    withdraw,
)
from apps.incidents.facade.notes import annotations_of
from apps.incidents.facade.reads import open_incident
from apps.incidents.projection.header_values import IncidentFacts
from apps.incidents.projection.values import AnnotationVersion
from apps.incidents.refusals import MentionUnread
from apps.tenancy.access import Right
from apps.tenancy.middleware import OrganizationRequest
from apps.web.incident.contributions.annotation_entry import (
    PROBLEMS,
    same_audience,
    typed_audience,
    typed_note,
)
from apps.web.incident.contributions.annotations import mark_of
from apps.web.incident.page import IncidentPage
from apps.web.incident.read import incident_page
from apps.web.incident.timeline.lane_heads import LANES
from apps.web.live import page_topics
from apps.web.shell.render import show


@require_http_methods(["GET", "HEAD", "POST"])
def add(request: OrganizationRequest, org: str, public_id: str) -> HttpResponse:
    """Write an annotation or a reply; without a recipient its own organization alone reads it."""
    now = timezone.now()
    found = open_incident(actor=request.actor, public_id=public_id, right=Right.ACT)
    if request.method != "POST":
        return redirect("web:incident", org, found.public_id)

    def write() -> AnnotationVersion:
        return annotate(
            actor=request.actor,
            incident=found,
            note=typed_note(request),
            audience=typed_audience(request),
            now=now,
        )

    problem = _tried(request, found, "annotation.written", write, now=now)
    return _answer(request, incident=found, now=now, problem=problem)


@require_http_methods(["GET", "HEAD", "POST"])
def edit(
    request: OrganizationRequest, org: str, public_id: str, annotation_id: str
) -> HttpResponse:
    """Write the next version of one of one's own organization, for the same audience."""
    now = timezone.now()
    found = open_incident(actor=request.actor, public_id=public_id, right=Right.ACT)
    former = own_annotation(actor=request.actor, incident=found, public_id=annotation_id)
    if request.method != "POST":
        return redirect("web:incident", org, found.public_id)
    note = Note(
        text=request.POST.get("text", ""),
        starts_at=former.starts_at,
        ends_at=former.ends_at,
        lane=former.lane,
    )
    seen = request.POST.get("version", "")

    def write() -> AnnotationVersion:
        return revise(
            actor=request.actor,
            incident=found,
            former=former,
            note=note,
            audience=same_audience(request, found, former),
            seen_version=whole_number(seen),
            now=now,
        )

    problem = _tried(request, found, "annotation.revised", write, now=now, former=former)
    return _answer(request, incident=found, now=now, problem=problem, changed=annotation_id)


@require_http_methods(["GET", "HEAD", "POST"])
def take_back(
    request: OrganizationRequest, org: str, public_id: str, annotation_id: str
) -> HttpResponse:
    """Withdraw one of one's own organization: its words go, who withdrew it and when stays."""
    now = timezone.now()
    found = open_incident(actor=request.actor, public_id=public_id, right=Right.ACT)
    former = own_annotation(actor=request.actor, incident=found, public_id=annotation_id)
    if request.method != "POST":
        return redirect("web:incident", org, found.public_id)

    def write() -> AnnotationVersion:
        withdraw(actor=request.actor, incident=found, former=former, now=now)
        return former

    problem = _tried(request, found, "annotation.withdrawn", write, now=now)
    return _answer(request, incident=found, now=now, problem=problem)


@require_GET
def changes(request: OrganizationRequest, org: str, public_id: str) -> HttpResponse:
    """Return the annotations and the timeline as they stand, unless the page shows them so."""
    now = timezone.now()
    found = open_incident(actor=request.actor, public_id=public_id)
    if mark_of(annotations_of(incident=found)) == request.GET.get("seen"):
        return HttpResponse(status=204)
    page = incident_page(request=request, public_id=found.public_id, now=now, is_piece=True)
    mark_read(actor=request.actor, incident=found, now=now)
    return _fragment(request, now=now, page=page)


def _tried(
    request: OrganizationRequest,
    incident: IncidentFacts,
    action: str,
    write: Callable[[], AnnotationVersion],
    *,
    now: datetime,
    former: AnnotationVersion | None = None,
) -> str:
    """Write, and append it to the record; return why it was refused, in words."""
    try:
        written = write()
    except MentionUnread as refused:
        told = _("%(names)s would not read this: choose it as a recipient, or leave out the @.")
        return told % {"names": refused.names}
    except tuple(PROBLEMS) as refused:
        return str(PROBLEMS[type(refused)])
    note_annotation(
        actor=request.actor,
        incident=incident,
        annotation=written,
        action=action,
        former=former,
        request=request,
        now=now,
    )
    return ""


def _answer(
    request: OrganizationRequest,
    *,
    incident: IncidentFacts,
    now: datetime,
    problem: str,
    changed: str = "",
) -> HttpResponse:
    """Show what stands now; after a refusal with what was typed, where it was typed.

    A script asks for the changes itself: what was written is committed, and told, before that.
    """
    is_piece = bool(request.headers.get("HX-Request"))
    if is_piece and not problem:
        return HttpResponse(status=204)
    if not problem:
        return redirect("web:incident", request.actor.organization.slug, incident.public_id)
    page = incident_page(request=request, public_id=incident.public_id, now=now, is_piece=is_piece)
    typed: dict[str, Any] = {
        "problem": problem,
        "problem_at": changed or request.POST.get("answers", ""),
        "is_edit": bool(changed),
        "note_text": request.POST.get("text", "") if problem else "",
        "note_lanes": [(lane, _(name)) for lane, name in LANES],
    }
    if is_piece:
        return _fragment(request, now=now, page=page, **typed)
    template = "web/incident/page.html"
    topics = page_topics.incident_topics(page.public_id)
    return show(request, template, section="incidents", live=topics, now=now, page=page, **typed)


def _fragment(
    request: OrganizationRequest, *, now: datetime, page: IncidentPage, **typed: Any
) -> HttpResponse:
    return show(
        request,
        "web/incident/annotation_changes.html",
        section="incidents",
        now=now,
        page=page,
        **typed,
    )
