"""Restarts of all processes, which end what a recovery in place was to save."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from apps.training.in_job.events import InJobEvent, ReplicaLost

RECOVERY_SECONDS: Final = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessRestart:
    """All processes of a job were started anew, inside of its allocation."""

    told_by: str  # nvrx, torchelastic
    number: int
    at_seconds: float  # of the failure
    took_seconds: float | None  # until the workers ran again; None: not told
    ranks: tuple[int, ...] = ()  # who failed
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LossNotSurvived:
    """A loss that the job did not recover from in place: a restart followed it."""

    lost: ReplicaLost
    restart: ProcessRestart


def not_survived(
    events: Iterable[InJobEvent],
    restarts: Iterable[ProcessRestart],
    *,
    window_seconds: float = RECOVERY_SECONDS,
) -> tuple[LossNotSurvived, ...]:
    """Return the losses after which all processes were restarted within the window, by time."""
    ordered = sorted(set(restarts), key=lambda each: (each.at_seconds, repr(each)))
    losses = {each for each in events if isinstance(each, ReplicaLost)}
    found = []
    for lost in sorted(losses, key=lambda each: (each.at_seconds, each.replica, repr(each))):
        restart = next(
            (each for each in ordered if 0 <= each.at_seconds - lost.at_seconds <= window_seconds),
            None,
        )
        if restart is not None:
            found.append(LossNotSurvived(lost=lost, restart=restart))
    return tuple(found)
