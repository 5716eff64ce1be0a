"""Ranks that had left by their launcher's word and speak again: another attempt began between."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from apps.diagnosis.failure_tables import exit_rank
from apps.diagnosis.model import Event, Mark
from apps.diagnosis.observed import rank_of
from apps.diagnosis.reasoning.scope.attempts.marks import At, is_of_session
from apps.diagnosis.signatures.marks import marked

ROWS = marked(Mark.EXIT_ROW, Mark.SIGNAL_ROW)
LAUNCHER = marked(Mark.OF_LAUNCHER)
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


def left_before_restart(events: Sequence[Event], at: At) -> list[datetime]:
    """Return when ranks left that were started again, in order."""
    if any(event.signature in GROUPS for event in events):
        return []
    own = [event for event in events if is_of_session(event)]
    left: dict[int, list[LeftRank]] = defaultdict(list)
    for event in own:
        rank, moment = exit_rank(event), at(event)
        if event.signature in ROWS and rank is not None and moment is not None:
            left[rank].append(LeftRank(at=moment, row=event))
    if not left:
        return []
    closings = [m for e in own if e.signature in LAUNCHER and (m := at(e)) is not None]
    last_closing = max(closings)
    moments = sorted({one.at for one in _again(own, left, at, last_closing)})
    # Ranks of one attempt leave one after the other: the last of them ends it.
    following = [*moments[1:], None]
    return [
        one
        for one, after in zip(moments, following, strict=False)
        if after is None or after - one > FLUSHED
    ]


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
    mine, theirs = event.line.host or event.line.origin.host, row.fields.get("host")
    return not mine or not theirs or mine.split(".", 1)[0] == theirs.split(".", 1)[0]
