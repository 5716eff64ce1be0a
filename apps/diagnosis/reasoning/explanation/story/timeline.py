"""Part of step 10: the story in order, short enough to be read."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from apps.diagnosis.model import (
    FirstStopper,
    Mark,
    Moment,
    Observation,
    Role,
    Severity,
    statement,
)
from apps.diagnosis.observed import FINDING
from apps.diagnosis.reasoning.explanation.story.moments import moment, stream_of
from apps.diagnosis.signatures.marks import marked

# Of what tells of no trouble, this orients a reader.
USEFUL = marked(
    Mark.ORIENTS,
    Mark.TRAINING_BEGINS,
    Mark.LOAD_BEGINS,
    Mark.LOAD_ENDS,
    Mark.SAVE_BEGINS,
    Mark.SAVE_ENDS,
    Mark.CHECKPOINT,
)
# The moment that no line and no metric tells of.
BEGAN_TO_FAIL = statement("began-to-fail")
MOST = 60
MOST_HOSTS = 3  # of an initiating fact told one by one
PAUSE = timedelta(minutes=10)
# The smaller, the later it is left out.
IMPORTANCE = {
    Role.INITIATING: 0,
    Role.CASCADE: 1,
    Role.CONFIRMATION: 2,
    Role.TEARDOWN: 3,
    Role.RECOVERY: 3,
    Role.CONTEXT: 4,
    Role.PROGRESS: 5,
}
ALWAYS = 1
# What looked like a beginning and was left out, is told as what it is: circumstance.
BEGINNINGS = frozenset({Role.INITIATING, Role.CONFIRMATION})
# Fields that make two tellings of one signature two facts.
APART = (
    "xid",
    "sxid",
    "wc_status",
    "exitcode",
    "state",
    "event",
    "signal",
    "server",
    "alert",
    "asked",
)


def timeline(
    *,
    observations: Sequence[Observation],
    first: FirstStopper | None,
    failed_at: datetime | None,
    error: timedelta = timedelta(0),
    doubts: Mapping[str, timedelta],
) -> tuple[Moment, ...]:
    """Return the story in order: what many told alike is one moment of many hosts.

    `error` says how far off `failed_at` may be, `doubts` by source how far off the times of its
    lines may be beyond the clocks' errors.
    """
    told = [one for one in _once(observations) if _is_worth_telling(one)]
    moments = [moment(group, doubts) for group in _folded(told)]
    if failed_at is not None:
        moments.append(
            Moment(
                statement=BEGAN_TO_FAIL,
                layer=None,
                role=Role.CONTEXT,
                at=failed_at,
                clock_error=error or None,
                ranks=first.ranks if first else (),
            )
        )
    return tuple(sorted(most_important(moments=moments, most=MOST), key=_order))


def most_important(*, moments: Iterable[Moment], most: int) -> list[Moment]:
    """Return at most so many moments; what began it and what followed from it always stays."""
    ranked = sorted(moments, key=lambda one: (_importance(one), -one.count, *_order(one)))
    kept = sum(_importance(one) <= ALWAYS for one in ranked)
    return ranked[: max(most, kept)]


def _importance(one: Moment) -> int:
    # The moment of the failure itself comes from no line and no metric.
    return IMPORTANCE[one.role] if one.event or one.anomaly else 0


def _once(observations: Sequence[Observation]) -> Iterator[Observation]:
    """Leave out a finding that only repeats one line; the line is told, in the finding's role."""
    lines = {
        one.events[0].order_key
        for one in observations
        if one.events and not one.sign.startswith(FINDING)
    }
    harmless = {
        one.events[0].order_key
        for one in observations
        if one.events and one.sign.startswith(FINDING) and one.role is Role.CONTEXT
    }
    for one in observations:
        start = one.events[0].order_key if one.events else None
        is_one_line = start in lines and len({event.signature for event in one.events}) == 1
        if one.sign.startswith(FINDING) and is_one_line:
            continue
        is_left_out = one.standing != "joined" and one.role in BEGINNINGS
        yield replace(one, role=Role.CONTEXT) if is_left_out or start in harmless else one


def _is_worth_telling(one: Observation) -> bool:
    if one.sign in USEFUL:
        return True
    if one.role is Role.PROGRESS:
        return False
    if one.role is not Role.CONTEXT or not one.events:
        return True
    return any(event.severity is not Severity.INFO for event in one.events)


def _folded(observations: Sequence[Observation]) -> Iterator[list[Observation]]:
    groups: dict[tuple[str, ...], list[Observation]] = defaultdict(list)
    for one in observations:
        groups[_alike(one)].append(one)
    for key in sorted(groups):
        for episode in _episodes(groups[key]):
            hosts = {host for one in episode for host in one.hosts}
            is_single = _one_by_one(episode[0]) and len(hosts) <= MOST_HOSTS
            yield from ([one] for one in episode) if is_single else (episode,)


def _one_by_one(one: Observation) -> bool:
    """Say whether each telling of it may be the beginning."""
    return one.role is Role.INITIATING or one.anomaly is not None


def _alike(one: Observation) -> tuple[str, ...]:
    stream = stream_of(one)
    fields = tuple(one.fields.get(name, "") for name in APART)
    return (one.sign, one.role.value, one.standing, stream.value if stream else "", *fields)


def _episodes(observations: Sequence[Observation]) -> Iterator[list[Observation]]:
    """Yield what was told without a long pause; what has no time is one."""
    untimed = [one for one in observations if one.at is None]
    if untimed:
        yield untimed
    episode: list[Observation] = []
    until: datetime | None = None
    timed = [(one.at, one) for one in observations if one.at is not None]
    for at, one in sorted(timed, key=lambda each: (each[0], _place(each[1]))):
        if until is not None and at - until > PAUSE:
            yield episode
            episode, until = [], None
        episode.append(one)
        last = one.last_at or at
        until = last if until is None else max(until, last)
    if episode:
        yield episode


def _place(one: Observation) -> tuple[str, int, str]:
    source, number = one.events[0].order_key if one.events else ("", 0)
    return (source, number, repr(one.anomaly) if one.anomaly else "")


def _order(one: Moment) -> tuple[bool, float, bool, str, int, str]:
    stamp = one.at.timestamp() if one.at else 0.0
    # What was concluded follows from what was told at that moment.
    is_concluded = not (one.event or one.anomaly)
    return (
        one.at is None,
        stamp,
        is_concluded,
        one.source or "",
        one.line or 0,
        repr(one.statement),
    )
