"""Beside the steps: what failed before on the same host is a prior, and said as such."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from apps.diagnosis.faulting_units import MANY_PROCESSES, processes_of, units_of
from apps.diagnosis.model import (
    Event,
    Layer,
    Observation,
    PastFailure,
    Role,
    Verdict,
    VerdictStatus,
    statement,
)
from apps.diagnosis.observed import HostOf

SIGN = "history:repeat"
SAME_GPU = "history:same-gpu-faults"
# A rank sits on the same GPU attempt after attempt, so its program fails there each time, but in
# any of the GPU's many units.
SAME_UNIT = "history:same-unit-faults"
# Faults that the program or the GPU may be to blame for.
AMBIGUOUS = frozenset({"13", "31"})
NAMED = frozenset({VerdictStatus.LIKELY, VerdictStatus.POSSIBLE})
# Nothing was broken then.
HARMLESS = frozenset({"process-killed", "benign", "unknown"})


def offenders(*, history: Sequence[PastFailure], hosts: frozenset[str]) -> list[Observation]:
    """Return one observation for each host and cause that failed before."""
    groups: dict[tuple[str, str, Layer], set[datetime | None]] = defaultdict(set)
    for one in history:
        if one.host in hosts and one.cause not in HARMLESS:
            groups[one.host, one.cause, one.layer].add(one.at)
    return [
        Observation(
            sign=SIGN,
            role=Role.CONTEXT,
            layer=layer,
            causes=(cause,),
            host=host,
            hosts=(host,),
            count=len(stamps),
            statement=statement("failed-before-here", host=host, count=len(stamps), cause=cause),
        )
        for (host, cause, layer), stamps in sorted(groups.items())
    ]


def same_gpu(
    *, events: Sequence[Event], earlier: Sequence[Event], host_of: HostOf
) -> list[Observation]:
    """Return the GPUs whose faults came in earlier attempts, too, under other processes: in one
    unit of the GPU each time, or anywhere.
    """
    before, now = _faults(earlier, host_of), _faults(events, host_of)
    return [
        Observation(
            sign=SAME_UNIT if _is_of_one_unit([*before[place], *now[place]]) else SAME_GPU,
            role=Role.CONTEXT,
            layer=Layer.GPU,
            host=place[0] or None,
            hosts=(place[0],) if place[0] else (),
            fields={"pci": place[1]},
            count=len(before[place]),
            events=tuple(before[place][-1:]),
        )
        for place in sorted(now)
        if place in before
    ]


def _is_of_one_unit(faults: Sequence[Event]) -> bool:
    return len(units_of(faults)) == 1 and len(processes_of(faults)) >= MANY_PROCESSES


def _faults(events: Sequence[Event], host_of: HostOf) -> Mapping[tuple[str, str], list[Event]]:
    found: dict[tuple[str, str], list[Event]] = defaultdict(list)
    for event in events:
        if event.fields.get("xid") in AMBIGUOUS and event.fields.get("pci"):
            found[host_of(event) or "", event.fields["pci"]].append(event)
    return found


def past(*, verdict: Verdict, at: datetime | None) -> list[PastFailure]:
    """Return what a verdict leaves for the attempts after it."""
    if verdict.status not in NAMED:
        return []
    hosts = sorted({one.host for one in verdict.culprits if one.host})
    return [
        PastFailure(host=host, layer=verdict.layer, cause=verdict.cause, at=at) for host in hosts
    ]
