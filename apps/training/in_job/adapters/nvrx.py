"""NVRx: restarts inside of the process (who is left goes on) and of the processes (ft_launcher)."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from apps.diagnosis.input_values import rank_number
from apps.training.in_job.events import (
    BadEvent,
    CommunicatorRepaired,
    InJobEvent,
    ReplicaLost,
    name,
    number,
    whole,
)
from apps.training.in_job.restarts import ProcessRestart

LINE: Final = re.compile(
    r"- Cycle: (\d{1,9}) Event: (\w{1,60}) Node: (\S{1,253}) Rank: (\S{1,20}) "
    r"Time: (\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d{1,6})?) UTC"
)
BEGIN, END = "failure_detected", "worker_start_completed"
INTERRUPTED: Final = re.compile(r"Interruption\.(\w{1,40}) on ranks=\[([\d, ]{0,100000})\]")
# A rank whose function only raised takes part again; these are gone.
GONE: Final = frozenset({"HARD_TIMEOUT", "TERMINATED", "UNRESPONSIVE"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _LauncherEvent:
    cycle: int
    event: str
    node: str
    rank: str
    at_seconds: float


def inprocess_event(told: object) -> CommunicatorRepaired:
    """Return a restart inside of the processes from the state that it went on with.

    A record has `at`, `iteration`, `active_world_size` and `former_world_size`. Raises BadEvent
    that names the field.
    """
    if not isinstance(told, Mapping):
        raise BadEvent("a record is a JSON object")
    return CommunicatorRepaired(
        at_seconds=number(told, "at"),
        epoch=whole(told, "iteration"),
        members_before=whole(told, "former_world_size"),
        members_after=whole(told, "active_world_size"),
        milliseconds=None,
    )


def inprocess_losses(told: object) -> tuple[InJobEvent, ...]:
    """Return the ranks that an in-process restart leaves out, one GPU each.

    A record has `at`, `iteration` and `message` as NVRx prints it (`Interruption.… on ranks=[…]`).
    Raises BadEvent that names the field.
    """
    if not isinstance(told, Mapping):
        raise BadEvent("a record is a JSON object")
    at, iteration = number(told, "at"), whole(told, "iteration")
    return tuple(
        ReplicaLost(
            at_seconds=at,
            replica=f"rank {int(rank)}",
            step=None,
            phase=f"{found[1].lower()} in restart {iteration}",
            gpu_count=1,
        )
        for found in INTERRUPTED.finditer(name(told, "message"))
        if found[1] in GONE
        for rank in filter(str.strip, found[2].split(","))
    )


def launcher_restarts(lines: Iterable[str]) -> tuple[ProcessRestart, ...]:
    """Return the restarts that ft_launcher's lines tell of, in any order; other lines say nothing.

    A cycle lasts from the first failure that is detected to the last worker that started.
    """
    by_cycle: dict[int, set[_LauncherEvent]] = defaultdict(set)
    for line in lines:
        found = LINE.search(line)
        if found:
            each = _told(found)
            by_cycle[each.cycle].add(each)
    return tuple(
        _restart(cycle, told)
        for cycle, told in sorted(by_cycle.items())
        if any(each.event == BEGIN for each in told)
    )


def _told(found: re.Match[str]) -> _LauncherEvent:
    try:
        at = datetime.fromisoformat(found[5]).replace(tzinfo=UTC).timestamp()
    except ValueError as error:
        raise BadEvent(f"Time: {found[5]} is no time") from error
    return _LauncherEvent(
        cycle=int(found[1]), event=found[2], node=found[3], rank=found[4], at_seconds=at
    )


def _restart(cycle: int, told: set[_LauncherEvent]) -> ProcessRestart:
    failures = [each for each in told if each.event == BEGIN]
    began = min(each.at_seconds for each in failures)
    started = [each.at_seconds for each in told if each.event == END and each.at_seconds >= began]
    return ProcessRestart(
        told_by="nvrx",
        number=cycle,
        at_seconds=began,
        took_seconds=max(started) - began if started else None,
        ranks=tuple(sorted(_ranks(failures))),
        hosts=tuple(sorted({each.node for each in failures})),
    )


def _ranks(failures: Iterable[_LauncherEvent]) -> set[int]:
    numbers = (rank_number(each.rank) for each in failures)
    return {number for number in numbers if number is not None}
