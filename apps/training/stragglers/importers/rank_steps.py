"""What ranks computed and how long they sat in collectives, step by step → a step trace.

It has one stage and one collective a step, which ends when all ranks are there: enough to find a
slow rank, and too coarse to tell stages apart.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from apps.training.stragglers import operations as op
from apps.training.stragglers.step_trace import COLUMNS, BadTrace, StepTrace, step_trace


@dataclass(frozen=True, slots=True, kw_only=True)
class RankStep:
    """One step of one rank: what it lasted, and what of it was computing and exposed waiting."""

    rank: int
    step: int
    step_seconds: float
    computing_seconds: float
    collective_seconds: float  # in collectives while nothing was computed

    @property
    def remaining_seconds(self) -> float:
        """Return what is neither: the host prepares, reads data, or nothing runs."""
        return max(0.0, self.step_seconds - self.computing_seconds - self.collective_seconds)


def trace_of_rank_steps(rows: Iterable[RankStep]) -> StepTrace:
    """Return the trace of these rows, in any order; raises BadTrace where no step has all ranks."""
    told = sorted(set(rows), key=lambda each: (each.rank, each.step))
    if not told:
        raise BadTrace("no steps")
    replicas = {rank: at for at, rank in enumerate(sorted({each.rank for each in told}))}
    cells = [cell for each in told for cell in _operations(each, replicas[each.rank])]
    return step_trace({name: [cell[at] for cell in cells] for at, name in enumerate(COLUMNS)})


def _operations(row: RankStep, replica: int) -> list[tuple[object, ...]]:
    parts = (
        (op.FORWARD, 0.0, row.computing_seconds, 0),
        (op.GRADIENTS_SCATTER, row.computing_seconds, row.collective_seconds, 0),
        (
            op.OPTIMIZER,
            row.computing_seconds + row.collective_seconds,
            row.remaining_seconds,
            -1,
        ),
    )
    return [
        (replica, 0, row.rank, row.step, kind, start, lasted, 0, chunk, -1, chunk)
        for kind, start, lasted, chunk in parts
    ]
