"""What is told of a recovery: instants with names, and the lines in which NVRx prints them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from apps.diagnosis.input_values import whole_number

# As nvidia-resiliency-ext writes each event of a cycle, to milliseconds.
NVRX = re.compile(
    r"Cycle: (?P<cycle>\d+|Unknown) Event: (?P<event>\w+) Node: (?P<node>\S+) "
    r"Rank: (?P<rank>\S+) Time: (?P<at>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?) UTC",
    re.ASCII,
)


class Stage(StrEnum):
    """Where the time between a failure and the next step goes, in their order."""

    DETECT = "detect"
    TERMINATE = "terminate"
    REQUEUE = "requeue"
    RENDEZVOUS = "rendezvous"
    HEALTH = "health"
    START = "start"
    LOAD = "load"
    FIRST_STEP = "first-step"


class MarkKind(StrEnum):
    """What happened, in the order in which it does; NVRx's nine events under their own names."""

    FAILED = "failed"
    FAILURE_DETECTED = "failure_detected"
    WORKER_TERMINATED = "worker_terminated"
    ATTEMPT_STARTED = "attempt_started"  # by a scheduler, where the job was started anew
    RENDEZVOUS_STARTED = "rendezvous_started"
    HEALTH_CHECK_COMPLETED = "health_check_completed"
    RENDEZVOUS_COMPLETED = "rendezvous_completed"
    WORKER_START_STARTED = "worker_start_started"
    WORKER_START_COMPLETED = "worker_start_completed"
    LOAD_STARTED = "load_started"
    LOAD_COMPLETED = "load_completed"
    FIRST_STEP = "first_step"
    # Beside the others: what the failure is put down to is looked for while they go on.
    ATTRIBUTION_STARTED = "attribution_get_started"
    ATTRIBUTION_COMPLETED = "attribution_get_completed"


KINDS = {kind.value: kind for kind in MarkKind}
# What each mark is the end of. A recovery begins with the first.
STAGE_ENDED_BY = {
    MarkKind.FAILURE_DETECTED: Stage.DETECT,
    MarkKind.WORKER_TERMINATED: Stage.TERMINATE,
    MarkKind.ATTEMPT_STARTED: Stage.REQUEUE,
    MarkKind.RENDEZVOUS_STARTED: Stage.RENDEZVOUS,
    MarkKind.HEALTH_CHECK_COMPLETED: Stage.HEALTH,
    MarkKind.RENDEZVOUS_COMPLETED: Stage.RENDEZVOUS,
    MarkKind.WORKER_START_STARTED: Stage.START,
    MarkKind.WORKER_START_COMPLETED: Stage.START,
    MarkKind.LOAD_STARTED: Stage.START,
    MarkKind.LOAD_COMPLETED: Stage.LOAD,
    MarkKind.FIRST_STEP: Stage.FIRST_STEP,
}
FAILURES = {MarkKind.FAILED, MarkKind.FAILURE_DETECTED}
# Of many ranks the first that begins counts, and the last that is done.
FIRST_COUNTS = {
    *FAILURES,
    MarkKind.ATTEMPT_STARTED,
    MarkKind.RENDEZVOUS_STARTED,
    MarkKind.WORKER_START_STARTED,
    MarkKind.LOAD_STARTED,
    MarkKind.ATTRIBUTION_STARTED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryMark:
    """One thing that happened on one rank. `cycle` counts starts, where somebody counts them."""

    kind: MarkKind
    at: datetime
    cycle: int | None = None
    node: str = ""
    rank: str = ""


def nvrx_marks(lines: Iterable[str]) -> Iterator[RecoveryMark]:
    """Yield the events of cycles that lines of NVRx's launcher tell; others are passed over."""
    for line in lines:
        found = NVRX.search(line)
        if found and found["event"] in KINDS:
            yield RecoveryMark(
                kind=KINDS[found["event"]],
                at=datetime.fromisoformat(found["at"]).replace(tzinfo=UTC),
                cycle=whole_number(found["cycle"]),
                node=found["node"],
                rank=found["rank"],
            )
