"""Steps of made runs."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from apps.training.steps.step_times import StepTime

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)


def run(
    seconds: Sequence[float], *, attempt: int = 1, work: Sequence[tuple[float, ...]] = ()
) -> list[StepTime]:
    """Return one step time a value, one after the other."""
    ends = BEGIN
    made = []
    for step, took in enumerate(seconds, 1):
        ends += timedelta(seconds=took)
        amounts = work[step - 1] if work else ()
        made.append(
            StepTime(attempt=attempt, step=step, ends_at=ends, seconds=took, workload=amounts)
        )
    return made
