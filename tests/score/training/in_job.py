"""J1 to J5: recovery inside a job, on generated runs of 512 GPUs that lose 256."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from apps.telemetry.formats.lines.complaints import Complaints
from apps.telemetry.formats.recovery_json import told_facts
from apps.telemetry.recovery import fact_blocks
from apps.training.in_job.adapters.nvrx import launcher_restarts
from apps.training.in_job.adapters.torchft import HeartbeatAge, stale_heartbeats, torchft_run
from apps.training.in_job.events import InJobEvent, StepCommitted
from apps.training.in_job.invariant import ViolationKind, violations_of
from apps.training.in_job.job_run import InJobRun, in_job_run
from apps.training.in_job.lane import RunState, degraded_lane
from apps.training.in_job.recovery_facts import FactPart
from apps.training.in_job.throughput import RestartCost, restart_counterfactual, run_efficiency
from apps.training.in_job.trajectory import GUARDED_STEPS, trajectory_flags
from tests.cast.replica_losses import (
    GPUS,
    LOSSES,
    MICROBATCHES,
    LossyRun,
    as_told,
    comparison,
    lossy_run,
)
from tests.score.measures import Measure

BUDGET_GPU_HOURS, WORTH, MORE_TOKENS = 234, 2.23, 1.749
CLEAN, JUMPS = 200, 50
BEGAN, BATCH = 1_795_222_800, 500  # Unix seconds of the first event; events of a post
Part = tuple[list[Measure], list[str]]


def part() -> Part:
    """Return the rows."""
    run = lossy_run()
    return [
        *_invariant(run),
        *_lane(run),
        *_throughput(),
        *_adapters(),
        *_trajectory(),
    ], []


def _mixed(run: LossyRun) -> list[InJobEvent]:
    """Return the events as they come out of the portal's blocks, posted twice in another order."""
    order = np.random.default_rng(1).permutation(2 * len(run.events)).tolist()
    posted = as_told([(*run.events, *run.events)[at] for at in order], began_at=BEGAN)
    return [replace(each, at_seconds=each.at_seconds - BEGAN) for each in _kept(posted).events]


def _kept(posted: Sequence[Mapping[str, Any]]) -> InJobRun:
    """Return what is read of events that were posted, batch by batch into blocks."""
    blocks: dict[tuple[FactPart, int], bytes] = {}
    for start in range(0, len(posted), BATCH):
        body = {"session": "lossy", "attempt": 1, "events": posted[start : start + BATCH]}
        told = [each.fact for each in told_facts(said=body, complaints=Complaints())]
        for key in {(each.part, each.block) for each in told}:
            fresh = [each for each in told if (each.part, each.block) == key]
            stored = fact_blocks.unpacked(blocks.get(key, b""))
            blocks[key] = fact_blocks.packed(fact_blocks.merged(stored, fresh, part=key[0]).facts)
    return in_job_run(
        record
        for body in blocks.values()
        for record in fact_blocks.records(fact_blocks.unpacked(body))
    )


def _commits(run: LossyRun) -> list[StepCommitted]:
    return [each for each in run.events if isinstance(each, StepCommitted)]


def _invariant(run: LossyRun) -> list[Measure]:
    false = len(violations_of(_mixed(run), microbatches=MICROBATCHES))
    steps = len(_commits(run))
    random = np.random.default_rng(2)
    hits, tries = 0, 40
    for at in random.choice(np.arange(1, steps + 1), tries, replace=False).tolist():
        off = int(random.choice([-1, 1]))
        told = [
            replace(each, microbatches=MICROBATCHES + off)
            if isinstance(each, StepCommitted) and each.step == at
            else each
            for each in run.events
        ]
        found = violations_of(told, microbatches=MICROBATCHES)
        hits += [(each.kind, each.step) for each in found] == [(ViolationKind.MICROBATCHES, at)]
    return [
        Measure(
            name="J1 steps of 256 losses without a false violation",
            hits=steps - false,
            n=steps,
            at_least=1.0,
        ),
        Measure(
            name="J1 one microbatch off: found at its step, and nothing else",
            hits=hits,
            n=tries,
            at_least=1.0,
        ),
    ]


def _lane(run: LossyRun) -> list[Measure]:
    lane = degraded_lane(
        _mixed(run),
        gpu_count=GPUS,
        begins_seconds=run.begins_seconds,
        ends_seconds=run.ends_seconds,
    )
    after = [each for each in lane.spans if each.alive_gpu_count < GPUS]
    shown = sum(each.state is RunState.DEGRADED for each in after)
    return [
        Measure(
            name="J2 losses on the lane, 512 to 256 GPUs",
            hits=len(lane.changes),
            n=LOSSES,
            at_least=1.0,
        ),
        Measure(name="J2 spans after a loss shown as degraded", hits=shown, n=LOSSES, at_least=1.0),
    ]


