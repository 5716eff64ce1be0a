"""What the organization keeps, for how long, what goes next and what went."""

from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from apps.telemetry.retention.report import report_of
from apps.tenancy.middleware import OrganizationRequest
from apps.tenancy.work.failed_work import access_failed_work
from apps.web.intake_refusal import refusal_of
from apps.web.settings.retention.failed_work import failed_rows
from apps.web.settings.retention.page import retention_page
from apps.web.settings.tabs import show_tab
from apps.web.shell.render import zone_of

SET_ASIDE_SHOWN = 50


@require_GET
def retention(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show what is kept of each class and what was deleted by which rule."""
    now = timezone.now()
    page = retention_page(
        report=report_of(actor=request.actor, now=now),
        refused=refusal_of(actor=request.actor),
        zone=zone_of(request),
        now=now,
    )
    set_aside = access_failed_work(actor=request.actor)[:SET_ASIDE_SHOWN]
    return show_tab(
        request,
        "web/settings/retention/page.html",
        tab="retention",
        now=now,
        page=page,
        set_aside=failed_rows(rows=set_aside, zone=zone_of(request), now=now),
    )
