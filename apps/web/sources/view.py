"""What flows in, how to add to it, and whether the first line has come."""

from datetime import datetime

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from apps.diagnosis.input_values import instant
from apps.telemetry.status.intake import arrived_since, intakes_of
from apps.tenancy.middleware import OrganizationRequest
from apps.web.live import page_topics
from apps.web.shell.render import show
from apps.web.sources.arrivals import came_before, came_since
from apps.web.sources.compose import sources_page


@require_GET
def sources(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show all sources of the organization in the path; as a fragment, only what is new."""
    now = timezone.now()
    if request.headers.get("HX-Request"):
        return _arrived(request, now=now)
    page = sources_page(actor=request.actor, now=now, opened=request.GET.get("open", ""))
    return show(
        request,
        "web/sources/page.html",
        section="sources",
        now=now,
        page=page,
        live=page_topics.SOURCES,
    )


def _arrived(request: OrganizationRequest, *, now: datetime) -> HttpResponse:
    since = since_of(request.GET.get("since", ""), now=now)
    arrival = arrived_since(actor=request.actor, since=since)
    if arrival.line_count:
        arrived = came_since(arrival=arrival, since=since, now=now)
    else:
        own = intakes_of(actor=request.actor)
        arrived = came_before(intakes=own, since=since, now=now)
    values = {"arrived": arrived, "org": request.actor.organization.slug}
    return render(request, "web/sources/first_arrival.html", values)


def since_of(text: str, *, now: datetime) -> datetime:
    """Return the instant from the address; nonsense counts as now."""
    return instant(text) or now
