"""The list of incidents, filtered by the address."""

from collections.abc import Sequence

from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from apps.incidents.access import access_incidents
from apps.incidents.models import Incident
from apps.incidents.reading import read_headers
from apps.tenancy.middleware import OrganizationRequest
from apps.web import words
from apps.web.compose.rows import incident_row
from apps.web.filters import before, known, link
from apps.web.pages import Choice, IncidentsPage
from apps.web.shell import show

PAGE_SIZE = 30
STATES = ("", "open", "resolved", "withdrawn")


@require_GET
def incidents(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show the incidents the organization in the path is a party of, newest first."""
    now = timezone.now()
    status, layer = known(request, "status", STATES), known(request, "layer", words.LAYERS)
    found = access_incidents(
        actor=request.actor,
        status=status or None,
        layer=layer or None,
        until=before(request),
    )
    rows = list(found[: PAGE_SIZE + 1])
    headers = read_headers(actor=request.actor, incidents=rows[:PAGE_SIZE])
    page = IncidentsPage(
        rows=tuple(incident_row(header=header, now=now) for header in headers),
        states=tuple(
            Choice(
                text=_(words.sentence_case(state)) if state else _("All"),
                query=link(status=state, layer=layer),
                is_on=state == status,
            )
            for state in STATES
        ),
        layers=tuple(
            Choice(
                text=words.layer(each) if each else _("Any layer"),
                query=link(status=status, layer=each),
                is_on=each == layer,
            )
            for each in ("", *words.LAYERS)
        ),
        next_query=_next(rows, status=status, layer=layer),
        is_filtered=bool(status or layer),
    )
    return show(request, "web/incidents.html", section="incidents", now=now, page=page)


def _next(rows: Sequence[Incident], *, status: str, layer: str) -> str:
    if len(rows) <= PAGE_SIZE:
        return ""
    last = rows[PAGE_SIZE - 1]
    return link(status=status, layer=layer, before=vars(last)["moment"].isoformat())
