"""The settings lead to their first tab."""

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET

from apps.tenancy.middleware import OrganizationRequest
from apps.web.settings.tabs import tabs_of


@require_GET
def settings(request: OrganizationRequest, org: str) -> HttpResponse:
    """Lead to the first tab that the reader may see."""
    return redirect(tabs_of(actor=request.actor)[0].url_name, org)
