"""Step 4: the same fact told many times is one observation."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType

from apps.diagnosis.input_values import is_whole_number
from apps.diagnosis.model import (
    Anomaly,
    Device,
    Event,
    Mark,
    Observation,
    Reading,
    Role,
    Severity,
    Stream,
    Symptom,
)
from apps.diagnosis.observed import METRIC
from apps.diagnosis.signatures.marks import marked

# The same fact again after this long is a new fact.
EPISODE = timedelta(minutes=10)
# A reading may be this old where its source does not say how often it looks.
SCRAPE = timedelta(seconds=30)
# Fields that say which part or which operation an event is about.
DEVICE_FIELDS = (
    "pci",
    "xid",
    "sxid",
    "dev",
    "ifname",
    "server",
    "target",
    "link",
    "exitcode",
    "rank",
    "state",
    "event",
)

# What all tell alike is one fact for each of these.
TOLD_APART = ("seq", "op", "alert", "asked")
# How a platform calls the agent of a host.
AGENT = "i-"
# What a launcher prints about another host than its own.
ABOUT_ANOTHER = marked(Mark.OTHER_HOST)
# These roles tell a story of one host; the others are told by everybody.
LOCAL_ROLES = frozenset({Role.INITIATING, Role.CONFIRMATION, Role.RECOVERY, Role.CONTEXT})

Heard = tuple[str, str, Device, object]  # kind, signal, entity, start of a finding
Instant = Callable[[Event], tuple[datetime | None, timedelta]]
HostOf = Callable[[Event], str | None]


def unique_events(*, readings: Sequence[Reading]) -> list[Event]:
    """Return all events once, in one order, whatever the order and cuts of the readings."""
    seen: dict[tuple[str, int, str], Event] = {}
    for reading in readings:
        for event in (*reading.events, *reading.progress):
            seen.setdefault((*event.order_key, event.signature), event)
    return [seen[key] for key in sorted(seen)]


def fold_events(
    *,
    events: Iterable[Event],
    instant: Instant,
    host_of: HostOf,
    weighed: frozenset[str] | None = None,
) -> list[Observation]:
    """Fold events into observations: per host and part where locality matters, over all ranks
    where not.

    Locality matters to no plain context whose sign nobody weighs; None: all are weighed.
    """
    groups: dict[tuple[str, ...], list[Event]] = defaultdict(list)
    for event in events:
        is_plain = event.role is Role.CONTEXT and event.severity is Severity.INFO
        if is_plain and weighed is not None and event.signature not in weighed:
            groups[(event.signature,)].append(event)
        else:
            groups[_key(event, host_of(event))].append(event)
    folded: list[Observation] = []
    for _, members in sorted(groups.items()):
        episodes = _episodes(members, instant)
        folded.extend(_observation(episode, instant, host_of) for episode in episodes)
    return folded


def fold_anomalies(
    *, anomalies: Sequence[Anomaly], voices: Mapping[Heard, int] = MappingProxyType({})
) -> list[Observation]:
    """Return one observation per anomaly; doubles count once.

    `voices` says how many families of metrics speak beside each.
    """
    seen: dict[Heard, Anomaly] = {(a.kind, a.signal, a.entity, a.starts_at): a for a in anomalies}
    return [_from_anomaly(seen[key], voices.get(key)) for key in sorted(seen, key=repr)]


def symptoms(*, observations: Sequence[Observation]) -> tuple[Symptom, ...]:
    """Return every signature once, over all its observations, the most told first."""
    groups: dict[str, list[Observation]] = defaultdict(list)
    for one in observations:
        if one.events and one.role is not Role.PROGRESS and not one.sign.startswith("finding:"):
            groups[one.sign].append(one)
    found = [_symptom(sign, members) for sign, members in sorted(groups.items())]
    return tuple(sorted(found, key=lambda one: (-one.count, one.signature)))


def _key(event: Event, host: str | None) -> tuple[str, ...]:
    if event.role not in LOCAL_ROLES:
        return (event.signature, *(event.fields.get(name, "") for name in TOLD_APART))
    parts = tuple(
        f"{name}={event.fields[name]}" for name in DEVICE_FIELDS if event.fields.get(name)
    )
    return (event.signature, _told_about(event) or host or "", *parts)


def _episodes(members: Sequence[Event], instant: Instant) -> list[list[Event]]:
    timed = [(at, event) for event in members if (at := instant(event)[0]) is not None]
    untimed = [event for event in members if instant(event)[0] is None]
    episodes: list[list[Event]] = [untimed] if untimed else []
    last: datetime | None = None
    for at, event in sorted(timed, key=lambda one: (one[0], one[1].order_key)):
        if last is None or at - last > EPISODE:
            episodes.append([])
        episodes[-1].append(event)
        last = at
    return episodes


def _observation(members: Sequence[Event], instant: Instant, host_of: HostOf) -> Observation:
    first = members[0]
    stamps = [at for event in members if (at := instant(event)[0]) is not None]
    hosts = tuple(sorted({host for event in members if (host := _about(event, host_of))}))
    return Observation(
        sign=first.signature,
        role=first.role,
        layer=first.layer,
        causes=first.causes,
        fields=_merged(members),
        at=min(stamps, default=None),
        last_at=max(stamps, default=None),
        error=max((instant(event)[1] for event in members), default=timedelta(0)),
        host=hosts[0] if len(hosts) == 1 else None,
        hosts=hosts,
        ranks=tuple(sorted({r for event in members if (r := _rank(event)) is not None})),
        count=sum(event.count for event in members),
        events=tuple(members),
    )


def _about(event: Event, host_of: HostOf) -> str | None:
    return _told_about(event).split(".", 1)[0] or host_of(event)


def _told_about(event: Event) -> str:
    """Return the host that a scheduler speaks about; its agents are called after their hosts."""
    if event.line.stream is not Stream.SCHEDULER and event.signature not in ABOUT_ANOTHER:
        return ""
    agent = event.fields.get("agent", "")
    return event.fields.get("host") or agent.removeprefix(AGENT)


def _rank(event: Event) -> int | None:
    if event.line.rank is not None:
        return event.line.rank
    return event.line.origin.rank


def _merged(members: Sequence[Event]) -> Mapping[str, str]:
    merged: dict[str, str] = {}
    for event in members:
        for name, value in event.fields.items():
            if value and name not in merged:
                merged[name] = value
    return merged


def _from_anomaly(anomaly: Anomaly, voices: int | None) -> Observation:
    entity = anomaly.entity
    fields = {"signal": anomaly.signal}
    if voices is not None:
        fields["families"] = str(voices)
    if entity.pci:
        fields["pci"] = entity.pci
    if "xid" in anomaly.signal.split(".") and is_whole_number(anomaly.detail):
        # What a gauge shows, or the label of a counter: its value is only how often.
        fields["xid"] = anomaly.detail
    return Observation(
        sign=f"{METRIC}{anomaly.kind}",
        statement=anomaly.statement,
        role=anomaly.role,
        layer=anomaly.layer,
        causes=anomaly.causes,
        fields=fields,
        at=anomaly.starts_at,
        last_at=anomaly.ends_at or anomaly.starts_at,
        error=timedelta(seconds=anomaly.resolution_seconds) or SCRAPE,
        host=entity.host,
        hosts=(entity.host,) if entity.host else (),
        ranks=(entity.rank,) if entity.rank is not None else (),
        anomaly=anomaly,
    )


def _symptom(sign: str, members: Sequence[Observation]) -> Symptom:
    return Symptom(
        signature=sign,
        count=sum(one.count for one in members),
        ranks=tuple(sorted({rank for one in members for rank in one.ranks})),
        hosts=tuple(sorted({host for one in members for host in one.hosts})),
        first_at=min((one.at for one in members if one.at), default=None),
        last_at=max((one.last_at for one in members if one.last_at), default=None),
        layer=members[0].layer,
        role=members[0].role,
    )
