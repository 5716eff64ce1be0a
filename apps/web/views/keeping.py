"""What the organization keeps, for how long, what goes next and what went."""

from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from apps.telemetry.retention.report import report_of
from apps.telemetry.room import OverQuota, require_disk, require_quota
from apps.tenancy.access import Actor
from apps.tenancy.middleware import OrganizationRequest
from apps.web.compose.keeping import keeping_page
from apps.web.shell import zone_of
from apps.web.tabs import show_tab


@require_GET
def keeping(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show what is kept of each class and what was deleted by which rule."""
    now = timezone.now()
    page = keeping_page(
        report=report_of(actor=request.actor, now=now),
        refused=_refused(request.actor),
        zone=zone_of(request),
        now=now,
    )
    return show_tab(request, "web/settings/keeping.html", tab="keeping", now=now, page=page)


def _refused(actor: Actor) -> str:
    """Return why what is sent is refused now, if it is."""
    try:
        require_disk()
        require_quota(organization_id=actor.organization.pk)
    except OverQuota as full:
        return str(full)
    return ""
