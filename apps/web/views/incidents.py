"""The list of incidents, filtered by the address."""

from collections.abc import Collection, Sequence

from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from apps.incidents.projection.access import access_incident, access_incidents
from apps.incidents.correlation.stop_folding import lines_of
from apps.incidents.models import Incident
from apps.incidents.projection.incident_view import read_headers
from apps.tenancy.middleware import OrganizationRequest
from apps.web import words
from apps.web.compose.rows import incident_rows
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
    line = _line(request)
    found = access_incidents(
        actor=request.actor,
        status=status or None,
        layer=layer or None,
        until=before(request),
        is_folded=not line,
    )
    rows = list((found.filter(pk__in=line) if line else found)[: PAGE_SIZE + 1])
    headers = read_headers(actor=request.actor, incidents=rows[:PAGE_SIZE])
    page = IncidentsPage(
        rows=tuple(incident_rows(headers=headers, now=now, is_folded=not line)),
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
        next_query=_next(
            rows, status=status, layer=layer, line=request.GET.get("line", "") if line else ""
        ),
        is_filtered=bool(status or layer or line),
    )
    return show(request, "web/incidents.html", section="incidents", now=now, page=page)


def _line(request: OrganizationRequest) -> Collection[int]:
    """Return all that the incident stands for whose line is asked for, none for the list itself."""
    asked = request.GET.get("line", "")
    if not asked:
        return ()
    head = access_incident(actor=request.actor, public_id=asked)
    return lines_of(heads=[head], reader=request.actor.organization)[head.pk]


def _next(rows: Sequence[Incident], *, status: str, layer: str, line: str) -> str:
    if len(rows) <= PAGE_SIZE:
        return ""
    last = rows[PAGE_SIZE - 1]
    within = {"line": line} if line else {}
    at = vars(last)["moment"].isoformat()
    return link(status=status, layer=layer, before=at, **within)
