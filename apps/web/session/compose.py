"""A session: its retry chain, and the logs one holds of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from apps.fleet.facade.lifecycles import AttemptHistory
from apps.fleet.hosts.host_names import short
from apps.fleet.values import AttemptView, SessionView
from apps.incidents.facade.nodes import blamed_hosts
from apps.incidents.facade.recovery import RecoveryView
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.words import shown_name, summary_of
from apps.reliability.facade.session_history import SessionHistory
from apps.telemetry.values import StreamView
from apps.web import words
from apps.web.display.attempt_state import DEGRADED, state_slug, state_word
from apps.web.display.authority import hosts_note, reported
from apps.web.display.instants import dated, day_text
from apps.web.display.layers import layer_mark
from apps.web.incidents.rows import incident_row
from apps.web.session.lifecycle.panel import lifecycle_panel
from apps.web.session.page import AttemptBlock, SessionPage, StreamRow
from apps.web.session.rank_matrix import matrix
from apps.web.session.recovery.panel import recovery_panel
from apps.web.session.retries.panel import retries_panel
from apps.web.session.run_page import RunPanel
from apps.web.session.run_panel import panel
from apps.web.session.time_uses import time_uses
from apps.web.sessions.rows import size_text
from apps.web.sources.rows import UNKNOWN_KIND

SWAPS_SHOWN = 3
STREAMS_SHOWN = 40
NODES_SHOWN = 16
HOUR = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionKnowledge:
    """What the reader's organization knows of a session."""

    attempts: Sequence[AttemptView]
    shown: AttemptView | None  # the attempt that is shown in full
    headers: Sequence[IncidentHeader]
    streams: Sequence[StreamView]
    history: SessionHistory
    states: Mapping[int, AttemptHistory]  # by the attempt's id
    recovery: RecoveryView | None  # of the attempt that is shown


def compose(*, session: SessionView, known: SessionKnowledge, now: datetime) -> SessionPage:
    """Return what the page of a session shows."""
    attempts, headers, shown = known.attempts, known.headers, known.shown
    by_attempt = {header.incident.attempt_id: header for header in headers}
    last = attempts[-1] if attempts else None
    blocks = tuple(
        _block(
            attempt=attempt,
            former=attempts[index - 1] if index else None,
            header=by_attempt.get(attempt.id),
            now=now,
        )
        for index, attempt in enumerate(attempts)
    )
    return SessionPage(
        name=shown_name(session),
        public_id=session.public_id,
        title=shown_name(session),
        lead=_lead(session=session, attempt=last, headers=headers),
        cluster=session.cluster.name if session.cluster else "",
        is_ad_hoc=session.cluster is None,
        attempts=blocks,
        incidents=tuple(incident_row(header=header, now=now) for header in headers),
        lifecycle=lifecycle_panel(
            attempts=attempts, histories=known.states, headers=by_attempt, now=now
        ),
        run=_run(session, known, by_attempt),
        retries=retries_panel(known.history, headers),
        recovery=recovery_panel(attempt=shown, view=known.recovery)
        if shown and known.recovery
        else None,
        time_uses=time_uses(known.history, gpus=shown.world_size if shown else None),
        matrix=matrix(attempt=shown, header=by_attempt.get(shown.id)) if shown else None,
        streams=_streams(known.streams)[:STREAMS_SHOWN],
        stream_count=len(known.streams),
        facts=(*_facts(session=session, attempt=last), *reported(attempt=last)),
        cluster_slug=session.cluster.slug if session.cluster else "",
        nodes=_nodes(session, shown, by_attempt.get(shown.id)) if shown else (),
        hosts_note=hosts_note(are_claimed=_are_hosts_claimed(session, last)),
    )


def _nodes(
    session: SessionView, attempt: AttemptView, header: IncidentHeader | None
) -> tuple[str, ...]:
    """Return nodes of an attempt, those that are blamed first."""
    if session.cluster is None:
        return ()
    blamed = blamed_hosts(header) if header else ()
    names = [short(name=host) for host in attempt.hosts]
    return tuple(dict.fromkeys((*blamed, *names)))[:NODES_SHOWN]


def _run(
    session: SessionView,
    known: SessionKnowledge,
    by_attempt: Mapping[int | None, IncidentHeader],
) -> RunPanel | None:
    told = known.history.told.get(known.shown.id) if known.shown else None
    if known.shown is None or told is None:
        return None
    return panel(
        attempt=known.shown,
        attempts=[attempt.number for attempt in known.attempts],
        told=told,
        header=by_attempt.get(known.shown.id),
        cluster=session.cluster.slug if session.cluster else "",
    )


def shown_attempt(
    attempts: Sequence[AttemptView], headers: Sequence[IncidentHeader], *, asked: int | None
) -> AttemptView | None:
    """Return the attempt to look at: the one asked for, else the newest that broke, else with
    ranks, else the newest.
    """
    broken = {header.incident.attempt_id for header in headers}

    def worth(each: AttemptView) -> tuple[bool, bool, bool, int]:
        return each.number == asked, each.id in broken, bool(each.ranks), each.number

    return max(attempts, key=worth, default=None)


