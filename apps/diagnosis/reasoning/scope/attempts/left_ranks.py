"""Ranks that had left by their launcher's word: where one speaks again, its launcher does, the work
goes on without it or others begin to wait long after, another attempt began between.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from apps.diagnosis.failure_tables import exit_rank
from apps.diagnosis.input_values import whole_number
from apps.diagnosis.model import Event, Mark
from apps.diagnosis.observed import rank_of
from apps.diagnosis.reasoning.scope.attempts.marks import At, is_of_session
from apps.diagnosis.signatures.marks import marked

ROWS = marked(Mark.EXIT_ROW, Mark.SIGNAL_ROW)
LAUNCHER = marked(Mark.OF_LAUNCHER)
# An agent's last words. That it ends its workers may as well be another's on that host.
AGENT_ENDS = ROWS | (marked(Mark.OF_AGENT) & marked(Mark.TOLD_TO_END))
STEPS = marked(Mark.STEP)
WATCHDOGS = marked(Mark.COLLECTIVE_TIMEOUT)
BEGINS = marked(Mark.PROCESS_BEGINS, Mark.WORK_BEGINS, Mark.INIT)
# Groups that fail alone number their ranks alike: there a rank that speaks is another's.
GROUPS = marked(Mark.QUORUM)
# What a rank had printed may be written down so long after it left.
FLUSHED = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftRank:
    """A rank of which its launcher told that it had left."""

    at: datetime
    row: Event

    @property
    def host(self) -> str | None:
        """Return the host of which the launcher tells."""
        return self.row.fields.get("host")


def left_before_restart(events: Sequence[Event], at: At) -> list[datetime]:
    """Return when ranks left that were started again, in order."""
    if any(event.signature in GROUPS for event in events):
        return []
    own = [event for event in events if is_of_session(event)]
    left = left_ranks(own, at)
    closings = [m for e in own if e.signature in LAUNCHER and (m := at(e)) is not None]
    if not left or not closings:
        return []
    last_closing = max(closings)
    over = [one for told in left.values() for one in told]
    moments = sorted(
        {one.at for one in _again(own, left, at, last_closing)}
        | _agent_back(own, over, at)
        | _work_on(own, over, at, last_closing)
        | _wait_on(own, over, at, last_closing)
    )
    # Ranks of one attempt leave one after the other: the last of them ends it.
    following = [*moments[1:], None]
    return [
        one
        for one, after in zip(moments, following, strict=False)
        if after is None or after - one > FLUSHED
    ]


def left_ranks(events: Iterable[Event], at: At) -> Mapping[int, Sequence[LeftRank]]:
    """Return of each rank when its launcher told that it had left."""
    left: dict[int, list[LeftRank]] = defaultdict(list)
    for event in events:
        rank, moment = exit_rank(event), at(event)
        if event.signature in ROWS and rank is not None and moment is not None:
            left[rank].append(LeftRank(at=moment, row=event))
    return left


def _again(
    events: Iterable[Event],
    left: Mapping[int, Sequence[LeftRank]],
    at: At,
    last_closing: datetime,
) -> Iterable[LeftRank]:
    for event in events:
        rank = rank_of(event)
        if rank is None or event.signature in LAUNCHER:
            continue
        for one in left.get(rank, ()):
            if _is_same_host(event, one.row) and _is_later(event, one, at(event), last_closing):
                yield one


def _agent_back(events: Iterable[Event], left: Sequence[LeftRank], at: At) -> set[datetime]:
    """Return when ranks left after whose table, its last word, the host's agent speaks again."""
    last: dict[str, datetime] = {}
    for event in events:
        host, moment = _short(_host(event)), at(event)
        if event.signature in AGENT_ENDS and host and moment is not None:
            last[host] = max(moment, last.get(host, moment))
    return {one.at for one in left if last.get(_short(one.host), one.at) - one.at >= FLUSHED}


def _work_on(
    events: Iterable[Event], left: Sequence[LeftRank], at: At, last_closing: datetime
) -> set[datetime]:
    """Return when ranks left long before a step: nobody makes one without a rank. A launcher's
    later word bears out that the clock of the steps is the launchers'.
    """
    steps = (m for e in events if e.signature in STEPS and (m := at(e)) is not None)
    last = max((moment for moment in steps if moment <= last_closing), default=None)
    return {one.at for one in left if last is not None and last - one.at >= FLUSHED}


def _wait_on(
    events: Iterable[Event], left: Sequence[LeftRank], at: At, last_closing: datetime
) -> set[datetime]:
    """Return when ranks left long before any watchdog began to wait: with a rank that had left
    no collective before theirs would have ended.
    """
    begins = sorted(
        moment - timedelta(milliseconds=waited)
        for e in events
        if e.signature in WATCHDOGS
        and (waited := whole_number(e.fields.get("duration_ms")))
        and (moment := at(e)) is not None
        and moment <= last_closing
    )
    first = begins[0] if begins else None
    return {one.at for one in left if first is not None and first - one.at >= FLUSHED}


def _is_later(event: Event, one: LeftRank, moment: datetime | None, last_closing: datetime) -> bool:
    """Say whether a rank spoke when it had left: by the clock, where its log's order or another
    word of a launcher bears the clock out; without one, by where it began again.
    """
    is_below = event.line.origin.source == one.row.line.origin.source and (
        event.line.number > one.row.line.number
    )
    if moment is None:
        return is_below and event.signature in BEGINS
    is_borne_out = is_below or last_closing - one.at >= FLUSHED
    return is_borne_out and moment - one.at >= FLUSHED


def _is_same_host(event: Event, row: Event) -> bool:
    mine, theirs = _short(_host(event)), _short(row.fields.get("host"))
    return not mine or not theirs or mine == theirs


def _host(event: Event) -> str | None:
    return event.line.host or event.line.origin.host


def _short(host: str | None) -> str:
    return (host or "").split(".", 1)[0]
