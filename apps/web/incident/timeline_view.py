"""The timeline of an incident alone: another window, other lanes, without the rest of its page."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET

from apps.tenancy.middleware import OrganizationRequest
from apps.web.incident.query_params import as_asked
from apps.web.incident.read import incident_page


@require_GET
def timeline(request: OrganizationRequest, org: str, public_id: str) -> HttpResponse:
    """Return the timeline that the page of the same address would show."""
    page = incident_page(request=request, public_id=public_id, now=timezone.now(), is_piece=True)
    if page.public_id != public_id:
        there = reverse("web:incident_timeline", args=[org, page.public_id])
        return redirect(as_asked(request, there))
    values = {"page": page, "organization": request.actor.organization}
    return render(request, "web/incident/timeline_card.html", values)
