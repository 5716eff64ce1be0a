"""The list of sessions, narrowed by the address."""

from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from apps.fleet.access import is_vendor_alone
from apps.fleet.facade.sessions import attempts_of, sessions_by_start
from apps.fleet.sessions.session_filter import SessionFilter
from apps.fleet.values import SessionView
from apps.incidents.facade.reads import hit_sessions
from apps.search.models import ListName
from apps.tenancy.middleware import OrganizationRequest
from apps.tenancy.values import ListPart
from apps.web.lists.compose import controls_of
from apps.web.lists.fields import ListAsk, read_ask
from apps.web.lists.opened_view import kept_views, to_default
from apps.web.lists.paging import read_part
from apps.web.live import page_topics
from apps.web.sessions.asked import COLUMNS, USUAL, fields_for, layers
from apps.web.sessions.latest_incidents import latest_headers
from apps.web.sessions.page import SessionsPage
from apps.web.sessions.rows import session_row
from apps.web.shell.render import show

PAGE_SIZE = 30
LIST = ListName.SESSIONS


@require_GET
def sessions(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show the sessions that the organization in the path may see, newest first."""
    if way := to_default(request, LIST):
        return way
    now = timezone.now()
    ask = read_ask(request, fields=fields_for(actor=request.actor), columns=[*COLUMNS])
    part, next_query = _part(request, ask)
    attempts = attempts_of(actor=request.actor, sessions=part.values)
    latest = latest_headers(request, sessions=part.values)
    kept = kept_views(request, LIST)
    page = SessionsPage(
        rows=tuple(
            session_row(session=each, attempts=attempts[each.id], headers=latest, now=now)
            for each in part.values
        ),
        layers=layers(ask),
        controls=controls_of(
            list_name=LIST,
            ask=ask,
            columns=COLUMNS,
            usual=USUAL,
            views=kept.views,
            view=kept.opened,
        ),
        next_query=next_query,
        is_hidden=not part.values and is_vendor_alone(actor=request.actor),
    )
    return show(
        request,
        "web/sessions/page.html",
        section="sessions",
        now=now,
        page=page,
        live=page_topics.SESSIONS,
    )


def _part(request: OrganizationRequest, ask: ListAsk) -> tuple[ListPart[SessionView], str]:
    hit = None
    if ask["layer"] or ask["cause"]:
        hit = hit_sessions(actor=request.actor, layer=ask["layer"], cause=ask["cause"])
    wanted = SessionFilter(
        name=ask["name"],
        state=ask["state"],
        host=ask["host"],
        tenant=ask["party"],
        cluster=ask["cluster"],
        since=ask.day("since"),
        until=ask.day("until", is_end=True),
        ids=hit,
    )
    rows = sessions_by_start(actor=request.actor, wanted=wanted)
    return read_part(request, rows, ask=ask, columns=COLUMNS, usual=USUAL, size=PAGE_SIZE)
