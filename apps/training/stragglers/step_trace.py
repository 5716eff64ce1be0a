"""Rows of a step trace → one cube of starts and durations: operations, replicas, steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from apps.diagnosis.spelling import shown
from apps.diagnosis.stats import Floats
from apps.training.stragglers.operations import KNOWN

COLUMNS: Final = (
    *("dp_rank", "stage", "rank", "step", "optype"),
    *("start_ts", "duration", "seq_id", "mc", "mb_id", "gmc"),
)
WHOLE: Final = ("dp_rank", "stage", "rank", "step", "seq_id", "mc", "gmc")
# Of the cube: a trace with holes names far more than it holds, and two rows may name millions.
MOST_CELLS, CELLS_A_ROW, FEW_CELLS = 50_000_000, 16, 100_000
CELLS_OF_OPERATION: Final = 1000
NAMED: Final = 3


class BadTrace(ValueError):
    """A trace that can't be used, with the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation of a step, done once by each replica."""

    kind: str
    sequence: int  # among those of its kind, stage and step, from 0
    stage: int
    chunk: int  # model chunk inside the stage, -1 for none
    global_chunk: int  # model chunk inside the model, -1 for none


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTrace:
    """Operations of several steps of one job; seconds since the begin of each step.

    `starts_seconds` and `durations_seconds` have the shape (operations, replicas, steps).
    """

    operations: tuple[Operation, ...]
    steps: tuple[int, ...]
    ranks: Mapping[tuple[int, int], int]  # (dp_rank, stage) → lowest global rank
    starts_seconds: Floats
    durations_seconds: Floats
    incomplete_steps: int  # left out: not every worker tells of every operation

    @property
    def replica_count(self) -> int:
        """Return how many data-parallel ranks there are."""
        return int(self.starts_seconds.shape[1])

    @property
    def stage_count(self) -> int:
        """Return how many pipeline stages there are."""
        return 1 + max(each.stage for each in self.operations)

    @property
    def replayed_cells(self) -> int:
        """Return how many cells are gone through: once for each replica, stage and kind.

        An operation takes as long by itself as many of its cells.
        """
        kinds = len({each.kind for each in self.operations})
        cells = int(self.starts_seconds.size) + CELLS_OF_OPERATION * len(self.operations)
        return cells * (self.replica_count + self.stage_count + kinds)

    @property
    def ends_seconds(self) -> Floats:
        """Return when operations ended, in the shape of their starts."""
        return self.starts_seconds + self.durations_seconds


def step_trace(columns: Mapping[str, Sequence[Any]]) -> StepTrace:
    """Return the trace of a table with the columns of NDTimeline, in seconds, rows in any order.

    A row told twice counts once. Raises BadTrace for what is no such table.
    """
    numbers = _numbers(columns)
    keys, operation = _operations(columns["optype"], numbers)
    steps, step = np.unique(numbers["step"], return_inverse=True)
    shape = (len(keys), int(numbers["dp_rank"].max()) + 1, len(steps))
    room = min(MOST_CELLS, FEW_CELLS + CELLS_A_ROW * len(step))
    if np.prod(shape, dtype=np.float64) > room:
        raise BadTrace(
            f"{shape[0]} operations of {shape[1]} replicas in {shape[2]} steps are too many"
        )
    place = (operation, numbers["dp_rank"].astype(np.intp), step)
    starts = _cube(shape, place, numbers["start_ts"], "start_ts")
    durations = _cube(shape, place, numbers["duration"], "duration")
    is_whole = ~np.isnan(starts).any(axis=(0, 1))
    if not is_whole.any():
        raise BadTrace(_lacking(keys, starts))
    starts = starts[:, :, is_whole]
    return StepTrace(
        operations=_named(keys, numbers, operation),
        steps=tuple(int(each) for each in steps[is_whole]),
        ranks=_ranks(numbers),
        starts_seconds=starts - starts.min(axis=(0, 1)),
        durations_seconds=durations[:, :, is_whole],
        incomplete_steps=int(np.count_nonzero(~is_whole)),
    )


