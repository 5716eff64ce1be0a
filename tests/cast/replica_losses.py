"""A job of 64 replicas that loses one GPU after the other and commits every step."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from apps.training.in_job.events import (
    BucketRollback,
    CommunicatorRepaired,
    InJobEvent,
    QuotaReassigned,
    ReplicaLost,
    StepCommitted,
)

REPLICAS, MICROBATCHES_EACH = 64, 128
MICROBATCHES = REPLICAS * MICROBATCHES_EACH
GPUS, LOSSES, EVERY_STEPS = 512, 256, 5
TOKENS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LossyRun:
    """The events of a run, when it began and ended, and the steps in which GPUs were lost."""

    events: tuple[InJobEvent, ...]
    begins_seconds: float
    ends_seconds: float
    lost_steps: tuple[int, ...]


def lossy_run(
    *,
    losses: int = LOSSES,
    quiet_steps: int = 0,
    tail_steps: int = EVERY_STEPS,
    step_seconds: float = 10.0,
    seed: int | None = None,
) -> LossyRun:
    """Return a run that loses a GPU in every fifth step after some quiet ones.

    The pace of a step is that of the living GPUs. With a seed commits tell a falling, noisy loss.
    """
    random = np.random.default_rng(seed)
    events: list[InJobEvent] = []
    now, alive, lost = 0.0, GPUS, 0
    lost_steps = []
    for step in range(1, quiet_steps + losses * EVERY_STEPS + tail_steps + 1):
        is_lost = step > quiet_steps and (step - quiet_steps) % EVERY_STEPS == 0 and lost < losses
        if is_lost:
            now += 0.4 * step_seconds * GPUS / alive
            events += _loss(now, step, lost, alive)
            alive, lost = alive - 1, lost + 1
            lost_steps.append(step)
        now += (0.6 if is_lost else 1.0) * step_seconds * GPUS / alive
        loss = 3.0 * step**-0.1 + random.normal(0, 0.01) if seed is not None else None
        events.append(
            StepCommitted(
                at_seconds=now,
                step=step,
                microbatches=MICROBATCHES,
                survivors=alive,
                tokens=TOKENS,
                loss=loss,
            )
        )
    return LossyRun(
        events=tuple(events), begins_seconds=0.0, ends_seconds=now, lost_steps=tuple(lost_steps)
    )


def _loss(now: float, step: int, number: int, alive: int) -> list[InJobEvent]:
    left = alive - 1
    each, more = divmod(MICROBATCHES, left)
    return [
        ReplicaLost(
            at_seconds=now, replica=f"g{number}", step=step, phase="gradient-sync", gpu_count=1
        ),
        CommunicatorRepaired(
            at_seconds=now,
            epoch=number + 1,
            members_before=alive,
            members_after=left,
            milliseconds=80.0,
        ),
        BucketRollback(at_seconds=now, step=step, bucket=number % 7, milliseconds=12.0),
        QuotaReassigned(
            at_seconds=now,
            step=step,
            quotas=tuple(sorted((f"s{at}", each + (at < more)) for at in range(left))),
            spare=None,
            minor=None,
        ),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A run, what a restart costs, and what both really bring, by simple sums of their own."""

    run: LossyRun
    restart_seconds: float
    checkpoint_every_steps: int
    budget_gpu_hours: float
    throughput_ratio: float
    tokens_ratio: float


def comparison(
    *, throughput_ratio: float, tokens_ratio: float, budget_gpu_hours: float
) -> Comparison:
    """Return a run whose recovery in place is worth so much at its end, and at a budget.

    Restarts are as long as the first ratio asks for; the budget's place on the run, then the length
    of its steps, follow from the second.
    """
    quiet, checkpoint = 400, EVERY_STEPS
    run = lossy_run(quiet_steps=quiet)
    base, extra = _spent(run, 0.0, checkpoint)
    per_second = _spent(run, 1.0, checkpoint)[1][-1] - extra[-1]
    restart = ((throughput_ratio - 1) * base[-1] - extra[-1]) / per_second
    extra = _spent(run, restart, checkpoint)[1]
    tokens = TOKENS * np.arange(1, len(base) + 1)
    ratios = tokens / np.interp(base, base + extra, tokens)
    at = int(np.argmax(ratios >= tokens_ratio))
    scale = budget_gpu_hours / base[at]
    return Comparison(
        run=lossy_run(quiet_steps=quiet, step_seconds=10.0 * scale),
        restart_seconds=restart * scale,
        checkpoint_every_steps=checkpoint,
        budget_gpu_hours=budget_gpu_hours,
        throughput_ratio=float((base[-1] + extra[-1]) / base[-1]),
        tokens_ratio=float(ratios[at]),
    )


def _spent(run: LossyRun, restart_seconds: float, checkpoint: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the GPU-hours until each commit without restarts, and what restarts add to them."""
    base, extra, alive, saved, last = [], [], GPUS, 0.0, 0.0
    spent = added = 0.0
    for each in run.events:
        if isinstance(each, ReplicaLost):
            spent, last = spent + (each.at_seconds - last) * alive, each.at_seconds
            alive -= 1
            added += (restart_seconds + each.at_seconds - saved) * alive
        elif isinstance(each, StepCommitted):
            spent, last = spent + (each.at_seconds - last) * alive, each.at_seconds
            base.append(spent / 3600)
            extra.append(added / 3600)
            saved = each.at_seconds if each.step % checkpoint == 0 else saved
    return np.array(base), np.array(extra)


def as_told(events: Sequence[InJobEvent], *, began_at: float) -> list[dict[str, Any]]:
    """Return events as a job posts them, `began_at` in Unix seconds."""
    return [_told(each) | {"at": began_at + each.at_seconds} for each in events]


def _told(event: InJobEvent) -> dict[str, Any]:
    fields = {name: getattr(event, own) for name, own in FIELDS[type(event)].items()}
    if isinstance(event, QuotaReassigned):
        fields["microbatches"] = dict(event.quotas)
    return {"event": NAMES[type(event)], **fields}


NAMES = {
    ReplicaLost: "replica_lost",
    CommunicatorRepaired: "communicator_repaired",
    BucketRollback: "bucket_rollback",
    QuotaReassigned: "quota_reassigned",
    StepCommitted: "step_committed",
}
# What the contract calls the fields of each.
FIELDS = {
    ReplicaLost: {"replica": "replica", "step": "step", "phase": "phase", "gpus": "gpu_count"},
    CommunicatorRepaired: {
        "epoch": "epoch",
        "members_before": "members_before",
        "members_after": "members_after",
        "ms": "milliseconds",
    },
    BucketRollback: {"step": "step", "bucket": "bucket", "ms": "milliseconds"},
    QuotaReassigned: {"step": "step"},
    StepCommitted: {name: name for name in ("step", "microbatches", "survivors", "tokens", "loss")},
}
