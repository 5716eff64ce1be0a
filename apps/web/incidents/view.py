"""The list of incidents, narrowed by the address."""

from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from apps.incidents.facade.in_hand import InHand, incidents_in_hand
from apps.incidents.facade.reads import list_incidents
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.projection.incident_filter import IncidentFilter
from apps.search.models import ListName
from apps.tenancy.middleware import OrganizationRequest
from apps.tenancy.values import ListPart
from apps.web.display.export_links import export_links
from apps.web.incidents.asked import COLUMNS, USUAL, fields_for, segments
from apps.web.incidents.page import IncidentsPage
from apps.web.incidents.rows import incident_rows
from apps.web.lists.compose import controls_of
from apps.web.lists.fields import ListAsk, read_ask
from apps.web.lists.opened_view import kept_views, to_default
from apps.web.lists.paging import read_part
from apps.web.live import page_topics
from apps.web.shell.address_filters import before
from apps.web.shell.render import show

PAGE_SIZE = 30
LIST = ListName.INCIDENTS


@require_GET
def incidents(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show the incidents the organization in the path is a party of, newest first."""
    if way := to_default(request, LIST):
        return way
    now = timezone.now()
    ask = read_ask(request, fields=fields_for(actor=request.actor), columns=[*COLUMNS])
    in_hand = incidents_in_hand(actor=request.actor, now=now) if ask["with"] else None
    line = request.GET.get("line", "")
    is_folded = not line and not _is_of_each(ask)
    part, next_query = _part(request, ask, in_hand, line=line, is_folded=is_folded)
    rows = incident_rows(actor=request.actor, headers=part.values, now=now, is_folded=is_folded)
    kept = kept_views(request, LIST)
    page = IncidentsPage(
        rows=tuple(rows),
        **segments(ask),
        controls=controls_of(
            list_name=LIST,
            ask=ask,
            columns=COLUMNS,
            usual=USUAL,
            views=kept.views,
            view=kept.opened,
        ),
        next_query=f"{next_query}&line={line}" if next_query and line else next_query,
        is_filtered=bool(ask.is_filtered or line),
        is_cut=in_hand is not None and in_hand.is_cut,
    )
    exports = export_links(organization=org)
    template = "web/incidents/page.html"
    return show(
        request,
        template,
        section="incidents",
        live=page_topics.INCIDENTS,
        now=now,
        page=page,
        exports=exports,
    )


def _part(
    request: OrganizationRequest,
    ask: ListAsk,
    in_hand: InHand | None,
    *,
    line: str,
    is_folded: bool,
) -> tuple[ListPart[IncidentHeader], str]:
    ends = [each for each in (ask.day("until", is_end=True), before(request)) if each]
    rows = list_incidents(
        actor=request.actor,
        status=ask["status"] or None,
        layer=ask["layer"] or None,
        since=ask.day("since"),
        until=min(ends, default=None),
        is_folded=is_folded,
        line=line or None,
        wanted=IncidentFilter(
            **{name: ask[name] for name in ("cause", "host", "session", "party", "cluster")},
            ids=in_hand.ids if in_hand else None,
        ),
    )
    return read_part(request, rows, ask=ask, columns=COLUMNS, usual=USUAL, size=PAGE_SIZE)


def _is_of_each(ask: ListAsk) -> bool:
    """Say whether each incident counts: of those that say the same, another may be asked for."""
    return bool(ask["session"] or ask["host"] or ask["party"] or ask["with"])
