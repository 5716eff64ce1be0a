"""An attempt of a job, as far as retries ask."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from apps.diagnosis.model import EndState

HOUR_SECONDS = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRun:
    """One start of a job and what became of it; what nobody told is None.

    `session` is what stays the same when a scheduler starts the same thing again, `number` counts
    its starts. `checkpoint_step` is the newest step it saved itself.
    """

    name: str  # unique
    job: str
    starts_at: datetime
    project: str = ""
    owner: str = ""
    session: str = ""
    number: int | None = None
    retry_of: str | None = None  # the name of another attempt, where somebody says so
    is_automatic: bool | None = None
    ends_at: datetime | None = None
    end: EndState = EndState.UNKNOWN
    hosts: frozenset[str] = frozenset()
    gpus: int = 0
    last_step: int | None = None
    checkpoint_step: int | None = None
    stepping_seconds: float | None = None  # from its first step to its last
    cause: str | None = None
    blamed_hosts: frozenset[str] = frozenset()

    @property
    def identity(self) -> tuple[str, str, str]:
        """Return whose job it is and how it is called."""
        return self.project, self.owner, self.job

    @property
    def is_stopped(self) -> bool:
        """Say whether it ended without having been meant to."""
        return self.ends_at is not None and self.end in {EndState.FAILED, EndState.UNKNOWN}

    def gpu_hours(self, *, now: datetime) -> float:
        """Return what it took, up to now while it runs."""
        ran = (self.ends_at or max(now, self.starts_at)) - self.starts_at
        return max(0.0, ran.total_seconds()) * self.gpus / HOUR_SECONDS


def distinct_runs(runs: Iterable[AttemptRun]) -> list[AttemptRun]:
    """Return each attempt once by start and name; of two versions the one that tells more."""
    told: dict[str, list[AttemptRun]] = {}
    for run in runs:
        told.setdefault(run.name, []).append(run)
    # Most are told of once: of the others alone it is asked what tells more.
    once = [max(same, key=_telling) if len(same) > 1 else same[0] for same in told.values()]
    return sorted(once, key=lambda run: (run.starts_at, run.name))


def _telling(run: AttemptRun) -> tuple[int, str]:
    fields = (run.ends_at, run.last_step, run.checkpoint_step, run.stepping_seconds, run.cause)
    # Sets have no order of their own.
    rest = (run.starts_at, run.end, sorted(run.hosts), sorted(run.blamed_hosts), fields)
    return sum(each is not None for each in fields), repr(rest)
