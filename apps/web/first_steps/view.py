"""Sample data: made for a person in one click, taken away in one."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from apps.telemetry.sample_data.sample_organization import (
    MADE,
    SampleThere,
    TooManySamples,
    begin_sample,
    remove_sample,
    sample_of,
)
from apps.tenancy.access import NotFound
from apps.tenancy.audit.audit_log import record_act
from apps.tenancy.middleware import OrganizationRequest


@require_POST
def sample(request: OrganizationRequest, org: str) -> HttpResponse:
    """Make the person's sample and show how it is read, or take it away."""
    act = request.POST.get("act", "")
    if act == "remove":
        return _remove(request)
    if act != "begin":
        raise NotFound
    now = timezone.now()
    try:
        made, batch = begin_sample(actor=request.actor, now=now)
    except SampleThere:
        found = sample_of(user=request.actor.user)
        return redirect("web:home", found.slug if found else org)
    except TooManySamples:
        messages.error(request, _("Sample data was made often enough here today."))
        return redirect("web:home", org)
    record_act(actor=request.actor, action=MADE, subject=made.slug, request=request, now=now)
    return redirect("web:upload_progress", made.slug, batch)


def _remove(request: OrganizationRequest) -> HttpResponse:
    # What only its person sees, its person takes away: no right in an organization is needed.
    if not remove_sample(user=request.actor.user):
        raise NotFound
    messages.info(request, _("The sample data is removed."))
    return redirect("web:start")
