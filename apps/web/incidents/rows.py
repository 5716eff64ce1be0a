"""Incidents as lines of a list."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from apps.incidents.facade.notes import unread_counts
from apps.incidents.facade.reads import line_lengths
from apps.incidents.projection.header_values import IncidentFacts, IncidentHeader
from apps.incidents.states import IncidentKind
from apps.incidents.words import restart, title_of
from apps.incidents.words.waiting import Waits, waiting_of
from apps.tenancy.access import Actor
from apps.web import words
from apps.web.display.coverage import coverage_strip
from apps.web.display.instants import clock_length, day_text
from apps.web.display.layers import layer_mark
from apps.web.display.probability import probability
from apps.web.incidents.page import IncidentRow

NOTICED_LATE = timedelta(minutes=10)


def incident_rows(
    *, actor: Actor, headers: Sequence[IncidentHeader], now: datetime, is_folded: bool
) -> list[IncidentRow]:
    """Return incidents as lines; folded, each with how many it stands for."""
    unread = unread_counts(actor=actor, incident_ids=[header.id for header in headers])
    rows = [
        replace(incident_row(header=header, now=now), unread_count=unread.get(header.id, 0))
        for header in headers
    ]
    if not headers or not is_folded:
        return rows
    lengths = line_lengths(actor=actor, headers=headers)
    return [
        _repeated(row, header, lengths[header.id])
        for row, header in zip(rows, headers, strict=True)
    ]


def _repeated(row: IncidentRow, header: IncidentHeader, count: int) -> IncidentRow:
    if count == 1:
        return row
    if not header.incident.is_further:
        return replace(row, repeats=_("%(n)s times in a row") % {"n": count})
    told = {"n": count, "name": _owner(header)}
    title = _("%(n)s further stops of %(name)s within the hour") % told
    return replace(row, title=title, repeats=_("show all %(n)s") % {"n": count})


def _owner(header: IncidentHeader) -> str:
    named = {party.organization.id: party.organization.name for party in header.parties}
    return named.get(header.incident.owner_id, "")


def incident_row(*, header: IncidentHeader, now: datetime) -> IncidentRow:
    """Return an incident as one line."""
    incident = header.incident
    acting = [party for party in header.parties if party.acts]
    is_open = incident.status == "open"
    is_mine = is_open and any(party.is_reader for party in acting)
    waiting = waiting_said(header=header, now=now)
    strip = coverage_strip(header.coverage)
    names = words.joined([party.organization.name for party in acting])
    return IncidentRow(
        public_id=incident.public_id,
        title=title_of(header).removeprefix(f"{_('Session')} "),
        when=_when(incident=incident, now=now),
        noticed=_noticed(incident=incident, now=now),
        layer=layer_mark(incident.layer),
        probability=probability(value=incident.probability, status=incident.verdict_status),
        ball=_ball(names, is_alone=is_mine and len(acting) == 1) if is_open else "",
        ball_since=clock_length(now - header.coordination.held_since) if names and is_open else "",
        is_with_reader=is_mine or bool(waiting),
        coverage=f"{strip.present_count} / {strip.count}" if strip.count else _("none"),
        state=waiting or _state(header),
        restart=restart(header),
        started_at=incident.started_at or incident.detected_at,
    )


def _when(*, incident: IncidentFacts, now: datetime) -> str:
    if incident.started_at is None:
        at = day_text(incident.detected_at, now=now)
        return _("noticed %(at)s, when it began is not known") % {"at": at}
    text = _("broke %(at)s") if incident.kind == IncidentKind.STOP else _("began %(at)s")
    return text % {"at": day_text(incident.started_at, now=now)}


def _noticed(*, incident: IncidentFacts, now: datetime) -> str:
    broke = incident.started_at
    if broke is None or incident.detected_at - broke < NOTICED_LATE:
        return ""
    return _("noticed %(at)s") % {"at": day_text(incident.detected_at, now=now)}


def _ball(names: str, *, is_alone: bool) -> str:
    return _("%(names)s, you") % {"names": names} if is_alone else names


def waiting_said(*, header: IncidentHeader, now: datetime) -> str:
    """Return what others ask of the reader and wait for, in words."""
    kinds = {each.kind for each in waiting_of(header, now=now)}
    asked = (
        (Waits.HAND_OVER, _("hand-over for you")),
        (Waits.INFORMATION, _("information asked of you")),
        (Waits.RESOLUTION, _("proposal to resolve")),
    )
    return next((said for kind, said in asked if kind in kinds), "")


def _state(header: IncidentHeader) -> str:
    incident = header.incident
    if incident.status != "open":
        return words.said(words.STATUSES, incident.status, incident.status)
    if header.is_collecting:
        return _("still collecting")
    noted = any(party.is_reader and party.acknowledged_at for party in header.parties)
    return _("you acknowledged it") if noted else _("open")
