"""What the metrics told of early, before or without a stop."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.contrib import messages
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from apps.incidents.facade.reads import list_incidents
from apps.incidents.facade.shared import WarningFilter, list_shared_warnings
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.projection.shared_values import SharedWarning
from apps.sharing.ledger.entries import LedgerUnavailable
from apps.telemetry.facade.warnings import list_episodes
from apps.telemetry.values import EpisodeView
from apps.tenancy.middleware import OrganizationRequest
from apps.web import words
from apps.web.display.choices import SegmentLink
from apps.web.live import page_topics
from apps.web.shell.address_filters import before, known, link
from apps.web.shell.render import show
from apps.web.warnings.page import WarningRow, WarningsPage
from apps.web.warnings.rows import FOLLOWS_WITHIN, SHOWN_LATER, shared_warning_row, warning_row

PAGE_SIZE = 30
# What may have followed is looked for among this many incidents.
INCIDENTS = 200
KINDS = ("", "signals")
HOLDERS = ("", "others")


@require_GET
def warnings(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show warnings or signals, newest first: of the organization in the path, or what others show
    it of theirs.
    """
    now = timezone.now()
    asked = {
        "kind": known(request, "kind", KINDS),
        "of": known(request, "of", HOLDERS),
        "layer": known(request, "layer", words.LAYERS),
    }
    rows = _rows(request, asked, now=now)
    page = WarningsPage(
        rows=tuple(row for row, _ in rows[:PAGE_SIZE]),
        kinds=_choices(asked, "kind", KINDS, (_("Warnings"), _("Signals"))),
        holders=_choices(asked, "of", HOLDERS, (_("Ours"), _("Shown by others"))),
        layers=_choices(
            asked,
            "layer",
            ("", *words.LAYERS),
            (_("Any layer"), *(words.layer(each) for each in words.LAYERS)),
        ),
        next_query=link(**asked, before=rows[PAGE_SIZE - 1][1].raised_at.isoformat())
        if len(rows) > PAGE_SIZE
        else "",
        is_filtered=bool(asked["layer"]),
        is_signals=asked["kind"] == "signals",
        is_of_others=asked["of"] == "others",
    )
    return show(
        request,
        "web/warnings/page.html",
        section="warnings",
        now=now,
        page=page,
        live=page_topics.WARNINGS,
    )


def _rows(
    request: OrganizationRequest, asked: Mapping[str, str], *, now: datetime
) -> list[tuple[WarningRow, EpisodeView]]:
    """Return one row more than a page shows, where there are as many."""
    is_page, layer = asked["kind"] != "signals", asked["layer"] or None
    until = before(request)
    if asked["of"] == "others":
        wanted = WarningFilter(is_page=is_page, layer=layer, until=until)
        shown = _shared(request, wanted, now=now)
        headers = _headers(request, [each.episode for each in shown])
        return [
            (shared_warning_row(shown=each, headers=headers, now=now), each.episode)
            for each in shown
        ]
    own = list_episodes(actor=request.actor, is_page=is_page, layer=layer, until=until)
    found = own[: PAGE_SIZE + 1]
    headers = _headers(request, found)
    return [(warning_row(episode=each, headers=headers, now=now), each) for each in found]


def _shared(
    request: OrganizationRequest, wanted: WarningFilter, *, now: datetime
) -> Sequence[SharedWarning]:
    """Return what others show; nothing, and why, while it can't be written down."""
    try:
        return list_shared_warnings(
            actor=request.actor, wanted=wanted, limit=PAGE_SIZE + 1, now=now
        )
    except LedgerUnavailable:
        text = _("What others share is not shown right now: the share ledger can't be written.")
        messages.error(request, text)
        return ()


def _choices(
    asked: Mapping[str, str], name: str, values: Sequence[str], texts: Sequence[str]
) -> tuple[SegmentLink, ...]:
    return tuple(
        SegmentLink(text=text, query=link(**{**asked, name: value}), is_on=value == asked[name])
        for value, text in zip(values, texts, strict=True)
    )


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
