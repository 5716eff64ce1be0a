"""An incident as one party reads it, as its page shows it."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.diagnosis.model import statement_of
from apps.incidents.projection.header_values import IncidentHeader, PartyView
from apps.incidents.projection.values import FailingDiagnosis, IncidentView
from apps.incidents.words import restart, session_name, title_of
from apps.telemetry.logs.raw_lines import CitedLine
from apps.web import words
from apps.web.charts.chart import Chart
from apps.web.display.instants import clock_length, in_full, instant
from apps.web.display.organizations import PartyLabel
from apps.web.incident.actions import action_rows
from apps.web.incident.charts_empty import charts_empty
from apps.web.incident.circumstances.read import Circumstances
from apps.web.incident.contributions.annotations import Written, mark_of, note_rows
from apps.web.incident.contributions.shared_sessions import shared_session_rows
from apps.web.incident.coordination.card import card_of
from apps.web.incident.coordination.standing import standing_of
from apps.web.incident.hypotheses import board
from apps.web.incident.hypotheses.cause_options import askable_options
from apps.web.incident.hypotheses.noticed_codes import noticed_rows
from apps.web.incident.hypotheses.party_shares import party_shares
from apps.web.incident.hypotheses.why_not import why_not
from apps.web.incident.page import IncidentPage
from apps.web.incident.query_params import PageReader, PageRequest
from apps.web.incident.timeline.event_order import draw_order
from apps.web.incident.timeline_card import timeline_card
from apps.web.incident.verdict import lead_of, verdict_strip
from apps.wording import said

NOTHING_AROUND = Circumstances()
SETTLE = timedelta(minutes=5, seconds=30)


def compose(  # noqa: PLR0913  everything that the page is made of
    *,
    view: IncidentView,
    written: Written,
    charts: tuple[Chart, ...],
    log_lines: Mapping[str, CitedLine],
    wish: PageRequest,
    reader: PageReader,
    around: Circumstances = NOTHING_AROUND,
) -> IncidentPage:
    """Return everything that the page of an incident shows; `around` is what stood beside it."""
    header, incident = view.header, view.header.incident
    cards, ruled_out = board.board(
        hypotheses=view.hypotheses, header=header, lines=log_lines, asked=wish.why
    )
    asked = why_not(wish.why, hypotheses=view.hypotheses, header=header)
    notes = note_rows(view=view, written=written, reader=reader)
    timeline, entries = timeline_card(
        view=view, notes=notes, wish=wish, zone=reader.zone, around=around
    )
    is_open = incident.status == "open"
    acting = [party for party in header.parties if party.acts]
    audience = tuple(
        _party(party=p, zone=reader.zone)
        for p in header.parties
        if not p.is_reader and p.organization.id in view.present
    )
    return IncidentPage(
        public_id=incident.public_id,
        title=title_of(header),
        lead=lead_of(view),
        restart=restart(header),
        status=incident.status,
        status_note=_status_note(header),
        failing=_failing(view.failing),
        is_open=is_open,
        is_settled=not header.is_collecting,
        is_unknown=incident.verdict_status == "unknown",
        settles_at=instant(incident.detected_at + SETTLE, zone=reader.zone, now=reader.now)
        if header.is_collecting
        else None,
        revision=incident.revision,
        session_name=session_name(header),
        session_id=header.attempts[0].session.public_id if header.attempts else "",
        cluster=incident.cluster.name if incident.cluster else "",
        broke_at=instant(incident.started_at, zone=reader.zone, now=reader.now)
        if incident.started_at
        else None,
        ball=words.joined([party.organization.name for party in acting]) if is_open else "",
        ball_since=replace(
            instant(header.coordination.held_since, zone=reader.zone),
            text=clock_length(reader.now - header.coordination.held_since),
        )
        if is_open and acting
        else None,
        parties=tuple(_party(party=party, zone=reader.zone) for party in header.parties),
        verdict=verdict_strip(header),
        timeline=timeline,
        order=draw_order(
            entries=entries,
            failed_at=incident.started_at,
            is_partial=any(each.held for each in view.hypotheses),
        ),
        hypotheses=cards,
        ruled_out=ruled_out,
        noticed=noticed_rows(view.timeline) if incident.verdict_status == "unknown" else (),
        why_not=asked,
        askable=askable_options(asked.slug if asked else ""),
        wish=wish,
        shares=party_shares(hypotheses=view.hypotheses, header=header),
        charts=charts,
        charts_note=_("the blamed part against its peers (band: P5 to P95), in UTC")
        if charts
        else "",
        charts_empty=charts_empty(header, has_own_metrics=reader.has_own_metrics),
        actions=action_rows(view=view, can_write=reader.can_write),
        notes=notes,
        notes_mark=mark_of(view.annotations),
        audience=audience,
        can_write=reader.can_write,
        took_note=any(party.is_reader and party.acknowledged_at for party in header.parties),
        can_resolve=reader.may_resolve and is_open,
        work=card_of(view=view, audience=audience, reader=reader),
        standing=standing_of(header=header, reader=reader),
        can_act_first=any(party.is_reader for party in acting),
        changed_before=around.changed_before,
        sessions=shared_session_rows(sessions=view.sessions, reader=reader),
    )


def _failing(failing: FailingDiagnosis | None) -> str:
    """Say that its diagnosis fails, how often it did and since when."""
    if failing is None:
        return ""
    at = f"{in_full(failing.since)} UTC"
    if failing.try_count is None:
        return _("The diagnosis has been failing since %(at)s.") % {"at": at}
    return ngettext(
        "The diagnosis failed %(n)s time, since %(at)s.",
        "The diagnosis failed %(n)s times, since %(at)s.",
        failing.try_count,
    ) % {"n": failing.try_count, "at": at}


def _status_note(header: IncidentHeader) -> str:
    incident = header.incident
    if header.left_at:
        at = f"{in_full(header.left_at)} UTC"
        return _("as it stood when you left the cluster, %(at)s") % {"at": at}
    if incident.status == "withdrawn":
        return _withdrawn(incident.withdrawal)
    if incident.status == "resolved":
        return _("resolved")
    noted = next((p.acknowledged_at for p in header.parties if p.is_reader), None)
    if noted:
        return _("open, you acknowledged it at %(at)s") % {"at": f"{noted.astimezone(UTC):%H:%M}"}
    return _("open, still collecting") if header.is_collecting else _("open")


def _withdrawn(withdrawal: Mapping[str, Any] | None) -> str:
    if withdrawal is None:
        return _("withdrawn")
    return _("withdrawn: %(because)s") % {"because": said(statement_of(withdrawal))}


def _party(*, party: PartyView, zone: ZoneInfo | None) -> PartyLabel:
    noted = party.acknowledged_at
    return PartyLabel(
        slug=party.organization.slug,
        name=party.organization.name,
        mark=party.organization.mark,
        part=words.parts(party.parts),
        is_reader=party.is_reader,
        acts=party.acts,
        took_note=_("acknowledged at %(at)s") % {"at": instant(noted, zone=zone).text}
        if noted
        else "",
    )
