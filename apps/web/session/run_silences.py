"""When an attempt made no step though it ran: between stretches of steps, and behind the last."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import groupby, pairwise
from statistics import median
from typing import Final

from apps.training.runs.checkpoints import CheckpointSpan
from apps.training.runs.story import RunStory
from apps.training.steps.strip import StripBucket

# Without a step for so many usual ones nothing is drawn through: the run stood still.
SILENT_STEPS: Final = 20


def silences(story: RunStory, *, until: datetime) -> list[tuple[datetime, datetime]]:
    """Return the times up to `until` without a step that no save or load explains."""
    buckets = story.strip.buckets
    if not buckets:
        return []
    silence = silent_length(buckets)
    ends = [(some[0].starts_at, some[-1].ends_at) for some in stretches(buckets)]
    gaps = [(before[1], after[0]) for before, after in pairwise(ends)]
    if until - ends[-1][1] > silence:
        gaps.append((ends[-1][1], until))
    return [
        (first, last)
        for first, last in gaps
        if last > first and not any(_explains(each, first, last) for each in story.checkpoints)
    ]


def stretches(buckets: Sequence[StripBucket]) -> Iterator[Sequence[StripBucket]]:
    """Yield buckets that a line may join: of one count of steps, without a long silence."""
    silence = silent_length(buckets)
    for _attempt, some in groupby(buckets, key=lambda each: each.attempt):
        together: list[StripBucket] = []
        for bucket in some:
            if together and bucket.starts_at - together[-1].ends_at > silence:
                yield together
                together = []
            together.append(bucket)
        yield together


def silent_length(buckets: Sequence[StripBucket]) -> timedelta:
    """Return how long no step is made before that is a silence."""
    return timedelta(seconds=SILENT_STEPS * median(each.median_seconds for each in buckets))


def _explains(save: CheckpointSpan, first: datetime, last: datetime) -> bool:
    """Say whether a save or load took most of a time."""
    if save.starts_at is None or save.ends_at is None:
        return False
    return min(save.ends_at, last) - max(save.starts_at, first) > (last - first) / 2
