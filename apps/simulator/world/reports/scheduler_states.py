"""Which states the scheduler reports of an attempt, in its own words, and when."""

from dataclasses import dataclass

from apps.simulator.world.noise import Dice
from apps.simulator.world.story import LostReplica, SimulatedAttempt

_SLURM_ENDS = {
    "finished": ("COMPLETED", ""),
    "failed": ("FAILED", "NonZeroExitCode"),
    "walltime": ("TIMEOUT", "TimeLimit"),
}
_REASONS = {
    "finished": "task-finished",
    "failed": "self-terminated",
    "walltime": "idle-session-lifetime",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulerState:
    """One state as the scheduler calls it."""

    at: float
    word: str
    reason: str = ""


def waiting_states(attempt: SimulatedAttempt) -> list[SchedulerState]:
    """Return what an attempt passes through before it runs."""
    dice = Dice(seed=attempt.seed).at(f"states/{attempt.key}")
    start, wait = attempt.starts_at, dice.between("queue", 45.0, 150.0)
    steps: tuple[tuple[float, str, str], ...]
    if attempt.style.scheduler == "slurm":
        steps = ((wait, "PENDING", "Resources"), (dice.between("prolog", 6.0, 20.0), *_CONFIGURES))
    else:
        pull = dice.between("pull", 14.0, 30.0)
        steps = (
            (wait, "PENDING", ""),
            (pull + 6.0, "SCHEDULED", ""),
            (pull + 2.0, "PREPARING", ""),
            (5.0, "PREPARED", ""),
            (3.0, "CREATING", ""),
        )
    return [SchedulerState(at=start - lead, word=word, reason=why) for lead, word, why in steps]


_CONFIGURES = ("CONFIGURING", "")


def running_state(attempt: SimulatedAttempt) -> SchedulerState:
    """Return that it runs."""
    return SchedulerState(at=attempt.starts_at, word="RUNNING")


def degraded_state(attempt: SimulatedAttempt, lost: LostReplica) -> SchedulerState | None:
    """Return that it runs without a part, where the scheduler has a word for it."""
    if attempt.style.scheduler == "slurm":
        return None
    return SchedulerState(at=lost.repaired_at + 11.0, word="RUNNING_DEGRADED")


def ending_states(attempt: SimulatedAttempt) -> list[SchedulerState]:
    """Return how it ends: on its way, then over."""
    if attempt.ends_at is None:
        return []
    is_slurm = attempt.style.scheduler == "slurm"
    leaves, over = ("COMPLETING", "FAILED") if is_slurm else ("TERMINATING", "TERMINATED")
    reason = _REASONS.get(attempt.state, "")
    if is_slurm:
        over, reason = _SLURM_ENDS.get(attempt.state, (over, ""))
    return [
        SchedulerState(at=attempt.ends_at - 5.0, word=leaves),
        SchedulerState(at=attempt.ends_at, word=over, reason=reason),
    ]
