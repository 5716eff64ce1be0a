"""Facts that a host's own kernel tells only together: what hung tasks wait for, and that it booted
with no word before.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from datetime import datetime, timedelta

from apps.diagnosis.input_values import whole_number
from apps.diagnosis.model import Event, Layer, Mark, Observation, RecordPart, Role, Stream
from apps.diagnosis.observed import HostOf, Instant, finding
from apps.diagnosis.signatures.marks import marked

HUNG = {
    Layer.STORAGE: "hung-in-storage",
    Layer.GPU: "hung-in-driver",
    Layer.NETWORK: "hung-in-adapter",
}
# Firmware and kernel of a big host take so long to print their first line again, at most.
BOOT_TAKES, BOOT_TAKES_AT_LEAST = timedelta(minutes=20), timedelta(seconds=30)
# The others may notice so much later that a host is gone.
NOTICED_LATE = timedelta(minutes=35)
# Who spoke so long after the failure did not die of it.
STILL_ALIVE = timedelta(seconds=60)
# An order to shut down stands this long before the boot it leads to.
ORDERED = timedelta(minutes=15)
# After such words somebody restarts a host to repair it.
REPAIRED = frozenset({Layer.GPU, Layer.NETWORK, Layer.STORAGE})
KILLS = marked(RecordPart.OOM_KILL_VICTIM, RecordPart.OOM_KILL_OPENER)
# How the kernel calls processes that train: the interpreter, its threads, launchers, loaders.
TRAINS = re.compile(r"py|pt_|torch|train|ray|worker|loader|mpi|jax|java|node$", re.IGNORECASE)
OWN, BEGINNINGS = "rank-exception", frozenset({Role.INITIATING, Role.CONFIRMATION})
BLOCKED_TASKS = marked(Mark.BLOCKED_TASK)
CRASHES = marked(Mark.HOST_CRASH)
BOOTS, SHUT_DOWNS = marked(Mark.BOOT), marked(Mark.SHUT_DOWN)


def derive(
    *,
    events: Sequence[Event],
    instant: Instant,
    host_of: HostOf,
    failed_at: datetime | None,
) -> list[Observation]:
    """Return what the hosts tell about themselves."""
    return [
        *_hung(events, instant, host_of),
        *_boots(events, instant, host_of, failed_at),
        *_kills_of_others(events, instant, host_of),
    ]


def _hung(events: Sequence[Event], instant: Instant, host_of: HostOf) -> Iterator[Observation]:
    """Yield per host and layer that tasks wait there; they began to before the kernel said so."""
    groups: dict[tuple[str, Layer], list[Event]] = defaultdict(list)
    for event in events:
        if event.signature in BLOCKED_TASKS and event.layer in HUNG:
            groups[host_of(event) or "", event.layer].append(event)
    for (host, layer), members in sorted(groups.items()):
        found = finding(HUNG[layer], members, instant, host or None, layer)
        waited = max((whole_number(e.fields.get("secs")) or 0) for e in members)
        began = found.at - timedelta(seconds=waited) if found.at else None
        causes = tuple(dict.fromkeys(cause for e in members for cause in e.causes))
        yield replace(found, role=Role.CONFIRMATION, at=began, causes=causes)


def _kills_of_others(
    events: Sequence[Event], instant: Instant, host_of: HostOf
) -> Iterator[Observation]:
    """Yield the kills of programs that no training runs, where a process of the session told of a
    failure of its own: who is killed tells of none.
    """
    killed = [e for e in events if e.signature in KILLS and e.fields.get("comm")]
    own = {e.line.pid for e in events if _is_of_session(e)} - {None}
    others = [e for e in killed if _is_another(e, own)]
    has_own = any(OWN in e.causes and e.role in BEGINNINGS and _is_of_session(e) for e in events)
    if others and len(others) == len(killed) and has_own:
        told = finding("kill-of-another", others, instant, host_of(others[0]), Layer.HOST)
        yield replace(told, role=Role.CONTEXT)


def _is_another(kill: Event, own: Set[int | None]) -> bool:
    is_ours = whole_number(kill.fields.get("pid")) in own
    return not is_ours and TRAINS.search(kill.fields["comm"]) is None


def _boots(
    events: Sequence[Event],
    instant: Instant,
    host_of: HostOf,
    failed_at: datetime | None,
) -> Iterator[Observation]:
    """Yield hosts that booted right after the failure, by themselves or because they were told to.

    Power and boards fail without a line: the gap before a boot is all there is to see.
    """
    if failed_at is None:
        return
    timed = [(at, e) for e in events if (at := instant(e)[0]) is not None]
    # What booted before the session was heard at all is none of its business.
    started_at = min([failed_at, *(at for at, e in timed if _is_of_session(e))])
    earliest = max(started_at, failed_at - NOTICED_LATE)
    by_host: dict[str, list[tuple[datetime, Event]]] = defaultdict(list)
    for at, event in timed:
        by_host[host_of(event) or ""].append((at, event))
    for host, told in sorted(by_host.items()):
        boots = [(at, e) for at, e in told if e.signature in BOOTS]
        near = [(at, e) for at, e in boots if earliest < at <= failed_at + BOOT_TAKES]
        if host and near:
            first = min(near, key=lambda one: (one[0], one[1].order_key))
            yield from _boot(host, first, told, failed_at)


def _is_of_session(event: Event) -> bool:
    return (event.line.origin.stream or event.line.stream or Stream.SESSION) is Stream.SESSION


def _boot(
    host: str,
    boot: tuple[datetime, Event],
    told: Sequence[tuple[datetime, Event]],
    failed_at: datetime,
) -> Iterator[Observation]:
    at, marker = boot
    before = [(when, e) for when, e in told if when < at]
    orders = [e for when, e in before if e.signature in SHUT_DOWNS and at - when <= ORDERED]
    heard_at = max((when for when, _ in before), default=None)
    if orders:
        ordered_at = min(when for when, e in before if e in orders)
        if ordered_at <= failed_at:
            yield _told("host-shut-down", [*orders, marker], host, ordered_at, ("process-killed",))
        return
    if heard_at is not None and heard_at > failed_at + STILL_ALIVE:
        return
    if any(_explains(e) for when, e in before if at - when <= BOOT_TAKES):
        return
    gone_at = min(failed_at, at - BOOT_TAKES_AT_LEAST)
    if heard_at is not None:
        gone_at = max(gone_at, min(heard_at, failed_at))
    yield _told("rebooted-during", [marker], host, gone_at, ("node-unreachable",))


def _explains(event: Event) -> bool:
    """Say whether a line tells why somebody, or the kernel, restarted the host."""
    is_fault = event.role is Role.INITIATING and event.layer in REPAIRED
    return is_fault or event.signature in CRASHES


def _told(
    name: str, members: Sequence[Event], host: str, at: datetime, causes: tuple[str, ...]
) -> Observation:
    found = finding(name, members, None, host, Layer.HOST)
    return replace(found, at=at, last_at=at, causes=causes)
