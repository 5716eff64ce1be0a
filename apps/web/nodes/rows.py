"""What is known of a node as rows of its page."""

from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.fleet.devices.node_identity import PartView
from apps.fleet.exclusions.exclusion_values import ExclusionView
from apps.fleet.values import NodeRun
from apps.reliability.offenders.values import NodeHistory
from apps.telemetry.values import EpisodeView
from apps.training.offenders.lemons import LEMON, LemonSignal, SignalShare
from apps.web import words
from apps.web.display.figures import whole_percent
from apps.web.display.instants import day_text, in_full
from apps.web.nodes.node_words import DEVICES, SIGNALS, kind_word
from apps.web.nodes.page import ExclusionRow, PartRow, RunRow, SignalRow, WarningLine
from apps.web.warnings.rows import warning_row

# Which part of the page shows what a signal counts.
PLACES = {
    LemonSignal.EXCLUDED_BY_JOBS: "#exclusions",
    LemonSignal.TAKEN_OUT: "#exclusions",
    LemonSignal.TICKETS: "#incidents",
    LemonSignal.MULTI_NODE_FAILURES: "#incidents",
    LemonSignal.SINGLE_NODE_FAILURES: "#incidents",
    LemonSignal.SINGLE_NODE_FAILURE_RATE: "#sessions",
}


def exclusion_row(each: ExclusionView, *, now: datetime) -> ExclusionRow:
    """Return one exclusion as a line."""
    told = " · ".join(filter(None, (each.by, each.teller.name if each.teller else "")))
    ends_at = each.ends_at
    return ExclusionRow(
        when=day_text(each.starts_at, now=now),
        until=_until(each, now=now),
        length="" if each.is_of_job else _length(each.starts_at, ends_at or now),
        kind=kind_word(each.kind),
        who=told,
        reason=each.reason,
        session=each.session,
        session_id=each.session_id,
        incident=each.incident,
        is_claimed=each.is_claimed,
        is_in_force=each.is_in_force(now),
    )


def _until(each: ExclusionView, *, now: datetime) -> str:
    if each.is_of_job:
        return _("for that job")
    if each.ends_at is None:
        return _("still")
    if each.ends_at > now:
        return _("planned: %(at)s") % {"at": in_full(each.ends_at)}
    return day_text(each.ends_at, now=now)


def _length(starts_at: datetime, ends_at: datetime) -> str:
    return words.duration((ends_at - starts_at).total_seconds())


def signal_rows(history: NodeHistory) -> tuple[SignalRow, ...]:
    """Return the seven signals of a node's score, the loudest first."""
    shares = history.lemon.signals if history.lemon else ()
    return tuple(_signal(each, _unknown(each, history)) for each in shares)


def _unknown(share: SignalShare, history: NodeHistory) -> str:
    """Return why a signal has no number; empty where it has one."""
    if share.value is None:
        return _("not known")
    if share.signal is LemonSignal.SINGLE_NODE_FAILURE_RATE and not history.own_jobs:
        return _("no job ran on it alone")
    return ""


def _signal(share: SignalShare, unknown: str) -> SignalRow:
    is_rate = share.signal is LemonSignal.SINGLE_NODE_FAILURE_RATE
    return SignalRow(
        name=str(SIGNALS[share.signal]),
        value=unknown or _number(share.value, is_rate=is_rate),
        usual="" if unknown else _number(share.usual, is_rate=is_rate),
        score="" if unknown else f"{share.score:.1f}",
        href=PLACES.get(share.signal, ""),
    )


def _number(value: float | None, *, is_rate: bool) -> str:
    if value is None:
        return ""
    return whole_percent(value) if is_rate else f"{value:.2g}" if value % 1 else f"{value:.0f}"


def signals_note(history: NodeHistory) -> str:
    """Return what the score means, and beside how many nodes it was made."""
    told = {"n": history.node_count, "limit": f"{LEMON:.0f}"}
    if history.lemon is None:
        text = _("Nothing is counted of it in 28 days, beside %(n)s nodes that you know of.")
        return text % told
    return _("28 days, beside %(n)s nodes that you know of; from %(limit)s on look at it.") % told


def part_row(part: PartView, *, now: datetime) -> PartRow:
    """Return a part with every name by which it is told from others."""
    index = "" if part.index is None else f"{part.index}"
    return PartRow(
        kind=str(DEVICES.get(part.kind, part.kind)),
        place=" ".join(filter(None, (index, part.name, part.netdev))),
        uuid=part.uuid,
        serial=part.serial,
        pci=part.pci,
        since=day_text(part.first_seen_at, now=now),
        until=day_text(part.replaced_at, now=now) if part.replaced_at else "",
    )


def run_row(run: NodeRun, *, now: datetime) -> RunRow:
    """Return an attempt that ran on the node."""
    hosts = ngettext("%(n)s node", "%(n)s nodes", run.host_count) % {"n": run.host_count}
    return RunRow(
        name=run.session.name,
        session_id=run.session.public_id,
        number=run.number,
        state=run.state,
        state_word=words.said(words.STATES, run.state, run.state),
        when=day_text(run.started_at, now=now) if run.started_at else _("start not reported"),
        size=hosts,
    )


def warning_lines(episodes: Sequence[EpisodeView], *, now: datetime) -> tuple[WarningLine, ...]:
    """Return what metrics of the node told of early, the newest first."""
    rows = [warning_row(episode=each, headers=(), now=now) for each in episodes]
    return tuple(WarningLine(title=row.title, when=row.when, state=row.state) for row in rows)
