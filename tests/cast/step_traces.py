"""Step traces of a made-up pipeline job: one forward, one backward at a time, then the exchange.

It plays the schedule forward in time from drawn durations; what a slow part really cost is the
mean step time beside that of the same job, drawn alike, without it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from apps.diagnosis.stats import Floats

FORWARD_SECONDS, TRANSFER_SECONDS, EXCHANGE_SECONDS = 0.05, 0.0006, 0.03
COLUMNS = (
    *("dp_rank", "stage", "rank", "step", "optype"),
    *("start_ts", "duration", "seq_id", "mc", "mb_id", "gmc"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What is drawn; `slow` are factors on what a part takes."""

    seed: int
    replicas: int = 8
    stages: int = 4
    microbatches: int = 8
    steps: int = 6
    slow_worker: tuple[int, int] = (0, 0)  # replica and stage
    worker_factor: float = 1.0
    last_stage_factor: float = 1.0
    sequence_spread: float = 0.0  # of the logarithm of a microbatch's length
    exchange_factor: float = 1.0  # of the exchange in one step of three
    unexplained_seconds: float = 0.0  # before each pass, told of by no operation


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """The columns of the trace, and how long its steps really took."""

    columns: dict[str, list[Any]]
    mean_step_seconds: float


class _Play:
    """The clock of each worker (arrays of replicas and steps), and what it did."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.random = np.random.default_rng(job.seed)
        self.lanes = (job.replicas, job.steps)
        self.told: list[tuple[str, int, int, int, Floats, Floats]] = []
        size = (job.microbatches, *self.lanes)
        spread = job.sequence_spread
        self.lengths = np.exp(self.random.normal(-(spread**2) / 2, spread, size))

    def tell(self, kind: str, stage: int, number: int, start: Floats, end: Floats) -> None:
        chunk = 0 if kind.endswith("compute") or kind == "params-all-gather" else -1
        self.told.append((kind, stage, number, chunk, start, end))

    def pass_seconds(self, stage: int, number: int, base: float) -> Floats:
        job = self.job
        lasted: Floats = base * self.lengths[number] * self.random.lognormal(0, 0.01, self.lanes)
        if stage == job.stages - 1:
            lasted = lasted * job.last_stage_factor
        if stage == job.slow_worker[1]:
            lasted[job.slow_worker[0]] *= job.worker_factor
        return lasted

    def transfer_seconds(self) -> Floats:
        lasted: Floats = TRANSFER_SECONDS * self.random.lognormal(0, 0.1, self.lanes)
        return lasted


def draw(job: Job) -> Drawn:
    """Return the trace of a job; the same job gives the same trace."""
    play, end = _played(job)
    return Drawn(columns=_columns(play), mean_step_seconds=float(end.mean()))


def mean_step_seconds(job: Job) -> float:
    """Return how long steps of a job last."""
    return float(_played(job)[1].mean())


def _played(job: Job) -> tuple[_Play, Floats]:
    play = _Play(job)
    start = np.zeros(play.lanes)
    free = [start + EXCHANGE_SECONDS / 2 for _ in range(job.stages)]
    for stage in range(job.stages):
        play.tell("params-all-gather", stage, 0, start, free[stage])
    _passes(play, free)
    return play, _exchange(play, free)


def worker_slowed_by(job: Job, slowdown: float) -> tuple[Job, float]:
    """Return the job with its worker slowed so that steps last so many times longer, and by what
    they really do.
    """
    healthy = mean_step_seconds(replace(job, worker_factor=1.0))
    return _found(
        lambda factor: replace(job, worker_factor=factor),
        lambda slowed: mean_step_seconds(slowed) / healthy,
        slowdown,
    )


def _found(
    make: Callable[[float], Job], cost: Callable[[Job], float], wanted: float
) -> tuple[Job, float]:
    low, high = 1.0, 8.0
    for _ in range(24):
        middle = (low + high) / 2
        low, high = (middle, high) if cost(make(middle)) < wanted else (low, middle)
    return make(high), cost(make(high))


def _schedule(stage: int, stages: int, microbatches: int) -> list[tuple[str, int]]:
    """Return the order of passes of one stage: warm-up, one of each in turn, the rest."""
    warm = min(stages - stage - 1, microbatches)
    order = [("forward", number) for number in range(warm)]
    for number in range(microbatches - warm):
        order += [("forward", warm + number), ("backward", number)]
    return order + [("backward", number) for number in range(microbatches - warm, microbatches)]


def _passes(play: _Play, free: list[Floats]) -> None:
    job = play.job
    waiting = [_schedule(stage, job.stages, job.microbatches) for stage in range(job.stages)]
    ends: dict[tuple[str, int, int], Floats] = {}
    posted: dict[tuple[str, int], Floats] = {}
    while any(waiting):
        for stage, order in enumerate(waiting):
            while order and _is_fed(job, ends, stage, *order[0]):
                way, number = order.pop(0)
                begin = _begin(play, free[stage], ends, posted, (way, stage, number))
                base = FORWARD_SECONDS * (1 if way == "forward" else 2)
                end = begin + play.pass_seconds(stage, number, base)
                play.tell(f"{way}-compute", stage, number, begin, end)
                ends[way, stage, number] = free[stage] = end


def _former(way: str, stage: int) -> int:
    return stage - 1 if way == "forward" else stage + 1


def _is_fed(
    job: Job, ends: dict[tuple[str, int, int], Floats], stage: int, way: str, number: int
) -> bool:
    former = _former(way, stage)
    return not 0 <= former < job.stages or (way, former, number) in ends


def _begin(
    play: _Play,
    free: Floats,
    ends: dict[tuple[str, int, int], Floats],
    posted: dict[tuple[str, int], Floats],
    turn: tuple[str, int, int],
) -> Floats:
    """Tell of the transfer that feeds a pass, and return when the pass begins."""
    way, stage, number = turn
    former = _former(way, stage)
    if 0 <= former < play.job.stages:
        sent, ready = ends[way, former, number], posted.get((way, stage), np.zeros(play.lanes))
        ready = np.maximum(ready, ends.get((way, stage, number - 1), ready))
        moved = np.maximum(ready, sent) + play.transfer_seconds()
        play.tell(f"{way}-send", former, number, sent, moved)
        play.tell(f"{way}-recv", stage, number, ready, moved)
        posted[way, stage] = moved
        free = np.maximum(free, moved)
    return free + play.job.unexplained_seconds


def _exchange(play: _Play, free: list[Floats]) -> Floats:
    job = play.job
    lasted = EXCHANGE_SECONDS * play.random.lognormal(0, 0.02, job.steps)
    lasted[::3] *= job.exchange_factor
    done = []
    for stage in range(job.stages):
        play.tell("gc", stage, 0, free[stage], free[stage])
        end = np.broadcast_to(free[stage].max(axis=0) + lasted, play.lanes)
        play.tell("grads-reduce-scatter", stage, 0, free[stage], end)
        done.append(end)
    together = np.broadcast_to(np.maximum.reduce(done).max(axis=0) + 0.001, play.lanes)
    for stage in range(job.stages):
        play.tell("optimizer-clip-main-grad", stage, 0, done[stage], together)
        play.tell("optimizer", stage, 0, together, together + 0.01)
    return together + 0.01


def _columns(play: _Play) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for kind, stage, number, chunk, start, end in play.told:
        for replica in range(play.job.replicas):
            for step in range(play.job.steps):
                row = (
                    *(replica, stage, stage * play.job.replicas + replica, 100 + step, kind),
                    *(float(start[replica, step]), float((end - start)[replica, step])),
                    *(number, chunk, -1 if chunk < 0 else number, stage if chunk == 0 else -1),
                )
                for name, cell in zip(COLUMNS, row, strict=True):
                    columns[name].append(cell)
    return columns
