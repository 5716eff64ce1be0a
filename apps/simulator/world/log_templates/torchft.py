"""torchft's manager: a replica that met an error, and the group that is formed anew."""

from apps.simulator.world.noise import digest
from apps.simulator.world.story import SimulatedAttempt


def replica_name(*, attempt: SimulatedAttempt, replica: int) -> str:
    """Return how a replica group calls itself: its name, and what is new at each start."""
    start = digest(seed=attempt.seed, name=f"torchft/{attempt.key}/{replica}")
    return f"{attempt.job.replace('-', '_')}_{replica}:{start:016x}"


def _say(*, attempt: SimulatedAttempt, replica: int, step: int, level: str, text: str) -> str:
    name = replica_name(attempt=attempt, replica=replica)
    return f"{level}:torchft.manager:[{name}/0 - step {step}] {text}"


def skips(*, attempt: SimulatedAttempt, replica: int, step: int, why: str) -> str:
    """Return that a replica leaves the rest of a step's gradients out."""
    return _say(
        attempt=attempt,
        replica=replica,
        step=step,
        level="ERROR",
        text=f"got exception in all reduce -- skipping remaining: {why}",
    )


def reconfigures(*, attempt: SimulatedAttempt, replica: int, step: int, quorum: int) -> str:
    """Return that a replica joins the group of those that are left."""
    store = f"{attempt.hosts[0]}:29500/torchft/{quorum}/0"
    return _say(
        attempt=attempt,
        replica=replica,
        step=step,
        level="INFO",
        text=f"reconfiguring for quorum_id={quorum} store_prefixed_addr='{store}'",
    )
