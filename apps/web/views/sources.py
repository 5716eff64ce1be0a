"""What flows in, how to add to it, and whether the first line has come."""

from datetime import datetime

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from apps.fleet.access import access_clusters
from apps.telemetry.access import access_sources
from apps.telemetry.intake import arrived_since, intakes_of
from apps.tenancy.middleware import OrganizationRequest
from apps.web.compose.sources import is_waiting, pull_row, push_row
from apps.web.pages import Arrived, SourcesPage
from apps.web.shell import show


@require_GET
def sources(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show all sources of the organization in the path; as a fragment, only what is new."""
    now = timezone.now()
    if request.headers.get("HX-Request"):
        return _arrived(request, now=now)
    intakes = intakes_of(actor=request.actor)
    clusters = tuple(cluster.slug for cluster in access_clusters(actor=request.actor))
    cluster = f"&cluster={clusters[0]}" if clusters else ""
    base = settings.PORTAL_BASE_URL
    page = SourcesPage(
        pushes=tuple(push_row(intake=intake, now=now) for intake in intakes),
        pulls=tuple(
            pull_row(source=source, now=now) for source in access_sources(actor=request.actor)
        ),
        waiting=is_waiting(intakes),
        curl=(
            'curl -H "Authorization: Bearer $FAULTLINE_TOKEN" '
            f"--data-binary @train.log '{base}/api/v1/logs?session=my-run{cluster}'"
        ),
        loki=f"{base}/loki/api/v1/push",
        clusters=clusters,
        since=now.isoformat(),
    )
    arrived = Arrived(since=now.isoformat())
    return show(request, "web/sources.html", section="sources", now=now, page=page, arrived=arrived)


def _arrived(request: OrganizationRequest, *, now: datetime) -> HttpResponse:
    since = _since(request.GET.get("since", ""), now=now)
    arrival = arrived_since(actor=request.actor, since=since)
    arrived = Arrived(
        since=since.isoformat(),
        lines=f"{arrival.line_count:,}" if arrival.line_count else "",
        age_seconds=max(int((now - arrival.newest_at).total_seconds()), 0)
        if arrival.newest_at
        else 0,
        batch=arrival.batch,
    )
    values = {"arrived": arrived, "org": request.actor.organization.slug}
    return render(request, "web/parts/arrived.html", values)


def _since(text: str, *, now: datetime) -> datetime:
    """Return the instant from the address; nonsense counts as now."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return now
    return at if at.tzinfo else now
