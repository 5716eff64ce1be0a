"""Requiring a second factor of the members, or no longer."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from apps.tenancy.audit.audit_log import record_act
from apps.tenancy.middleware import OrganizationRequest
from apps.tenancy.people.required_factor import OwnFactorMissing, require_second_factor


@require_POST
def change(request: OrganizationRequest, org: str) -> HttpResponse:
    """Require a second factor of members, or no longer."""
    is_required = request.POST.get("required") == "1"
    try:
        is_new = require_second_factor(actor=request.actor, is_required=is_required)
    except OwnFactorMissing:
        messages.error(request, _("Set up your own second factor first: you would be locked out."))
        return redirect("web:members", org)
    if is_new:
        action = "second_factor.required" if is_required else "second_factor.not_required"
        record_act(actor=request.actor, action=action, request=request, now=timezone.now())
        messages.info(request, _("Changed, from the next click of each member on."))
    return redirect("web:members", org)
