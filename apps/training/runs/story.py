"""The story of one attempt: its steps as a strip, when they became slower, its saves and loads."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from statistics import median

from apps.diagnosis.model import PointKind, ProgressPoint
from apps.training.runs.checkpoints import CheckpointSpan, checkpoint_spans
from apps.training.steps.level_changes import LevelChange, level_changes
from apps.training.steps.readings import StepReading
from apps.training.steps.slow_spells import SlowSpell, slow_spells
from apps.training.steps.step_times import Pause, StepTime, step_times
from apps.training.steps.strip import StepStrip, step_strip


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStory:
    """What an attempt did. Of a log without times only counts and medians are known."""

    strip: StepStrip
    changes: tuple[LevelChange, ...]
    checkpoints: tuple[CheckpointSpan, ...]
    slow: tuple[SlowSpell, ...] = ()  # when steps took longer than they had before
    first_step: int | None = None
    last_step: int | None = None
    repeated_count: int = 0  # how often it went on from an earlier step
    starts_at: datetime | None = None  # the first and the last that any line tells
    ends_at: datetime | None = None
    step_seconds: float | None = None  # medians
    tokens_per_second: float | None = None
    tflops: float | None = None  # a GPU
    mfu: float | None = None  # percent
    loss: float | None = None  # the last that was told
    is_local: bool = False  # its times are as printed, in a zone that nobody knows

    @property
    def has_steps(self) -> bool:
        """Say whether any step was told."""
        return self.last_step is not None


def counted_log(logs: Sequence[Sequence[ProgressPoint]]) -> int:
    """Return which log's steps count: the one that tells most of them with number and time.

    Needs at least one. Of equals the first.
    """
    counts = [sum(map(_is_timed_step, log)) for log in logs]
    return counts.index(max(counts))


def _is_timed_step(point: ProgressPoint) -> bool:
    return point.kind is PointKind.STEP and point.step is not None and point.at is not None


def run_story(*, steps: Iterable[ProgressPoint], others: Iterable[ProgressPoint] = ()) -> RunStory:
    """Return the story of an attempt.

    `steps` are the points of the one log whose steps count: what ranks print beside each other is
    the same step. Saves and loads are taken from it and from `others`.
    """
    own = sorted(set(steps), key=lambda point: point.number)
    counted = [point for point in own if point.kind is PointKind.STEP and point.step is not None]
    checkpoints = checkpoint_spans([*own, *others])
    readings = list(_readings(counted))
    times = step_times(readings, _pauses(checkpoints))
    changes = tuple(level_changes(times))
    told = [point.at for point in own if point.at is not None]
    return RunStory(
        strip=step_strip(times),
        changes=changes,
        checkpoints=checkpoints,
        slow=tuple(slow_spells(times, changes)),
        first_step=min((point.step for point in counted if point.step is not None), default=None),
        last_step=max((point.step for point in counted if point.step is not None), default=None),
        repeated_count=_repeated_count(counted),
        starts_at=min(told, default=None),
        ends_at=max(told, default=None),
        step_seconds=_step_seconds(times, counted),
        tokens_per_second=_median(point.tokens_per_second for point in counted),
        tflops=_median(point.tflops for point in counted),
        mfu=_median(point.mfu for point in counted),
        loss=next((point.loss for point in reversed(counted) if point.loss is not None), None),
        is_local=any(point.is_local for point in own),
    )


def _readings(points: Sequence[ProgressPoint]) -> Iterable[StepReading]:
    """Yield what is known of each step. Where the count goes back another stretch begins."""
    stretch, before = 1, -1
    for point in points:
        if point.step is None:
            continue
        stretch += point.step < before
        before = point.step
        if point.at is not None:
            yield StepReading(
                step=point.step,
                at=point.at,
                attempt=stretch,
                seconds=point.seconds,
                loss=point.loss,
            )


def _repeated_count(points: Sequence[ProgressPoint]) -> int:
    """Return how often the count went back; not to its begin, as it does with each epoch."""
    steps = [point.step for point in points if point.step is not None]
    return sum(1 < after < before for before, after in pairwise(steps))


def _pauses(checkpoints: Iterable[CheckpointSpan]) -> Iterable[Pause]:
    for span in checkpoints:
        if span.starts_at and span.ends_at and not span.is_background:
            yield Pause(kind=span.kind, starts_at=span.starts_at, ends_at=span.ends_at)


def _step_seconds(times: Sequence[StepTime], points: Sequence[ProgressPoint]) -> float | None:
    if times:
        return median(each.seconds for each in times)
    return _median(point.seconds for point in points)


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None
