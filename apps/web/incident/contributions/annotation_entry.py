"""What was typed of an annotation, and why it can't be taken, in words."""

from datetime import UTC, datetime

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext_lazy

from apps.diagnosis.input_values import in_bounds
from apps.incidents.entries import Audience, Note
from apps.incidents.facade.notes import party_ids
from apps.incidents.projection.header_values import IncidentFacts
from apps.incidents.projection.values import AnnotationVersion
from apps.incidents.refusals import (
    AlreadyChanged,
    AudienceUnknown,
    ReplyMisplaced,
    TextMissing,
    TooManyAnnotations,
)
from apps.tenancy.middleware import OrganizationRequest
from apps.web.incident.timeline.lane_heads import LANE_TITLES


class TimeUnreadable(Exception):
    """A time that was typed is none."""


class SpanBackwards(Exception):
    """What is written about ends before it begins."""


PROBLEMS = {
    TextMissing: gettext_lazy("Write something first, at most 10,000 characters."),
    TimeUnreadable: gettext_lazy(
        "That time can't be read. Write it like 2026-11-22 14:03:05, in UTC."
    ),
    SpanBackwards: gettext_lazy("It ends before it begins."),
    AudienceUnknown: gettext_lazy(
        "One of the recipients is no party of this incident, or does not read what you answer. "
        "Load the page again."
    ),
    ReplyMisplaced: gettext_lazy("What you answer is not there any more. Load the page again."),
    TooManyAnnotations: gettext_lazy(
        "Your organization has 1,000 annotations on this incident, the most there may be."
    ),
    AlreadyChanged: gettext_lazy(
        "It was changed meanwhile. It stands as it reads now, your text is below: put them "
        "together, and save again."
    ),
}


def typed_note(request: OrganizationRequest) -> Note:
    """Return what was typed, as far as it says what it is about; raise what PROBLEMS names."""
    lane = request.POST.get("lane", "")
    starts_at = _time(request.POST.get("starts_at", ""))
    ends_at = _time(request.POST.get("ends_at", ""))
    if starts_at and ends_at and ends_at < starts_at:
        raise SpanBackwards
    return Note(
        text=request.POST.get("text", ""),
        starts_at=starts_at,
        ends_at=ends_at,
        lane=lane if lane in LANE_TITLES else "",
        answers=request.POST.get("answers", "").replace("\x00", "?")[:20],  # no id has one
    )


def typed_audience(request: OrganizationRequest) -> Audience:
    """Return whom it was addressed to."""
    return Audience(
        organizations=tuple(request.POST.getlist("audience")),
        all_parties=request.POST.get("all_parties") == "1",
    )


def same_audience(
    request: OrganizationRequest, incident: IncidentFacts, former: AnnotationVersion
) -> Audience:
    """Return whom the former version was addressed to."""
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
