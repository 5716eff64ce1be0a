"""The list of incidents, filtered by the address."""

from collections.abc import Sequence

from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from apps.incidents.facade.reads import list_incidents
from apps.incidents.projection.header_values import IncidentHeader
from apps.tenancy.middleware import OrganizationRequest
from apps.web import words
from apps.web.display.choices import SegmentLink
from apps.web.display.export_links import export_links
from apps.web.incidents.page import IncidentsPage
from apps.web.incidents.rows import incident_rows
from apps.web.live import page_topics
from apps.web.shell.address_filters import before, known, link
from apps.web.shell.render import show

PAGE_SIZE = 30
STATES = ("", "open", "resolved", "withdrawn")


@require_GET
def incidents(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show the incidents the organization in the path is a party of, newest first."""
    now = timezone.now()
    status, layer = known(request, "status", STATES), known(request, "layer", words.LAYERS)
    line = request.GET.get("line", "")
    found = list_incidents(
        actor=request.actor,
        status=status or None,
        layer=layer or None,
        until=before(request),
        is_folded=not line,
        line=line or None,
    )[: PAGE_SIZE + 1]
    page = IncidentsPage(
        rows=tuple(
            incident_rows(
                actor=request.actor, headers=found[:PAGE_SIZE], now=now, is_folded=not line
            )
        ),
        states=tuple(
            SegmentLink(
                text=_(words.sentence_case(state)) if state else _("All"),
                query=link(status=state, layer=layer),
                is_on=state == status,
            )
            for state in STATES
        ),
        layers=tuple(
            SegmentLink(
                text=words.layer(each) if each else _("Any layer"),
                query=link(status=status, layer=each),
                is_on=each == layer,
            )
            for each in ("", *words.LAYERS)
        ),
        next_query=_next(found, status=status, layer=layer, line=line),
        is_filtered=bool(status or layer or line),
    )
    return show(
        request,
        "web/incidents/page.html",
        section="incidents",
        live=page_topics.INCIDENTS,
        now=now,
        page=page,
        exports=export_links(organization=org),
    )


def _next(rows: Sequence[IncidentHeader], *, status: str, layer: str, line: str) -> str:
    if len(rows) <= PAGE_SIZE:
        return ""
    last = rows[PAGE_SIZE - 1]
    within = {"line": line} if line else {}
    at = last.moment.isoformat()
    return link(status=status, layer=layer, before=at, **within)
