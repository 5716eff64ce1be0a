"""E3 to E5: what stragglers cost, on published traces and on jobs of which it is known."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from apps.training.stragglers.fleet import StragglingJob, fleet_table
from apps.training.stragglers.step_trace import step_trace
from apps.training.stragglers.verdict import StragglerCause, verdict_on
from apps.training.stragglers.what_if import WhatIf, what_if
from tests.cast.step_traces import Job, draw, worker_slowed_by
from tests.score.measures import Measure

NEAR, SEEDS = 1e-3, (31, 32, 33, 34, 35)
HERE, ELSEWHERE = ("AR", "ST"), "SE"
JOBS, STRAGGLING, WASTED = 3079, 0.425, 0.104  # of the published study
Part = tuple[list[Measure], list[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Injected:
    """A job with a worker slowed so that steps last so much longer."""

    job: Job
    real: float
    found: WhatIf


def part(*, folder: Path) -> Part:
    """Return the rows; those of the published traces only where they are."""
    rows, misses = _published(folder)
    injected = _injected()
    rows += [
        _near("E3 injected 1.16, 1.40, 2.03 in 64 workers: S within 0.05", injected, replicas=16),
        _near("E3 the same in 16 workers: S beside its peers within 0.05", injected, replicas=4),
        _refused(),
        *_verdicts(injected),
        *_fleet(),
    ]
    return rows, misses


def _published(folder: Path) -> Part:
    rows, misses = [], []
    for name in HERE:
        if not (folder / f"trace-{name}.parquet").is_file():
            rows.append(Measure(name=f"E3, E4 trace {name}: not here, not measured", n=0))
            continue
        found = _trace(folder, name)
        pairs = _pairs(folder, name, found)
        off = {what: (mine, theirs) for what, mine, theirs in pairs if abs(mine - theirs) > NEAR}
        misses += [
            f"trace {name}, {what}: {a:.4f}, published {b:.4f}" for what, (a, b) in off.items()
        ]
        rows += [
            _all(
                f"E3 trace {name}: S, S_t, S_w, M_W, M_S within 0.001",
                len(pairs) - len(off),
                len(pairs),
            ),
            Measure(
                name=f"E3 trace {name}: S",
                n=found.step_count,
                value=found.slowdown,
                value_interval=_spread(found),
            ),
            Measure(
                name=f"E3 trace {name}: simulation off by a share of",
                n=found.step_count,
                value=found.discrepancy,
                value_interval=(0.0, found.discrepancy),
                at_most=0.05,
            ),
        ]
        rows.append(_said_of(name, found))
    rows.append(Measure(name=f"E3, E4 trace {ELSEWHERE}: not here, not measured", n=0))
    return rows, misses


def _trace(folder: Path, name: str) -> WhatIf:
    from pyarrow import parquet  # type: ignore[import-untyped]  # noqa: PLC0415  an optional extra

    table = parquet.read_table(folder / f"trace-{name}.parquet")
    return what_if(
        step_trace({each: table.column(each).to_pylist() for each in table.column_names})
    )


def _pairs(folder: Path, name: str, found: WhatIf) -> list[tuple[str, float, float]]:
    told = {
        each: json.loads((folder / f"{each}-{name}.json").read_text("utf-8"))
        for each in ("result", "mw", "ms")
    }
    result = told["result"]
    return [
        ("S", found.slowdown, result["blocking_slowdown"]),
        ("M_W", found.worst_workers_share or 0.0, told["mw"]["Mw"]),
        ("M_S", found.last_stage_share or 0.0, told["ms"]["Ms"]),
        *(
            (f"S of {kind}", each, result["blocking_decompose_by_optype"][kind])
            for kind, each in found.by_kind.items()
        ),
        *(
            (f"S of DP{at}", each, result["blocking_decompose_by_dp_rank"][str(at)])
            for at, each in enumerate(found.by_replica)
        ),
        *(
            (f"S of PP{at}", each, result["blocking_decompose_by_stage"][str(at)])
            for at, each in enumerate(found.by_stage)
        ),
    ]


def _spread(found: WhatIf) -> tuple[float, float]:
    """Return the interval of the mean over steps, by drawing steps again."""
    random, steps = np.random.default_rng(1), np.array(found.by_step)
    means = random.choice(steps, (2000, len(steps))).mean(axis=1)
    low, high = np.percentile(means, (2.5, 97.5))
    return float(low), float(high)


def _said_of(name: str, found: WhatIf) -> Measure:
    told = verdict_on(found)
    if name == "AR":
        worker = told.worker
        is_right = worker is not None and (worker.dp_rank, worker.stage) == (0, 0)
        return _all("E4 trace AR: DP0/PP0 is named", int(is_right), 1)
    return _all(f"E4 trace {name}: no node is named", int(told.worker is None), 1)


def _all(name: str, hits: int, n: int) -> Measure:
    return Measure(name=name, hits=hits, n=n, at_least=1.0)


def _what_if(job: Job) -> WhatIf:
    return what_if(step_trace(draw(job).columns))


def _injected() -> list[Injected]:
    found = []
    for seed in SEEDS:
        for replicas in (4, 16):
            for slowdown in (1.16, 1.40, 2.03):
                place = (seed % replicas, seed % 4)
                job, real = worker_slowed_by(
                    Job(seed=seed, replicas=replicas, slow_worker=place), slowdown
                )
                found.append(Injected(job=job, real=real, found=_what_if(job)))
    return found


def _near(name: str, injected: Sequence[Injected], *, replicas: int) -> Measure:
    mine = [each for each in injected if each.job.replicas == replicas]
    hits = sum(
        abs((each.found.slowdown if replicas > 4 else each.found.slowdown_beside_peers) - each.real)
        <= 0.05
        for each in mine
    )
    return _all(name, hits, len(mine))


def _refused() -> Measure:
    """Return how often steps with unexplained waits of different length are refused rightly."""
    waits = [0.0, 0.0005, 0.01, 0.02]
    hits = 0
    for seed in SEEDS:
        for wait in waits:
            found = _what_if(Job(seed=seed, unexplained_seconds=wait, worker_factor=2.0))
            is_refused = verdict_on(found).cause is StragglerCause.REFUSED
            hits += is_refused == (wait >= 0.01)
    return _all(
        "E3 simulations off by more than 5 % are refused, others not", hits, len(SEEDS) * len(waits)
    )


def _verdicts(injected: Sequence[Injected]) -> list[Measure]:
    named = 0
    for each in injected:
        worker = verdict_on(each.found).worker
        named += worker is not None and (worker.dp_rank, worker.stage) == each.job.slow_worker
    rows = [_all("E4 generated slow workers: named", named, len(injected))]
    for what, job in (
        ("uneven stages", Job(seed=0, last_stage_factor=1.5)),
        ("uneven sequences", Job(seed=0, sequence_spread=0.5)),
        ("slow exchanges", Job(seed=0, exchange_factor=20.0)),
    ):
        told = [verdict_on(_what_if(replace(job, seed=seed))) for seed in range(40, 60)]
        none = sum(each.worker is None for each in told)
        rows.append(_all(f"E4 generated {what}: no node is named", none, len(told)))
    return rows


def _fleet() -> list[Measure]:
    """Return the table of a generated fleet beside what its generator knows."""
    jobs = _fleet_jobs()
    table = fleet_table([*jobs[::-1], *jobs])
    share, wasted = table.straggling_share or 0.0, table.wasted_share or 0.0
    is_right = abs(share - STRAGGLING) < 0.001 and abs(wasted - WASTED) < 0.001
    return [
        Measure(
            name="E5 generated fleet: share with S > 1.1",
            hits=table.straggling_count,
            n=table.job_count,
        ),
        Measure(
            name="E5 generated fleet: share of GPU-hours wasted",
            n=table.job_count,
            value=wasted,
            value_interval=_wasted_spread(jobs),
        ),
        _all("E5 the table gives the 42.5 % and 10.4 % that were generated", int(is_right), 1),
    ]


def _fleet_jobs() -> list[StragglingJob]:
    random = np.random.default_rng(9)
    slow = round(STRAGGLING * JOBS)
    slowdowns = np.concatenate(
        [1.1 + random.exponential(0.25, slow) + 1e-6, random.uniform(1.0, 1.1, JOBS - slow)]
    )
    hours = random.lognormal(5, 1, JOBS)
    lost = 1 - 1 / slowdowns
    # So many GPU-hours in the slow jobs that the wanted share is lost in all.
    lost_slow, lost_fast = (
        float(np.average(lost[part], weights=hours[part]))
        for part in (slice(slow), slice(slow, None))
    )
    wanted = (WASTED - lost_fast) / (lost_slow - lost_fast)
    hours[:slow] *= wanted / (1 - wanted) * hours[slow:].sum() / hours[:slow].sum()
    return [
        StragglingJob(
            job=f"job-{at}",
            slowdown=float(slowdowns[at]),
            gpu_hours=float(hours[at]),
            cause=StragglerCause.STAGE if at < slow else StragglerCause.NONE,
        )
        for at in range(JOBS)
    ]


def _wasted_spread(jobs: Sequence[StragglingJob]) -> tuple[float, float]:
    random = np.random.default_rng(2)
    hours = np.array([each.gpu_hours for each in jobs])
    lost = hours * np.array([each.wasted_share for each in jobs])
    drawn = random.integers(0, len(jobs), (500, len(jobs)))
    low, high = np.percentile(lost[drawn].sum(axis=1) / hours[drawn].sum(axis=1), (2.5, 97.5))
    return float(low), float(high)