def _numbers(columns: Mapping[str, Sequence[Any]]) -> dict[str, Floats]:
    lacking = [each for each in COLUMNS if each not in columns]
    if lacking:
        raise BadTrace(f"no column {', '.join(lacking)}; a step trace has {', '.join(COLUMNS)}")
    if not len(columns["step"]):
        raise BadTrace("no rows")
    numbers = {}
    for name in (*WHOLE, "start_ts", "duration"):
        try:
            numbers[name] = np.asarray(columns[name], dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise BadTrace(f"column {name}: not all cells are numbers") from error
    _check(numbers)
    return numbers


def _check(numbers: Mapping[str, Floats]) -> None:
    for name, cells in numbers.items():
        if not np.isfinite(cells).all():
            raise BadTrace(f"column {name}: cells are empty or no numbers")
        if name in WHOLE and (cells != np.rint(cells)).any():
            raise BadTrace(f"column {name}: not all cells are whole numbers")
    for name in ("dp_rank", "stage", "rank", "seq_id", "duration"):
        if (numbers[name] < 0).any():
            raise BadTrace(f"column {name}: cells are below 0")


def _operations(
    kinds: Sequence[Any], numbers: Mapping[str, Floats]
) -> tuple[list[tuple[str, int, int]], np.ndarray[Any, Any]]:
    """Return the operations in a fixed order, and which of them each row tells of."""
    unknown = sorted({str(each) for each in kinds} - KNOWN)
    if unknown:
        known, named = ", ".join(sorted(KNOWN)), ", ".join(map(_shown, unknown[:NAMED]))
        raise BadTrace(f"column optype: {named} not known; known: {known}")
    told = [
        (str(kind), int(sequence), int(stage))
        for kind, sequence, stage in zip(kinds, numbers["seq_id"], numbers["stage"], strict=True)
    ]
    keys = sorted(set(told), key=lambda key: (key[2], key[0], key[1]))
    at = {key: index for index, key in enumerate(keys)}
    return keys, np.array([at[key] for key in told])


def _shown(kind: str) -> str:
    return shown(word=kind)


def _cube(
    shape: tuple[int, int, int], place: tuple[Any, Any, Any], cells: Floats, name: str
) -> Floats:
    lowest, highest = np.full(shape, np.inf), np.full(shape, -np.inf)
    np.minimum.at(lowest, place, cells)
    np.maximum.at(highest, place, cells)
    if (lowest < highest).any():
        raise BadTrace(f"column {name}: one operation is told twice, and differently")
    return np.where(np.isinf(lowest), np.nan, lowest)


def _lacking(keys: Sequence[tuple[str, int, int]], starts: Floats) -> str:
    holes = np.isnan(starts).any(axis=(1, 2))
    named = [
        f"{keys[at][0]} {keys[at][1]} of stage {keys[at][2]}"
        for at in np.flatnonzero(holes).tolist()
    ]
    return f"no step is told by every worker; lacking: {', '.join(named[:NAMED])}"


def _named(
    keys: Sequence[tuple[str, int, int]],
    numbers: Mapping[str, Floats],
    operation: np.ndarray[Any, Any],
) -> tuple[Operation, ...]:
    """Return the operations; all rows are gone through once, however many operations there are."""
    chunks, global_chunks = np.full((2, len(keys)), np.inf)
    np.minimum.at(chunks, operation, numbers["mc"])
    np.minimum.at(global_chunks, operation, numbers["gmc"])
    return tuple(
        Operation(kind=kind, sequence=sequence, stage=stage, chunk=int(mc), global_chunk=int(gmc))
        for (kind, sequence, stage), mc, gmc in zip(
            keys, chunks.tolist(), global_chunks.tolist(), strict=True
        )
    )


def _ranks(numbers: Mapping[str, Floats]) -> dict[tuple[int, int], int]:
    found: dict[tuple[int, int], int] = {}
    told = np.unique(np.stack([numbers[each] for each in ("dp_rank", "stage", "rank")]), axis=1)
    for replica, stage, rank in told.T.astype(int).tolist():
        found[replica, stage] = min(rank, found.get((replica, stage), rank))
    return found
