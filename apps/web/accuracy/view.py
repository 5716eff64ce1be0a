"""How right all verdicts were."""

from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from apps.incidents.facade.reads import count_incidents, judged_incidents
from apps.tenancy.middleware import OrganizationRequest
from apps.web.accuracy.compose import accuracy_page
from apps.web.shell.render import show


@require_GET
def accuracy(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show how right the verdicts were that touch the organization, by what the parties said."""
    now = timezone.now()
    actor = request.actor
    page = accuracy_page(
        judged=judged_incidents(actor=actor),
        incident_count=count_incidents(actor=actor, with_simulated=actor.organization.is_simulated),
    )
    return show(request, "web/accuracy/page.html", section="incidents", now=now, page=page)
