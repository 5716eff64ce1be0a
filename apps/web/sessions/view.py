"""The list of sessions."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from apps.fleet.access import is_vendor_alone
from apps.fleet.facade.sessions import attempts_of, sessions_by_start
from apps.fleet.values import SessionView
from apps.tenancy.middleware import OrganizationRequest
from apps.web.live import page_topics
from apps.web.sessions.latest_incidents import latest_headers
from apps.web.sessions.page import SessionsPage
from apps.web.sessions.rows import session_row
from apps.web.shell.address_filters import page_of
from apps.web.shell.render import show

PAGE_SIZE = 30


@require_GET
def sessions(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show the sessions that the organization in the path may see, newest first."""
    now = timezone.now()
    found: Any = sessions_by_start(actor=request.actor)  # to its types a list knows its length
    pages: Paginator[SessionView] = Paginator(found, PAGE_SIZE)
    part = page_of(request, pages=pages)
    rows = list(part.object_list)
    attempts = attempts_of(actor=request.actor, sessions=rows)
    latest = latest_headers(request, sessions=rows)
    page = SessionsPage(
        rows=tuple(
            session_row(session=each, attempts=attempts[each.id], headers=latest, now=now)
            for each in rows
        ),
        next_query=f"?page={part.next_page_number()}" if part.has_next() else "",
        is_hidden=not rows and is_vendor_alone(actor=request.actor),
    )
    return show(
        request,
        "web/sessions/page.html",
        section="sessions",
        now=now,
        page=page,
        live=page_topics.SESSIONS,
    )
