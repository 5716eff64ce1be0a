"""The timeline of an incident alone: another window, other lanes, without the rest of its page."""

from datetime import datetime

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET

from apps.incidents.facade.notes import unread_of
from apps.incidents.facade.reads import incident_story_of
from apps.incidents.facade.shared import one_reading
from apps.sharing.ledger.entries import LedgerUnavailable
from apps.sharing.ledger_kinds import LedgerChannel
from apps.tenancy.middleware import OrganizationRequest
from apps.web.incident.circumstances.read import circumstances
from apps.web.incident.contributions.annotations import Written, note_rows
from apps.web.incident.query_params import PageReader, as_asked
from apps.web.incident.read import wish_of
from apps.web.incident.timeline_card import TimelineCard, timeline_card
from apps.web.shell.render import zone_of


@require_GET
def timeline(request: OrganizationRequest, org: str, public_id: str) -> HttpResponse:
    """Return the timeline that the page of the same address would show."""
    now = timezone.now()
    with one_reading():
        try:
            card = _card(request, public_id, now, LedgerChannel.PAGE)
        except LedgerUnavailable:  # its page says so
            card = _card(request, public_id, now, None)
    if card.public_id != public_id:
        there = reverse("web:incident_timeline", args=[org, card.public_id])
        return redirect(as_asked(request, there))
    values = {"timeline": card, "organization": request.actor.organization}
    return render(request, "web/incident/timeline_card.html", values)


def _card(
    request: OrganizationRequest, public_id: str, now: datetime, channel: LedgerChannel | None
) -> TimelineCard:
    actor, zone = request.actor, zone_of(request)
    view = incident_story_of(actor=actor, public_id=public_id, channel=channel)
    notes = view.annotations
    unread = unread_of(actor=actor, incident=view.header.incident) if notes else frozenset()
    card, _ = timeline_card(
        view=view,
        # On the timeline a note is a pin and a line: neither has links or former versions.
        notes=note_rows(
            view=view,
            written=Written(unread=unread),
            reader=PageReader(can_write=False, may_resolve=False, now=now, zone=zone),
        ),
        wish=wish_of(request),
        zone=zone,
        around=circumstances(
            actor=actor,
            header=view.header,
            span=request.GET.get("span", ""),
            now=now,
            channel=channel,
        ),
    )
    return card
