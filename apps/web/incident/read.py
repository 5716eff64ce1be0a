"""Everything that the page of an incident needs, read once through the doors."""

from dataclasses import replace
from datetime import datetime
from functools import partial

from django.db.models import Q

from apps.incidents.facade.evidence_requests import incident_requests
from apps.incidents.facade.notes import annotation_histories, unread_of
from apps.incidents.facade.reads import allowed_acts, incident_view_of, opinions_of
from apps.incidents.facade.shared import one_reading
from apps.incidents.projection.values import IncidentView
from apps.sharing.facade.bundles import list_bundles
from apps.sharing.ledger.entries import LedgerUnavailable
from apps.sharing.ledger_kinds import LedgerChannel
from apps.telemetry.facade.sources import list_sources
from apps.tenancy.middleware import OrganizationRequest
from apps.web.annotations.references import links_for
from apps.web.bundles.page import LIVE, bundle_line
from apps.web.charts import evidence_charts
from apps.web.incident import capture_status
from apps.web.incident.circumstances.read import circumstances
from apps.web.incident.compose import compose
from apps.web.incident.contributions import feedback as judging
from apps.web.incident.contributions.annotations import Written
from apps.web.incident.diagnosis_part import diagnosis_mark, diagnosis_part
from apps.web.incident.evidence_requests.card import requests_card
from apps.web.incident.evidence_requests.page import RequestsCard
from apps.web.incident.hypotheses.why_not import askable_causes
from apps.web.incident.page import IncidentPage
from apps.web.incident.query_params import SPAN_NAMES, PageReader, PageRequest
from apps.web.incident.shown_page import ShownPage
from apps.web.incident.timeline.window import chosen_span
from apps.web.live.page_mark import mark_of
from apps.web.shell.address_filters import known
from apps.web.shell.render import zone_of

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


def incident_page(
    *,
    request: OrganizationRequest,
    public_id: str,
    now: datetime,
    is_piece: bool = False,
    shown: ShownPage | None = None,
) -> IncidentPage:
    """Return an incident as the page shows it to the actor's organization.

    A piece is its story and its annotations, without what is read for the rest of the page. While
    looks can't be written down it holds nothing that others show, and says so. Raises NothingNew
    where `shown`, an open page, shows everything there is.
    """
    ask = partial(
        _page, request=request, public_id=public_id, now=now, is_piece=is_piece, shown=shown
    )
    with one_reading():
        try:
            return ask(channel=LedgerChannel.PAGE)
        except LedgerUnavailable:
            return replace(ask(channel=None), is_unrecorded=True)


def _page(
    *,
    request: OrganizationRequest,
    public_id: str,
    now: datetime,
    is_piece: bool,
    shown: ShownPage | None,
    channel: LedgerChannel | None,
) -> IncidentPage:
    actor, zone = request.actor, zone_of(request)
    view = incident_view_of(
        actor=actor,
        public_id=public_id,
        channel=channel,
        look_first=partial(shown.require_news, actor=actor, now=now) if shown else None,
    )
    incident = view.header.incident
    allowed = allowed_acts(actor=actor, incident=incident)
    asked = partial(
        compose,
        view=view,
        written=_written(request=request, view=view),
        wish=wish_of(request),
        around=circumstances(
            actor=actor,
            header=view.header,
            span=request.GET.get("span", ""),
            now=now,
            channel=channel,
        ),
    )
    reader = PageReader(
        can_write=allowed.may_act, may_resolve=allowed.may_resolve, now=now, zone=zone
    )
    if is_piece:
        return asked(charts=(), log_lines={}, reader=reader)
    requests = _requests(
        request=request, view=view, may_act=allowed.may_act, now=now, channel=channel
    )
    standings = evidence_charts.standings_of(actor=actor, incident=incident)
    captures = capture_status.mark(standings=standings)
    diagnosis = diagnosis_mark(view=view, captures=captures, requests=requests, zone=zone)
    is_kept = shown is not None and shown.diagnosis == diagnosis
    part = None if is_kept else diagnosis_part(actor=actor, view=view, now=now)
    if part and not part.charts:
        sources = list_sources(actor=actor).filter(Q(cluster=incident.cluster_id))
        reader = replace(reader, has_own_metrics=sources.exists())
    page = asked(
        charts=part.charts if part else (),
        log_lines=part.log_lines if part else {},
        reader=reader,
    )
    told = capture_status.told(standings=standings, now=now)
    is_awaited = bool(told) and not page.charts
    bundles = list_bundles(actor=actor, now=now, incident=incident.public_id)
    return replace(
        page,
        requests=requests,
        seen=mark_of(
            header=view.header, shown=view.shown_by, bundles=bundles, captures=captures, now=now
        ),
        diagnosis=diagnosis,
        is_diagnosis_kept=is_kept,
        captures=told,
        # What is still awaited is not what nobody holds.
        charts_empty="" if is_awaited else page.charts_empty,
        bundles=tuple(bundle_line(each) for each in bundles if each.state in LIVE),
        may_bundle=page.can_write and incident.cluster_id is not None,
        past=part.past if part else None,
        warned=part.warned if part else (),
        feedback=judging.card(
            view=view,
            opinions=opinions_of(actor=actor, incident=incident),
            now=now,
            zone=zone,
        ),
    )


def _requests(
    *,
    request: OrganizationRequest,
    view: IncidentView,
    may_act: bool,
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
        may_ask=may_act and view.header.incident.cluster_id is not None,
    )


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
