"""What the metrics told of early, before or without a stop."""

from collections.abc import Sequence

from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from apps.incidents.facade.reads import list_incidents
from apps.incidents.projection.header_values import IncidentHeader
from apps.telemetry.facade.warnings import list_episodes
from apps.telemetry.values import EpisodeView
from apps.tenancy.middleware import OrganizationRequest
from apps.web import words
from apps.web.display.choices import SegmentLink
from apps.web.shell.address_filters import before, known, link
from apps.web.shell.render import show
from apps.web.warnings.page import WarningsPage
from apps.web.warnings.rows import FOLLOWS_WITHIN, SHOWN_LATER, warning_row

PAGE_SIZE = 30
# What may have followed is looked for among this many incidents.
INCIDENTS = 200
KINDS = ("", "signals")


@require_GET
def warnings(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show the episodes in the sources of the organization in the path, newest first."""
    now = timezone.now()
    kind, layer = known(request, "kind", KINDS), known(request, "layer", words.LAYERS)
    found = list_episodes(
        actor=request.actor,
        is_page=kind != "signals",
        layer=layer or None,
        until=before(request),
    )
    rows = found[: PAGE_SIZE + 1]
    shown = rows[:PAGE_SIZE]
    headers = _headers(request, shown)
    page = WarningsPage(
        rows=tuple(warning_row(episode=each, headers=headers, now=now) for each in shown),
        kinds=tuple(
            SegmentLink(text=text, query=link(kind=value, layer=layer), is_on=value == kind)
            for value, text in zip(KINDS, (_("Warnings"), _("Signals")), strict=True)
        ),
        layers=tuple(
            SegmentLink(
                text=words.layer(each) if each else _("Any layer"),
                query=link(kind=kind, layer=each),
                is_on=each == layer,
            )
            for each in ("", *words.LAYERS)
        ),
        next_query=_next(rows, kind=kind, layer=layer),
        is_filtered=bool(layer),
        is_signals=kind == "signals",
    )
    return show(request, "web/warnings/page.html", section="warnings", now=now, page=page)


def _headers(
    request: OrganizationRequest, shown: Sequence[EpisodeView]
) -> Sequence[IncidentHeader]:
    if not shown:
        return []
    incidents = list_incidents(
        actor=request.actor,
        since=min(each.starts_at for each in shown) - SHOWN_LATER,
        until=max(each.raised_at for each in shown) + FOLLOWS_WITHIN,
    )
    return incidents[:INCIDENTS]


def _next(rows: Sequence[EpisodeView], *, kind: str, layer: str) -> str:
    if len(rows) <= PAGE_SIZE:
        return ""
    last = rows[PAGE_SIZE - 1].raised_at.isoformat()
    return link(kind=kind, layer=layer, before=last)
