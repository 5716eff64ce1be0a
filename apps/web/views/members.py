"""The settings and their first tab: who belongs to the organization."""

from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_GET

from apps.tenancy.members import access_members
from apps.tenancy.middleware import OrganizationRequest
from apps.web.compose.members import members_page
from apps.web.tabs import show_tab, tabs_of


@require_GET
def settings(request: OrganizationRequest, org: str) -> HttpResponse:
    """Lead to the first tab that the reader may see."""
    return redirect(tabs_of(actor=request.actor)[0].url_name, org)


@require_GET
def members(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show who belongs to the organization in the path."""
    now = timezone.now()
    page = members_page(members=access_members(actor=request.actor), reader=request.user, now=now)
    return show_tab(request, "web/settings/members.html", tab="members", now=now, page=page)
