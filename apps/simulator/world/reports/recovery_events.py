"""What a job that goes on without a replica tells of itself, step by step."""

from apps.simulator.world.faults.replica_lost import REPLICA_GPUS
from apps.simulator.world.log_templates import torchft, trainers
from apps.simulator.world.story import LostReplica, SimulatedAttempt
from apps.simulator.world.world import World

MICROBATCHES = 7  # of each replica in a step while all are there; one fewer replica does 8
TOKENS_PER_MICROBATCH = 65_536
RESTART_SECONDS = 540.0  # what its owner says that a restart takes

Event = dict[str, object]


def recovery_events(
    *, world: World, attempt: SimulatedAttempt, since: float, until: float
) -> list[Event]:
    """Return what an attempt tells in a span; nothing of those that know no recovery in place."""
    outcome = world.outcome_of(attempt)
    lost = outcome.truth.survived if outcome else None
    if lost is None:
        return []
    replicas = attempt.world_size // REPLICA_GPUS
    told = [(attempt.iterates_at, _began(attempt, replicas))]
    steps = [mark for mark in world.steps(attempt, until=until) if mark.kind == "step"]
    whole = sum(mark.at <= lost.at for mark in steps)
    if until > lost.at:
        told += _losses(attempt, lost, replicas, trainers.first_step(attempt) + whole + 1)
    for place, mark in enumerate(steps):
        survivors = replicas if place < whole else replicas - 1
        told.append((mark.at, _step(attempt, mark.number, survivors, replicas * MICROBATCHES)))
    told.sort(key=lambda each: each[0])
    return [event | {"at": round(at, 3)} for at, event in told if since <= at < until]


def _began(attempt: SimulatedAttempt, replicas: int) -> Event:
    return {
        "event": "job_began",
        "id": f"{attempt.key}-began",
        "replicas": replicas,
        "gpus": attempt.world_size,
        "microbatches": MICROBATCHES,
        "may_rejoin": False,
        "restart_seconds": RESTART_SECONDS,
        "checkpoint_every_steps": round(attempt.save_every_seconds / attempt.step_seconds),
    }


def _losses(
    attempt: SimulatedAttempt, lost: LostReplica, replicas: int, step: int
) -> list[tuple[float, Event]]:
    names = [torchft.replica_name(attempt=attempt, replica=each) for each in range(replicas)]
    survivors = [name for each, name in enumerate(names) if each != lost.replica]
    share = replicas * MICROBATCHES // len(survivors)
    events: list[tuple[float, Event]] = [
        (
            lost.at + 0.4,
            {
                "event": "replica_lost",
                "replica": names[lost.replica],
                "gpus": len(lost.ranks),
                "step": step,
                "phase": "gradient-sync",
            },
        ),
        (
            lost.repaired_at,
            {
                "event": "communicator_repaired",
                "epoch": 2,
                "members_before": replicas,
                "members_after": len(survivors),
                "ms": round(1000 * (lost.repaired_at - lost.at - 0.4), 1),
            },
        ),
        (lost.repaired_at + 0.01, {"event": "bucket_rollback", "step": step, "bucket": 3}),
        (
            lost.repaired_at + 0.02,
            {
                "event": "quota_reassigned",
                "step": step,
                "microbatches": dict.fromkeys(survivors, share),
            },
        ),
    ]
    return [(at, event | {"id": f"{attempt.key}-{event['event']}"}) for at, event in events]


def _step(attempt: SimulatedAttempt, step: int, survivors: int, microbatches: int) -> Event:
    return {
        "event": "step_committed",
        "id": f"{attempt.key}-{step}",
        "step": step,
        "microbatches": microbatches,
        "survivors": survivors,
        "tokens": microbatches * TOKENS_PER_MICROBATCH,
        "loss": round(trainers.training_loss(attempt=attempt, step=step), 6),
    }
