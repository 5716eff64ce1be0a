"""Everything that the page of an incident needs, read once through the doors."""

from dataclasses import replace
from datetime import datetime

from django.db.models import Q

from apps.incidents.facade.evidence_requests import incident_requests
from apps.incidents.facade.reads import (
    allowed_acts,
    annotation_histories,
    incident_view_of,
    lines_behind,
    opinions_of,
    past_incidents,
    unread_of,
)
from apps.incidents.facade.shared import one_reading, shared_warnings_before
from apps.incidents.projection.header_values import IncidentFacts, IncidentHeader
from apps.incidents.projection.values import IncidentView
from apps.sharing.facade.bundles import list_bundles
from apps.sharing.ledger.entries import LedgerUnavailable
from apps.sharing.ledger_kinds import LedgerChannel
from apps.telemetry.facade.sources import list_sources
from apps.telemetry.facade.warnings import warnings_before
from apps.tenancy.middleware import OrganizationRequest
from apps.web.annotations.references import links_for
from apps.web.bundles.page import LIVE, bundle_line
from apps.web.charts import evidence_charts
from apps.web.incident import capture_status
from apps.web.incident.circumstances.read import circumstances
from apps.web.incident.compose import compose
from apps.web.incident.contributions import feedback as judging
from apps.web.incident.contributions.annotations import Written
from apps.web.incident.contributions.past_incidents import past_card
from apps.web.incident.evidence_requests.card import requests_card
from apps.web.incident.evidence_requests.page import RequestsCard
from apps.web.incident.hypotheses.why_not import askable_causes
from apps.web.incident.page import IncidentPage
from apps.web.incident.query_params import SPAN_NAMES, PageReader, PageRequest
from apps.web.incident.timeline.window import chosen_span
from apps.web.live.page_mark import mark_of, seen_mark
from apps.web.shell.address_filters import known
from apps.web.shell.render import zone_of
from apps.web.warnings.page import WarningRow
from apps.web.warnings.rows import shared_warning_row, warning_row

GROUPS = ("layer", "party", "list")


def wish_of(request: OrganizationRequest) -> PageRequest:
    """Return what the address asks for; what it can't mean is told, and counts as not said."""
    span = request.GET.get("span", "")
    return PageRequest(
        group=known(request, "group", GROUPS) or "layer",
        span=span
        if chosen_span(span)
        else known(request, "span", [name for name, _ in SPAN_NAMES]),
        shows_all=request.GET.get("all") == "1",
        why=known(request, "why", [slug for slug, _ in askable_causes()])
        if request.GET.get("why")
        else "",
    )


def has_seen(
    *, request: OrganizationRequest, incident: IncidentFacts, seen: str, now: datetime
) -> bool:
    """Say whether a page that shows what `seen` stands for shows everything there is."""
    standings = evidence_charts.standings_of(actor=request.actor, incident=incident)
    captures = capture_status.mark(standings=standings)
    return seen == seen_mark(actor=request.actor, incident=incident, captures=captures, now=now)


def incident_page(
    *, request: OrganizationRequest, public_id: str, now: datetime, is_piece: bool = False
) -> IncidentPage:
    """Return an incident as the page shows it to the actor's organization.

    A piece is its story and its annotations, without what is read for the rest of the page. While
    looks can't be written down it holds nothing that others show, and says so.
    """
    with one_reading():
        try:
            return _page(
                request=request,
                public_id=public_id,
                now=now,
                is_piece=is_piece,
                channel=LedgerChannel.PAGE,
            )
        except LedgerUnavailable:
            page = _page(
                request=request, public_id=public_id, now=now, is_piece=is_piece, channel=None
            )
            return replace(page, is_unrecorded=True)


