"""One observation as a moment of the story: its part, its error, its words."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from apps.diagnosis.model import (
    Moment,
    Observation,
    Statement,
    Stream,
    statement,
)
from apps.diagnosis.observed import FINDING, METRIC, measurement

# Fields that name a part of a host, as people know it best first.
PARTS = ("sw", "ifname", "dev", "pci")


def stream_of(one: Observation) -> Stream | None:
    if not one.events:
        return None
    line = one.events[0].line
    return line.stream or line.origin.stream


def moment(members: Sequence[Observation], doubts: Mapping[str, timedelta]) -> Moment:
    first = members[0]
    event = first.events[0] if first.events else None
    hosts = sorted({host for one in members for host in one.hosts})
    last = max((one.last_at for one in members if one.last_at), default=None)
    source = event.line.origin.source if event else None
    if first.anomaly is not None:
        source = first.anomaly.source
    return Moment(
        statement=_told(first, part=_part(members), hosts=len(hosts)),
        layer=first.layer,
        role=first.role,
        at=first.at,
        ends_at=last if last != first.at else None,
        clock_error=max(_error(one, doubts) for one in members) or None,
        host=hosts[0] if len(hosts) == 1 else None,
        count=sum(one.count for one in members),
        ranks=tuple(sorted({rank for one in members for rank in one.ranks})),
        source=source,
        stream=stream_of(first),
        line=event.line.number if event else None,
        signature=first.sign if first.events else None,
        event=event,
        anomaly=first.anomaly,
    )


def _told(one: Observation, *, part: str, hosts: int) -> Statement:
    """Return what happened, to which part, and on how many hosts."""
    told = one.statement or _unworded(one)
    if part and not _names(told, part):
        told = statement("of-part", what=told, part=part)
    return statement("on-hosts", what=told, count=hosts) if hosts > 1 else told


def _unworded(one: Observation) -> Statement:
    if one.anomaly is not None:
        return measurement(kind=one.anomaly.kind, signal=one.anomaly.signal)
    if one.sign.startswith(METRIC):
        return measurement(kind=one.sign.removeprefix(METRIC), signal=None)
    return statement("finding", name=one.sign.removeprefix(FINDING))


def _names(told: Statement, part: str) -> bool:
    """Say whether a fact names a part among the fields of its line."""
    fields = told.named.get("fields")
    return isinstance(fields, tuple) and any(
        isinstance(pair, tuple) and part in pair for pair in fields
    )


def _part(members: Sequence[Observation]) -> str:
    """Return the part of a host that kernels name, where all tell of the same one."""
    if not all(one.events and stream_of(one) is Stream.KERNEL for one in members):
        return ""
    named = {
        next((event.fields[name] for name in PARTS if event.fields.get(name)), "")
        for one in members
        for event in one.events
    }
    return next(iter(named)) if len(named) == 1 else ""


def _error(one: Observation, doubts: Mapping[str, timedelta]) -> timedelta:
    said = (doubts.get(event.line.origin.source) for event in one.events)
    return max([one.error, *filter(None, said)])
