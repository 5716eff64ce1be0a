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
from apps.incidents.words import listed_name, shown_name, summary_of
from apps.reliability.facade.session_history import SessionHistory
from apps.telemetry.values import StreamView
from apps.web.display.attempt_state import state_word
from apps.web.display.authority import hosts_note, reported
from apps.web.incidents.rows import incident_row
from apps.web.session.attempt_blocks import attempt_block
from apps.web.session.lifecycle.panel import lifecycle_panel
from apps.web.session.lifecycle.run_lanes import run_lanes
from apps.web.session.page import SessionPage
from apps.web.session.rank_matrix import matrix
from apps.web.session.recovery.panel import recovery_panel
from apps.web.session.retries.panel import retries_panel
from apps.web.session.run_page import RunPanel
from apps.web.session.run_panel import panel
from apps.web.session.stream_rows import stream_folds
from apps.web.session.time_uses import time_uses
from apps.web.sessions.rows import size_text

NODES_SHOWN = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionKnowledge:
    """What the reader's organization knows of a session."""

    attempts: Sequence[AttemptView]
    shown: AttemptView | None  # the attempt that is shown in full
    headers: Sequence[IncidentHeader]
    streams: Sequence[StreamView]
    history: SessionHistory
    states: Mapping[int, AttemptHistory]  # by the attempt's id
    names: Mapping[str, str]  # of who reported any of it, by slug
    recovery: RecoveryView | None  # of the attempt that is shown


def compose(*, session: SessionView, known: SessionKnowledge, now: datetime) -> SessionPage:
    """Return what the page of a session shows."""
    attempts, headers, shown = known.attempts, known.headers, known.shown
    by_attempt = {header.incident.attempt_id: header for header in headers}
    last = attempts[-1] if attempts else None
    blocks = tuple(
        attempt_block(
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
        title=listed_name(session),
        lead=_lead(session=session, attempt=last, headers=headers, now=now),
        cluster=session.cluster.name if session.cluster else "",
        is_ad_hoc=session.cluster is None,
        attempts=blocks,
        incidents=tuple(incident_row(header=header, now=now) for header in headers),
        lifecycle=lifecycle_panel(
            attempts=attempts,
            histories=known.states,
            headers=by_attempt,
            names=known.names,
            now=now,
            more_lanes=tuple(
                run_lanes(attempts=attempts, history=known.history, headers=headers, now=now)
            ),
        ),
        run=_run(session, known, by_attempt),
        retries=retries_panel(known.history, headers),
        recovery=recovery_panel(attempt=shown, view=known.recovery, now=now)
        if shown and known.recovery
        else None,
        time_uses=time_uses(known.history, gpus=shown.world_size if shown else None),
        matrix=matrix(
            attempt=shown,
            headers=[each for each in headers if each.incident.attempt_id == shown.id],
        )
        if shown
        else None,
        streams=stream_folds(known.streams),
        stream_count=len(known.streams),
        facts=(*_facts(session=session, attempt=last), *reported(attempt=last, names=known.names)),
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
    *,
    session: SessionView,
    attempt: AttemptView | None,
    headers: Sequence[IncidentHeader],
    now: datetime,
) -> str:
    told = [_sized(session=session, attempt=attempt)]
    if attempt:
        told.append(
            _("Attempt %(n)s: %(state)s.")
            % {"n": attempt.number, "state": state_word(attempt, now=now)}
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