def _throughput() -> list[Measure]:
    made = comparison(
        throughput_ratio=WORTH, tokens_ratio=MORE_TOKENS, budget_gpu_hours=BUDGET_GPU_HOURS
    )
    run, events = made.run, _mixed(made.run)
    lane = degraded_lane(events, gpu_count=GPUS, begins_seconds=0, ends_seconds=run.ends_seconds)
    cost = RestartCost(
        restart_seconds=made.restart_seconds, checkpoint_every_steps=made.checkpoint_every_steps
    )
    mine, other = run_efficiency(events, lane), restart_counterfactual(events, lane, cost)
    worth = mine.tokens_per_gpu_hour / other.tokens_per_gpu_hour
    tokens = (mine.tokens_at(BUDGET_GPU_HOURS) or 0) / (other.tokens_at(BUDGET_GPU_HOURS) or 1)
    steps = len(mine.tokens)
    return [
        _ratio("J3 effective throughput beside restarts, generated as 2.23", worth, WORTH, steps),
        _ratio(
            "J3 tokens at 234 GPU-hours beside restarts, generated as 1.749",
            tokens,
            MORE_TOKENS,
            steps,
        ),
    ]


def _ratio(name: str, value: float, wanted: float, n: int) -> Measure:
    return Measure(
        name=name,
        n=n,
        value=value,
        value_interval=(value, value),  # computed, not sampled
        at_least=wanted * 0.995,
        at_most=wanted * 1.005,
    )


def _adapters() -> list[Measure]:
    random = np.random.default_rng(5)
    records, lost = [], 0
    for step in range(1, 401):
        for replica in range(4):
            is_taken = bool(random.random() > 0.05)
            lost += not is_taken
            told = {"replica_id": f"r{replica}", "quorum_id": 1, "step": step}
            records += [
                {
                    **told,
                    "logger": "torchft_commits",
                    "at": float(step),
                    "rank": rank,
                    "commit_result": is_taken,
                }
                for rank in range(8)
            ]
    found = len(torchft_run([*reversed(records), *records]).failed)
    ages = [
        HeartbeatAge(replica=f"r{at}", age_seconds=age)
        for at, age in enumerate(random.uniform(0, 10, 200).tolist())
    ]
    stale = sum(each.age_seconds > 5 for each in ages)
    return [
        Measure(
            name="J4 torchft: failed commits found as lost steps",
            hits=found,
            n=lost,
            at_least=1.0,
            at_most=1.0,
        ),
        Measure(
            name="J4 heartbeats older than 5 s flagged",
            hits=len(stale_heartbeats(ages)),
            n=stale,
            at_least=1.0,
            at_most=1.0,
        ),
        _launcher(),
    ]


def _launcher() -> Measure:
    cycles = 20
    lines = [
        f"- Cycle: {cycle} Event: {event} Node: n{cycle} Rank: {cycle} "
        f"Time: 2026-11-01 10:{cycle:02}:{second} UTC"
        for cycle in range(cycles)
        for event, second in (("worker_start_completed", "02.750"), ("failure_detected", "00.500"))
    ]
    found = launcher_restarts([*lines, *lines])
    hits = sum(
        each.took_seconds is not None and abs(each.took_seconds - 2.25) < 1e-3 for each in found
    )
    return Measure(
        name="J4 NVRx: restarts below 3 s to the millisecond", hits=hits, n=cycles, at_least=1.0
    )


def _trajectory() -> list[Measure]:
    flagged = clean = 0
    for seed in range(CLEAN):
        run = lossy_run(losses=1, quiet_steps=60, tail_steps=20, seed=seed)
        clean += not trajectory_flags(run.events)
        if seed < JUMPS:
            (lost,) = run.lost_steps
            at = lost + seed % GUARDED_STEPS
            told = [
                replace(each, loss=(each.loss or 0) + 0.15)
                if isinstance(each, StepCommitted) and each.step >= at
                else each
                for each in run.events
            ]
            flags = trajectory_flags(told)
            flagged += [each.step for each in flags] == [at]
    return [
        Measure(
            name="J5 jumps of the loss flagged within 5 steps", hits=flagged, n=JUMPS, at_least=1.0
        ),
        Measure(name="J5 clean recoveries without a flag", hits=clean, n=CLEAN, at_least=1.0),
    ]
