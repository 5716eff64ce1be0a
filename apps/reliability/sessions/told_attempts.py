"""What logs tell of an attempt: steps of one of them, saves and loads of all."""

from collections.abc import Sequence
from dataclasses import dataclass

from apps.telemetry.facade.progress import StreamProgress
from apps.training.runs.story import RunStory, counted_log, run_story


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldAttempt:
    """What one's own logs tell of an attempt."""

    host: str  # of the log whose steps count
    rank: int | None
    story: RunStory


def told_attempt(logs: Sequence[StreamProgress]) -> ToldAttempt:
    """Return what logs (at least one) tell of an attempt: steps of one, saves and loads of all."""
    points = [each.points for each in logs]
    chief = counted_log(points)
    others = [point for log in (*points[:chief], *points[chief + 1 :]) for point in log]
    return ToldAttempt(
        host=logs[chief].host,
        rank=logs[chief].rank,
        story=run_story(steps=points[chief], others=others),
    )