def _page(
    *,
    request: OrganizationRequest,
    public_id: str,
    now: datetime,
    is_piece: bool,
    channel: LedgerChannel | None,
) -> IncidentPage:
    actor = request.actor
    view = incident_view_of(actor=actor, public_id=public_id, channel=channel)
    incident = view.header.incident
    allowed = allowed_acts(actor=actor, incident=incident)
    page = compose(
        view=view,
        written=_written(request=request, view=view),
        charts=()
        if is_piece
        else evidence_charts.charts_of(
            actor=actor,
            incident=incident,
            culprits=view.header.culprits or (),
            timeline=view.timeline,
            is_shared_with=view.is_shared_with,
        ),
        log_lines={} if is_piece else lines_behind(actor=actor, hypotheses=view.hypotheses),
        wish=wish_of(request),
        reader=PageReader(
            can_write=allowed.may_act,
            may_resolve=allowed.may_resolve,
            now=now,
            zone=zone_of(request),
            has_own_metrics=list_sources(actor=actor)
            .filter(Q(cluster=incident.cluster_id))
            .exists(),
        ),
        around=circumstances(
            actor=actor, header=view.header, span=request.GET.get("span", ""), now=now
        ),
    )
    if is_piece:
        return page
    page = replace(
        page, requests=_requests(request=request, view=view, page=page, now=now, channel=channel)
    )
    standings = evidence_charts.standings_of(actor=actor, incident=incident)
    told = capture_status.told(standings=standings, now=now)
    is_awaited = bool(told) and not page.charts
    bundles = list_bundles(actor=actor, now=now, incident=incident.public_id)
    seen = mark_of(
        header=view.header,
        shown=view.shown_by,
        bundles=bundles,
        captures=capture_status.mark(standings=standings),
        now=now,
    )
    page = replace(
        page,
        seen=seen,
        captures=told,
        # What is still awaited is not what nobody holds.
        charts_empty="" if is_awaited else page.charts_empty,
    )
    return replace(
        page,
        bundles=tuple(bundle_line(each) for each in bundles if each.state in LIVE),
        may_bundle=page.can_write and incident.cluster_id is not None,
        past=past_card(
            past=past_incidents(actor=actor, header=view.header),
            header=view.header,
            now=now,
        ),
        warned=_warned(
            request=request, header=view.header, is_shared_with=view.is_shared_with, now=now
        ),
        feedback=judging.card(
            view=view,
            opinions=opinions_of(actor=actor, incident=incident),
            now=now,
            zone=zone_of(request),
        ),
    )


def _requests(
    *,
    request: OrganizationRequest,
    view: IncidentView,
    page: IncidentPage,
    now: datetime,
    channel: LedgerChannel | None,
) -> RequestsCard:
    """Return what is asked for around the incident, and what can be."""
    found = incident_requests(
        actor=request.actor, incident=view.header.incident, now=now, channel=channel
    )
    return requests_card(
        view=view,
        requests=found,
        zone=zone_of(request),
        now=now,
        chosen={name: request.GET.get(name, "") for name in ("ask_of", "ask_for")},
        may_ask=page.can_write and view.header.incident.cluster_id is not None,
    )


def _warned(
    *, request: OrganizationRequest, header: IncidentHeader, is_shared_with: bool, now: datetime
) -> tuple[WarningRow, ...]:
    """Return what metrics told of the blamed parts before it broke: the reader's, then what others
    show of theirs.
    """
    incident = header.incident
    if incident.started_at is None or incident.cluster_id is None:
        return ()
    found = warnings_before(
        actor=request.actor,
        cluster_id=incident.cluster_id,
        parts=header.culprits or (),
        failed_at=incident.started_at,
    )
    own = [warning_row(episode=each, headers=[header], now=now) for each in found]
    if not is_shared_with:
        return tuple(own)
    shown = shared_warnings_before(
        actor=request.actor,
        incident=incident,
        parts=header.culprits or (),
        failed_at=incident.started_at,
    )
    return (*own, *(shared_warning_row(shown=each, headers=[header], now=now) for each in shown))


def _written(*, request: OrganizationRequest, view: IncidentView) -> Written:
    """Return what the reader needs to know of the annotations, read once for all of them."""
    actor, incident = request.actor, view.header.incident
    is_edited = any(row.version > 1 for row in view.annotations)
    return Written(
        histories=annotation_histories(incident=incident) if is_edited else {},
        unread=unread_of(actor=actor, incident=incident) if view.annotations else frozenset(),
        links=links_for(
            actor=actor,
            texts=[row.text for row in view.annotations],
            session_ids=[each.session.id for each in view.header.attempts],
        ),
    )
