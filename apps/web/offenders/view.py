"""Repeat offenders of a cluster."""

from datetime import timedelta

from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from apps.reliability.facade.offenders import offenders_of
from apps.tenancy.middleware import OrganizationRequest
from apps.web.display.choices import day_links
from apps.web.offenders.compose import offenders_page
from apps.web.shell.address_filters import known, link
from apps.web.shell.cluster_choice import choose_cluster
from apps.web.shell.render import show

SPANS = ("28", "90", "365")
USUAL = "90"


@require_GET
def offenders(request: OrganizationRequest, org: str, cluster: str) -> HttpResponse:
    """Show which nodes of a cluster fail again, as the organization in the path may know."""
    now = timezone.now()
    days = known(request, "days", SPANS) or USUAL
    found = offenders_of(
        actor=request.actor,
        cluster=cluster,
        since=now - timedelta(days=int(days)),
        until=now,
        now=now,
    )
    page = offenders_page(
        found=found,
        days=days,
        spans=day_links(SPANS, chosen=days, query=lambda each: link(days=each)),
    )
    return show(request, "web/offenders/page.html", section="", now=now, page=page)


@require_GET
def clusters(request: OrganizationRequest, org: str) -> HttpResponse:
    """Lead to the organization's only cluster, or show which there are."""
    return choose_cluster(request, now=timezone.now(), address="web:offenders", title=_("Nodes"))
