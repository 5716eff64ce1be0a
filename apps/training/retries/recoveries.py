"""The time from a failure to the next step, divided among its stages to the millisecond."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

import numpy as np

from apps.training.instants import instant, milliseconds
from apps.training.retries.recovery_marks import (
    FAILURES,
    FIRST_COUNTS,
    STAGE_ENDED_BY,
    MarkKind,
    RecoveryMark,
    Stage,
)

# Ranks notice one failure within this time of each other; what is told later is another one.
SAME_FAILURE = timedelta(minutes=1)
ORDER = [MarkKind.FAILED, *STAGE_ENDED_BY]
ORDER_OF = {kind: place for place, kind in enumerate(MarkKind)}


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryStage:
    """A part of a recovery. Where marks are missing it holds what they would have ended, too."""

    stage: Stage
    starts_at: datetime
    milliseconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """One recovery: its parts follow each other and add up to all of it."""

    starts_at: datetime
    stages: tuple[RecoveryStage, ...]
    missing: tuple[MarkKind, ...]  # that nobody told of
    attribution_ms: int | None  # beside the stages, None where it was not told
    cycle: int | None

    @property
    def total_ms(self) -> int:
        """Return the milliseconds from its first mark to its last."""
        return sum(part.milliseconds for part in self.stages)

    @property
    def is_restart(self) -> bool:
        """Say whether it began with a failure; else it is the first start of a job."""
        return not set(self.missing) >= FAILURES

    @property
    def is_complete(self) -> bool:
        """Say whether steps are made again."""
        return MarkKind.FIRST_STEP not in self.missing

    @property
    def by_stage(self) -> Mapping[Stage, int]:
        """Return the milliseconds of each stage, in their order."""
        return {
            stage: sum(part.milliseconds for part in self.stages if part.stage is stage)
            for stage in Stage
        }


def recoveries(marks: Iterable[RecoveryMark]) -> list[Recovery]:
    """Return the recoveries that marks tell of, in order."""
    return [_recovery(cycle, some) for cycle, some in _cycles(set(marks))]


def _cycles(marks: set[RecoveryMark]) -> Iterator[tuple[int | None, list[RecoveryMark]]]:
    """Yield the marks of each recovery.

    Marks that name a cycle belong to it, others are placed by their time. Where none names one, a
    failure begins one, unless no more than the failure is known of the one before it.
    """
    counted: dict[int, list[RecoveryMark]] = {}
    for mark in _by_time(marks):
        if mark.cycle is not None:
            counted.setdefault(mark.cycle, []).append(mark)
    if not counted:
        yield from ((None, some) for some in _by_failures(_by_time(marks)))
        return
    begins = sorted((some[0].at, cycle) for cycle, some in counted.items())
    for mark in _by_time(marks):
        if mark.cycle is None:
            counted[_cycle_of(mark, begins)].append(mark)
    yield from ((cycle, counted[cycle]) for _, cycle in begins)


def _cycle_of(mark: RecoveryMark, begins: Sequence[tuple[datetime, int]]) -> int:
    """Return whose mark it is: a failure's is the cycle that it set off, else the one it is in."""
    if mark.kind in FAILURES:
        after = [cycle for at, cycle in begins if at + SAME_FAILURE >= mark.at]
        return after[0] if after else begins[-1][1]
    before = [cycle for at, cycle in begins if at <= mark.at]
    return before[-1] if before else begins[0][1]


def _by_failures(ordered: Iterable[RecoveryMark]) -> list[list[RecoveryMark]]:
    cycles: list[list[RecoveryMark]] = []
    for mark in ordered:
        is_new = mark.kind in FAILURES and not _is_of(cycles[-1] if cycles else [], mark)
        if is_new or not cycles:
            cycles.append([])
        cycles[-1].append(mark)
    return cycles


def _is_of(cycle: Sequence[RecoveryMark], failure: RecoveryMark) -> bool:
    """Say whether a failure is told once more of a recovery that has not got far yet."""
    failed = [mark.at for mark in cycle if mark.kind in FAILURES]
    got_on = any(mark.kind in STAGE_ENDED_BY and mark.kind not in FAILURES for mark in cycle)
    return bool(failed) and (not got_on or failure.at - failed[0] <= SAME_FAILURE)


def _by_time(marks: Iterable[RecoveryMark]) -> list[RecoveryMark]:
    return sorted(marks, key=lambda mark: (mark.at, ORDER_OF[mark.kind], mark.node, mark.rank))


def _recovery(cycle: int | None, marks: Sequence[RecoveryMark]) -> Recovery:
    at = {kind: _at(kind, marks) for kind in MarkKind}
    known = [(kind, found) for kind in ORDER if (found := at[kind]) is not None]
    begun, done = at[MarkKind.ATTRIBUTION_STARTED], at[MarkKind.ATTRIBUTION_COMPLETED]
    starts = known[0][1] if known else min(milliseconds(mark.at) for mark in marks)
    return Recovery(
        starts_at=instant(starts),
        stages=tuple(_stages(known)),
        missing=tuple(kind for kind in ORDER if at[kind] is None),
        attribution_ms=None if begun is None or done is None else max(0, done - begun),
        cycle=cycle,
    )


def _stages(known: Sequence[tuple[MarkKind, int]]) -> Iterator[RecoveryStage]:
    """Yield what lies between marks; one before its turn ends nothing, so that all adds up."""
    latest = np.maximum.accumulate([at for _, at in known]).tolist()
    for (start, end), (kind, _) in zip(pairwise(latest), known[1:], strict=True):
        yield RecoveryStage(
            stage=STAGE_ENDED_BY[kind], starts_at=instant(start), milliseconds=end - start
        )


def _at(kind: MarkKind, marks: Sequence[RecoveryMark]) -> int | None:
    found = [milliseconds(mark.at) for mark in marks if mark.kind is kind]
    if not found:
        return None
    return min(found) if kind in FIRST_COUNTS else max(found)
