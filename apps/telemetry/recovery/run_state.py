"""Stored facts of an attempt → the run that they tell of, and its state on the attempt itself."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from django.db.models import Max

from apps.fleet.models import Attempt
from apps.telemetry.models import LogStream, RecoveryBlock
from apps.telemetry.recovery import fact_blocks
from apps.telemetry.recovery.logged_facts import logged_run
from apps.training.in_job.job_report import lane_of, lost_gpus
from apps.training.in_job.job_run import InJobRun, in_job_run
from apps.training.in_job.recovery_facts import FactPart

# Of a job that tells of more steps the newest are looked at, block by block.
MOST_STEPS: Final = 16_384
MOST_COMMITS: Final = 32_768  # of replicas


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """What is stored of an attempt that recovers in place."""

    run: InJobRun
    senders: frozenset[int]
    left_out_count: int  # facts of earlier steps that were not looked at


def stored_run(*, attempt: Attempt, with_steps: bool = True) -> StoredRun | None:
    """Return what is told of an attempt; None where nothing is. Needs the tenant's scope.

    Lines count of all whose scope is open. Without steps it says what was lost, and no more.
    """
    rows = RecoveryBlock.objects.filter(organization=attempt.organization_id, attempt=attempt)
    parts = [FactPart.CHANGES, FactPart.STEPS, FactPart.REPLICAS]
    newest = rows.filter(part__in=parts if with_steps else parts[:1]).order_by("-block", "id")
    chosen, left_out = _chosen(newest)
    told = [record for row in chosen for record in _records(row)]
    logged = logged_run(attempt=attempt, with_steps=with_steps)
    if not told and logged is None:
        return None
    return StoredRun(
        run=in_job_run(told, logged),
        senders=frozenset(row.sender_id for row in chosen),
        left_out_count=left_out,
    )


def settle_state(*, attempt: Attempt, told_seconds: float | None = None) -> None:
    """Write on the attempt how many GPUs its job lost, how many are left, and when it last told
    of anything, then or by what is stored. Needs the scopes.
    """
    found = stored_run(attempt=attempt, with_steps=False)
    lost, alive = _counts(attempt, found.run) if found else (None, None)
    told_at = attempt.loss_told_at
    if found is not None or told_seconds is not None:
        told_at = _last_told(attempt, found, told_seconds)
    fresh = {"lost_gpu_count": lost, "alive_gpu_count": alive, "loss_told_at": told_at}
    if all(getattr(attempt, name) == value for name, value in fresh.items()):
        return
    Attempt.objects.filter(pk=attempt.pk).update(**fresh)
    for name, value in fresh.items():
        setattr(attempt, name, value)


def _last_told(
    attempt: Attempt, found: StoredRun | None, told_seconds: float | None
) -> datetime | None:
    """Return the latest of what is told of it and of the lines of its logs."""
    seconds = [each.at_seconds for each in found.run.events[-1:]] if found else []
    seconds += [told_seconds] if told_seconds is not None else []
    streams = LogStream.objects.filter(session=attempt.session_id, attempt=attempt)
    heard = streams.aggregate(last=Max("last_at"))["last"]
    times = [datetime.fromtimestamp(each, UTC) for each in seconds]
    return max(filter(None, [*times, heard, attempt.loss_told_at]), default=None)


def _counts(attempt: Attempt, run: InJobRun) -> tuple[int, int | None]:
    gpus = run.terms.gpus or attempt.world_size
    last = max((each.at_seconds for each in run.events), default=0.0)
    lane = lane_of(run, gpu_count=gpus, begins_seconds=None, ends_seconds=last)
    lost = lost_gpus(run, lane)
    return lost, lane.alive_gpu_count if lane else gpus


def _chosen(rows: Any) -> tuple[list[RecoveryBlock], int]:
    """Return the blocks that are looked at, and how many facts of others are not."""
    room = {FactPart.CHANGES: None, FactPart.STEPS: MOST_STEPS, FactPart.REPLICAS: MOST_COMMITS}
    counts: dict[str, int] = {}
    chosen, left_out = [], 0
    for pk, part, count in rows.values_list("pk", "part", "fact_count"):
        most = room[FactPart(part)]
        if most is not None and counts.get(part) and counts[part] + count > most:
            left_out += count
        else:
            counts[part] = counts.get(part, 0) + count
            chosen.append(pk)
    return list(RecoveryBlock.objects.filter(pk__in=chosen).order_by("id")), left_out


def _records(row: RecoveryBlock) -> Iterator[dict[str, Any]]:
    yield from fact_blocks.records(fact_blocks.unpacked(row.body))