def _are_hosts_claimed(session: SessionView, last: AttemptView | None) -> bool:
    is_claim = last is not None and bool(last.hosts) and not last.hosts_asserted
    return session.cluster is not None and is_claim


def _lead(
    *, session: SessionView, attempt: AttemptView | None, headers: Sequence[IncidentHeader]
) -> str:
    told = [_sized(session=session, attempt=attempt)]
    if attempt:
        told.append(
            _("Attempt %(n)s: %(state)s.") % {"n": attempt.number, "state": state_word(attempt)}
        )
    why = summary_of(headers[0]) if headers else ""
    if why:
        told.append(_("Last incident: %(what)s.") % {"what": why})
    return " ".join(told)


def _sized(*, session: SessionView, attempt: AttemptView | None) -> str:
    if attempt is None or not (attempt.world_size or attempt.hosts):
        return _("Its size was not reported.")
    size = size_text(attempt)
    if session.cluster is None:
        return _("%(size)s, from an upload of yours.") % {"size": size}
    return _("%(size)s of %(cluster)s.") % {"size": size, "cluster": session.cluster.name}


def _block(
    *,
    attempt: AttemptView,
    former: AttemptView | None,
    header: IncidentHeader | None,
    now: datetime,
) -> AttemptBlock:
    seconds = _seconds(attempt=attempt, now=now)
    hosts, before = set(attempt.hosts), set(former.hosts) if former else set()
    is_known = bool(former and hosts and before)
    return AttemptBlock(
        number=attempt.number,
        length=words.duration(seconds) if seconds is not None else _("length not reported"),
        state=state_slug(attempt),
        state_word=state_word(attempt),
        when=day_text(attempt.started_at, now=now)
        if attempt.started_at
        else _("start not reported"),
        left_out=_few(sorted(before - hosts)) if is_known else (),
        added=_few(sorted(hosts - before)) if is_known else (),
        has_former=former is not None,
        weight=_weight(seconds),
        incident=header.incident.public_id if header else "",
        ending=words.sentence_case(summary_of(header)) if header else "",
        layer=layer_mark(header.incident.layer) if header else None,
        is_running=state_slug(attempt) == "running",
        is_degraded=state_slug(attempt) == DEGRADED,
        is_undiagnosed=attempt.undiagnosed_at is not None,
        doubted=day_text(attempt.doubted_at, now=now) if attempt.doubted_at else "",
    )


def _seconds(*, attempt: AttemptView, now: datetime) -> float | None:
    if attempt.started_at is None:
        return None
    if attempt.ended_at is None and attempt.state != "running":
        return None
    return ((attempt.ended_at or now) - attempt.started_at).total_seconds()


def _weight(seconds: float | None) -> int:
    """Return one of four widths: up to an hour, six, a day, more."""
    return 1 + sum(1 for limit in (HOUR, 6 * HOUR, 24 * HOUR) if (seconds or 0) > limit)


def _few(hosts: Sequence[str]) -> tuple[str, ...]:
    if len(hosts) <= SWAPS_SHOWN:
        return tuple(hosts)
    return (*hosts[: SWAPS_SHOWN - 1], _("%(n)s more") % {"n": len(hosts) - SWAPS_SHOWN + 1})


def _streams(streams: Sequence[StreamView]) -> tuple[StreamRow, ...]:
    """Return one line for each kind of log and host, however many ranks speak there."""
    groups: dict[tuple[str, str], list[StreamView]] = {}
    for stream in streams:
        groups.setdefault((stream.kind, stream.host), []).append(stream)
    return tuple(_stream(members) for members in groups.values())


def _stream(members: Sequence[StreamView]) -> StreamRow:
    ranks = {stream.rank for stream in members if stream.rank is not None}
    first = min((stream.first_at for stream in members if stream.first_at), default=None)
    last = max((stream.last_at for stream in members if stream.last_at), default=None)
    place = members[0].host or _("all hosts")
    if len(ranks) == 1:
        place += ", " + _("rank %(n)s") % {"n": min(ranks)}
    elif ranks:
        place += ", " + _("%(n)s ranks from %(first)s") % {"n": len(ranks), "first": min(ranks)}
    covers = (
        f"{dated(first, seconds=True)} – {dated(last, seconds=True)}"  # noqa: RUF001  a span
        if first and last
        else _("without times")
    )
    return StreamRow(
        name=place,
        kind=words.said(words.STREAMS, members[0].kind, UNKNOWN_KIND),
        lines=f"{sum(stream.line_count for stream in members):,}",
        covers=covers,
    )


def _facts(*, session: SessionView, attempt: AttemptView | None) -> tuple[tuple[str, str], ...]:
    facts = [
        (_("Cluster"), session.cluster.name if session.cluster else _("none, an upload of yours")),
        (_("Scheduler"), session.scheduler or _("not reported")),
        (_("Job"), session.job or _("not reported")),
        (_("Project"), session.project or _("not reported")),
        (_("Size"), size_text(attempt)),
        (_("Id"), session.public_id),
    ]
    return tuple(facts)
