"""Where to look: hosts that may have stopped first, and what of them was not read."""

from collections.abc import Sequence
from datetime import datetime

from apps.diagnosis.failure_tables import ENDED
from apps.diagnosis.input_values import is_whole_number, signed_number
from apps.diagnosis.model import (
    Coverage,
    CoverageState,
    Event,
    FirstStopBy,
    FirstStopper,
    Observation,
    Reading,
    Role,
    Stream,
    Topology,
)
from apps.diagnosis.observed import TASKS, task_host
from apps.diagnosis.reasoning.scope.identity import kernel_hosts
from apps.diagnosis.reasoning.timing import first_stop

LEAST_NAMING = 2
OBEDIENT, ENDED_BY = {0, *ENDED}, frozenset({"Terminated", "Killed"})
FAILURES = frozenset({Role.CASCADE, Role.CONFIRMATION, Role.TEARDOWN})


def suspects_among(
    first: FirstStopper | None,
    events: Sequence[Event],
    readings: Sequence[Reading],
    topology: Topology,
) -> frozenset[str]:
    """Return the hosts that stopped first, else those that most peers name."""
    ranks = first.ranks if first else ()
    hosts = set(first_stop.hosts_of(ranks=ranks, readings=readings, topology=topology))
    named = first_stop.named_hosts(events=events, addresses=topology.aliases)
    most = max(named.values(), default=0)
    # Several peers that name one host are as good a witness as who fell silent.
    if not hosts or most >= LEAST_NAMING:
        hosts |= {host for host, count in named.items() if count == most}
    return frozenset(hosts)


def placed_among(
    suspects: frozenset[str], readings: Sequence[Reading], topology: Topology
) -> frozenset[str]:
    """Return the suspects without addresses of which nobody tells whose they are, where kernels go
    by names: any of those hosts may be meant, none is less suspect.
    """
    kernels = kernel_hosts(readings=readings, topology=topology)
    if not kernels:
        return suspects
    return frozenset(host for host in suspects if host in kernels or not _is_address(host))


def _is_address(host: str) -> bool:
    return ":" in host or is_whole_number(host.split(".", 1)[0])


def left_on_one(
    first: FirstStopper | None,
    events: Sequence[Event],
    readings: Sequence[Reading],
    topology: Topology,
) -> str | None:
    """Return the only host where processes left with errors of their own, None for several."""
    if (alone := _host_of_lone_task(events)) is not None:
        return topology.aliases.get(alone, alone)
    if first is None or first.by not in {FirstStopBy.EXIT_CODE, FirstStopBy.PROCESS}:
        return None
    seats = {
        first_stop.hosts_of(ranks=(one,), readings=readings, topology=topology)
        for one in first.ranks
    }
    hosts = seats.pop() if len(seats) == 1 else ()
    return hosts[0] if len(hosts) == 1 else None


def _host_of_lone_task(events: Sequence[Event]) -> str | None:
    """Return the host of the one task that left with an error code of its own, where its launcher
    ended all others; None where several did, or nobody says.
    """
    tasks = [event for event in events if event.signature in TASKS and event.fields.get("task")]
    own = [e for e in tasks if (signed_number(e.fields.get("exitcode")) or 0) not in OBEDIENT]
    is_rest_ended = all(e in own or e.fields.get("signal") in ENDED_BY for e in tasks)
    is_alone = len(own) == 1 < len(tasks) and is_whole_number(own[0].fields["task"])
    return task_host(own[0]) if is_alone and is_rest_ended else None


def ended_at(observations: Sequence[Observation], failed_at: datetime | None) -> datetime | None:
    """Return when the others gave up: the first consequence after the failure."""
    ends = [one.at for one in observations if one.role is Role.CASCADE and one.at is not None]
    later = [at for at in ends if failed_at is None or at >= failed_at]
    return min(later, default=failed_at)


def over_at(observations: Sequence[Observation]) -> datetime | None:
    """Return when the session last told of its failure."""
    own = [
        one.last_at
        for one in observations
        if one.role in FAILURES and one.last_at and any(_is_own(e) for e in one.events)
    ]
    return max(own, default=None)


def _is_own(event: Event) -> bool:
    return (event.line.origin.stream or event.line.stream or Stream.SESSION) is Stream.SESSION


def unread_among(suspects: frozenset[str], covered: Sequence[Coverage]) -> frozenset[str]:
    """Return the suspects whose kernel log is missing although others' could be read."""
    for one in covered:
        if one.source == "kernel-log" and one.state is CoverageState.PRESENT:
            return suspects & frozenset(one.missing_hosts)
    return frozenset()
