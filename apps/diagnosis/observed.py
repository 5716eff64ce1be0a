"""What steps of reasoning share: who spoke, and how an observation is made of events."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from apps.diagnosis.detection.known_detectors import kind_named
from apps.diagnosis.input_values import is_whole_number
from apps.diagnosis.model import Event, Layer, Mark, Observation, Role, Statement, statement
from apps.diagnosis.signatures.marks import marked

Instant = Callable[[Event], tuple[datetime | None, timedelta]]
HostOf = Callable[[Event], str | None]
# What says against a cause that nothing tells whether it was of the session's own day.
UNTIED = "untied"
# The same where a kernel counts from a boot that nobody knows, and went on to count for days.
LONG_AGO = "long-ago"
# What is told of hosts of which each calls the other silent, and the family of what it speaks for.
LOST_EACH_OTHER = "lost-each-other"
# A completion with such a status tells of a silent other end, not of the end that prints it.
SILENT_PEER = frozenset({"12", "20"})
# How the signs begin of what several lines tell together, and of what a metric shows.
FINDING, METRIC = "finding:", "metric:"
# What srun tells of a task names the task's host, whoever's output it stands in.
TASKS = marked(Mark.TASK_EXIT)
ONE_HOST = re.compile(r"[a-zA-Z][\w.-]{0,252}", re.ASCII)
PROCESS = re.compile(r"\bpid='?(\d{3,9})\b", re.ASCII)


def finding(
    name: str,
    events: Sequence[Event],
    instant: Instant | None = None,
    host: str | None = None,
    layer: Layer | None = None,
    ranks: Iterable[int] = (),
) -> Observation:
    """Return what several events say together."""
    stamps = [at for e in events if instant and (at := instant(e)[0]) is not None]
    return Observation(
        sign=f"{FINDING}{name}",
        role=Role.INITIATING,
        layer=layer,
        at=min(stamps, default=None),
        last_at=max(stamps, default=None),
        error=max((instant(e)[1] for e in events if instant), default=timedelta(0)),
        host=host,
        hosts=(host,) if host else (),
        ranks=tuple(sorted(set(ranks))),
        count=len(events),
        events=tuple(events),
    )


def measurement(*, kind: str, signal: str | None) -> Statement:
    """Return what a detector found of a signal."""
    return statement("measured", detector=kind, signal=signal)


def renamed(one: Observation, name: str, role: Role = Role.INITIATING) -> Observation:
    """Return a line's fact under the name of what it turned out to be."""
    return Observation(
        sign=f"{FINDING}{name}",
        role=role,
        layer=one.layer,
        fields=one.fields,
        at=one.at,
        last_at=one.last_at,
        error=one.error,
        host=one.host,
        hosts=one.hosts,
        ranks=one.ranks,
        count=one.count,
        events=one.events,
        standing=one.standing,
        because=one.because,
    )


def rank_of(event: Event) -> int | None:
    """Return the global rank that spoke; the rank inside a process group blames the wrong host."""
    return event.line.rank if event.line.rank is not None else event.line.origin.rank


def task_host(event: Event) -> str | None:
    """Return the host of the task of which a line of its launcher tells, wherever that is read."""
    host = event.fields.get("host") or "" if event.signature in TASKS else ""
    return host.split(".", 1)[0] if ONE_HOST.fullmatch(host) else None


def is_lasting(one: Observation) -> bool:
    """Say whether it holds a part back for a while and harms no more once it is over."""
    return one.anomaly is not None and kind_named(one.anomaly.kind).is_lasting


def struck_process(event: Event) -> int | None:
    """Return the process that a fault of a kernel's log names."""
    found = PROCESS.search(event.line.text)
    return int(found[1]) if found else None


def canonical(host: str | None, aliases: Mapping[str, str]) -> str | None:
    """Return the one name of a host: its alias, else its short name; an address stays."""
    if not host:
        return None
    if host in aliases:
        return aliases[host]
    short = host.split(".", 1)[0]
    if is_whole_number(short) or ":" in host:
        return host
    return aliases.get(short, short)
