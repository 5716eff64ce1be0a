"""The search: its page, the list under its box, and a found line among its neighbours."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from apps.search.search import SHOWN, SUGGESTED, search
from apps.telemetry.facade.search import line_with_neighbours
from apps.tenancy.middleware import OrganizationRequest
from apps.web.find.compose import compose
from apps.web.shell.render import show

LIST = "find-list"  # the element that a page fills while somebody types


@require_GET
def find(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show what a text finds; of a page that asks while somebody types, only the list.

    While somebody types log lines are left out: to look through them takes longest.
    """
    now = timezone.now()
    typed = request.GET.get("q", "")
    is_typing = request.headers.get("HX-Target") == LIST
    result = search(
        actor=request.actor,
        typed=typed,
        limit=SUGGESTED if is_typing else SHOWN,
        with_lines=not is_typing,
    )
    page = compose(result=result, typed=typed, org=org, now=now)
    if is_typing:
        return render(request, "web/find/list.html", {"page": page})
    return show(request, "web/find/page.html", section="find", now=now, page=page)


@require_GET
def found_line(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show a line of the organization's own logs with its neighbours; 404 for any other."""
    number, lines = line_with_neighbours(actor=request.actor, reference=request.GET.get("at", ""))
    return show(
        request,
        "web/find/line.html",
        section="find",
        now=timezone.now(),
        number=number,
        lines=lines,
    )
