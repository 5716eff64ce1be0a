"""What the metrics told of early, before or without a stop."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from apps.incidents.facade.reads import list_incidents
from apps.incidents.facade.shared import WarningFilter, list_shared_warnings
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.projection.shared_values import SharedWarning
from apps.search.models import ListName
from apps.sharing.ledger.entries import LedgerUnavailable
from apps.telemetry.facade.warnings import EpisodeFilter, list_episodes
from apps.telemetry.values import EpisodeView
from apps.tenancy.middleware import OrganizationRequest
from apps.web.lists.compose import controls_of
from apps.web.lists.fields import ListAsk, read_ask
from apps.web.lists.opened_view import kept_views, to_default
from apps.web.lists.paging import read_part
from apps.web.live import page_topics
from apps.web.shell.address_filters import before
from apps.web.shell.render import show
from apps.web.warnings.asked import COLUMNS, USUAL, fields_for, segments
from apps.web.warnings.page import WarningRow, WarningsPage
from apps.web.warnings.rows import FOLLOWS_WITHIN, SHOWN_LATER, shared_warning_row, warning_row

PAGE_SIZE = 30
# What may have followed is looked for among this many incidents.
INCIDENTS = 200
LIST = ListName.WARNINGS


@require_GET
def warnings(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show warnings or signals, newest first: of the organization in the path, or what others show
    it of theirs.
    """
    if way := to_default(request, LIST):
        return way
    now = timezone.now()
    ask = read_ask(request, fields=fields_for(actor=request.actor), columns=[*COLUMNS])
    is_of_others = ask["of"] == "others"
    read = _of_others if is_of_others else _own
    rows, next_query = read(request, ask, now=now)
    kept = kept_views(request, LIST)
    page = WarningsPage(
        rows=tuple(rows),
        **segments(ask),
        controls=controls_of(
            list_name=LIST,
            ask=ask,
            columns=COLUMNS if not is_of_others else {},
            usual=USUAL,
            views=kept.views,
            view=kept.opened,
        ),
        next_query=next_query,
        is_filtered=any(ask[each] for each in ask.values if each not in {"kind", "of"}),
        is_signals=ask["kind"] == "signals",
        is_of_others=is_of_others,
    )
    return show(
        request,
        "web/warnings/page.html",
        section="warnings",
        now=now,
        page=page,
        live=page_topics.WARNINGS,
    )


def _own(
    request: OrganizationRequest, ask: ListAsk, *, now: datetime
) -> tuple[list[WarningRow], str]:
    rows = list_episodes(actor=request.actor, **_asked(request, ask), wanted=_episode(request, ask))
    part, next_query = read_part(
        request, rows, ask=ask, columns=COLUMNS, usual=USUAL, size=PAGE_SIZE
    )
    headers = _headers(request, part.values)
    return [warning_row(episode=each, headers=headers, now=now) for each in part.values], next_query


def _of_others(
    request: OrganizationRequest, ask: ListAsk, *, now: datetime
) -> tuple[list[WarningRow], str]:
    """Return what others show, the newest first: it has no other order."""
    wanted = WarningFilter(**_asked(request, ask), episode=_episode(request, ask))
    shown = _shared(request, wanted, now=now)
    headers = _headers(request, [each.episode for each in shown])
    rows = [shared_warning_row(shown=each, headers=headers, now=now) for each in shown[:PAGE_SIZE]]
    if len(shown) <= PAGE_SIZE:
        return rows, ""
    return rows, f"?{ask.query(before=shown[PAGE_SIZE - 1].episode.raised_at.isoformat())}"


def _asked(request: OrganizationRequest, ask: ListAsk) -> dict[str, Any]:
    ends = [each for each in (ask.day("until", is_end=True), before(request)) if each]
    return {
        "is_page": ask["kind"] != "signals",
        "layer": ask["layer"] or None,
        "cluster": ask["cluster"] or None,
        "since": ask.day("since"),
        "until": min(ends, default=None),
    }


def _episode(request: OrganizationRequest, ask: ListAsk) -> EpisodeFilter:
    named = {name: ask[name] for name in ("cause", "host", "state")}
    return EpisodeFilter(**named, public_id=request.GET.get("id", ""))


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
