"""Attempts of made jobs."""

from datetime import UTC, datetime, timedelta
from typing import Any

from apps.diagnosis.model import EndState
from apps.training.retries.attempt_runs import AttemptRun

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
NOW = NOON + timedelta(days=30)
HOSTS = frozenset(f"gpu{number:03}" for number in range(8))


def minutes(count: float) -> datetime:
    """Return an instant after noon."""
    return NOON + timedelta(minutes=count)


def attempt(name: str, starts: float, ends: float | None, **given: Any) -> AttemptRun:
    """Return an attempt of job `pretrain` that ran between two minutes, on 8 hosts of 8 GPUs."""
    told: dict[str, Any] = {
        "job": "pretrain",
        "hosts": HOSTS,
        "gpus": 64,
        "end": EndState.FAILED,
    } | given
    return AttemptRun(
        name=name,
        starts_at=minutes(starts),
        ends_at=None if ends is None else minutes(ends),
        **told,
    )


def crashing(starts: int, *, every: float = 20.0, **given: Any) -> list[AttemptRun]:
    """Return a stop and so many starts after it that each end after ten minutes."""
    told: dict[str, Any] = {"last_step": 900} | given
    first = attempt("a0", -600, 0, last_step=1000, checkpoint_step=1000)
    return [
        first,
        *(
            attempt(f"a{number}", every * number - 10, every * number, **told)
            for number in range(1, starts + 1)
        ),
    ]
