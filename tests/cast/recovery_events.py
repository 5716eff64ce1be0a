"""A job of 8 replicas on 64 GPUs that loses one of them, repairs itself and goes on."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.cast.pushes import Answer, Cast, push_json

PATH = "/api/v1/recovery-events"
SESSION = "solar-7b"
BEGAN = datetime(2026, 11, 21, 1, tzinfo=UTC)
STEP_SECONDS = 10
REPLICAS, GPUS, MICROBATCHES = 8, 64, 16
LOST_STEP = 60
TOKENS = 1_000_000
Event = dict[str, Any]


def at(seconds: float) -> str:
    """Return a time so long after the job began, as the contract has it."""
    return (BEGAN + timedelta(seconds=seconds)).isoformat()


def began(**more: Any) -> Event:
    """Return what the job began with."""
    return {
        "event": "job_began",
        "at": at(0),
        "replicas": REPLICAS,
        "gpus": GPUS,
        "microbatches": MICROBATCHES,
        **more,
    }


def lost(*, seconds: float = LOST_STEP * STEP_SECONDS - 4, replica: str = "llama-dp3") -> Event:
    """Return the loss of a replica."""
    return {
        "event": "replica_lost",
        "at": at(seconds),
        "replica": replica,
        "step": LOST_STEP,
        "phase": "gradient-sync",
        "gpus": GPUS // REPLICAS,
    }


def committed(step: int, *, survivors: int = REPLICAS, **more: Any) -> Event:
    """Return a step that was taken."""
    return {
        "event": "step_committed",
        "at": at(step * STEP_SECONDS),
        "step": step,
        "microbatches": REPLICAS * MICROBATCHES,
        "survivors": survivors,
        "tokens": TOKENS,
        "loss": 3.0 - step / 1000,
        **more,
    }


def story(*, steps: int = 80) -> list[Event]:
    """Return the events of the job: a loss in step 60, its repair, and steps before and after."""
    seconds = LOST_STEP * STEP_SECONDS - 4
    left = REPLICAS - 1
    quotas = {f"dp{each}": 19 if each < 2 else 18 for each in range(left)}
    repair = {
        "event": "communicator_repaired",
        "at": at(seconds + 1),
        "epoch": 1,
        "members_before": REPLICAS,
        "members_after": left,
        "ms": 820,
    }
    rollback = {"event": "bucket_rollback", "at": at(seconds + 2), "step": LOST_STEP, "bucket": 3}
    quota = {
        "event": "quota_reassigned",
        "at": at(seconds + 2),
        "step": LOST_STEP,
        "microbatches": quotas,
    }
    commits = [
        committed(step, survivors=REPLICAS if step < LOST_STEP else left)
        for step in range(1, steps + 1)
    ]
    return [began(), lost(seconds=seconds), repair, rollback, quota, *commits]


def tell(people: Cast, events: Sequence[Event], *, of: str = "tenant", **more: Any) -> Answer:
    """Push events as a party does."""
    party = getattr(people, of)
    document = {"session": SESSION, "attempt": 1, "events": list(events), **more}
    return push_json(PATH, people.token(party), document)
