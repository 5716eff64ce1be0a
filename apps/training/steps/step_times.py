"""How long each step took, without the pauses that are marked."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.training.instants import SECOND_MS, milliseconds
from apps.training.steps.readings import StepReading, distinct_readings

Spans = list[tuple[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """A time without steps that has a reason: `save`, `evaluation`, or another word."""

    kind: str
    starts_at: datetime
    ends_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTime:
    """How long one step took, pauses left out: the mean of `steps` where not each was told."""

    attempt: int
    step: int
    ends_at: datetime
    seconds: float
    steps: int = 1
    paused_seconds: float = 0.0
    pauses: tuple[str, ...] = ()  # the kinds of pauses left out, by name
    tokens: int | None = None
    loss: float | None = None
    workload: tuple[float, ...] = ()

    @property
    def tokens_per_second(self) -> float | None:
        """Return the throughput, None where nobody told the tokens."""
        return None if self.tokens is None else self.tokens / self.seconds


def step_times(readings: Iterable[StepReading], pauses: Iterable[Pause] = ()) -> list[StepTime]:
    """Return the times of steps by attempt and step.

    What a reading says itself counts before the time since the reading before it, which may be of
    another rank. No time is taken across attempts, nor where no time passed.
    """
    ordered = distinct_readings(readings)
    marked = _Marked.of(pauses)
    before: list[StepReading | None] = [None, *ordered]
    made = (_time(left, right, marked) for left, right in zip(before, ordered, strict=False))
    return [each for each in made if each is not None and each.seconds > 0]


@dataclass(frozen=True, slots=True)
class _Marked:
    """The pauses of a run, joined where they overlap: of all kinds, and of each."""

    every: Spans
    by_kind: dict[str, Spans]

    @classmethod
    def of(cls, pauses: Iterable[Pause]) -> "_Marked":
        spans: dict[str, Spans] = {}
        for each in pauses:
            span = (milliseconds(each.starts_at), milliseconds(each.ends_at))
            spans.setdefault(each.kind, []).append(span)
        every = [span for some in spans.values() for span in some]
        return cls(_joined(every), {kind: _joined(spans[kind]) for kind in sorted(spans)})

    def within(self, start: int, end: int) -> tuple[int, tuple[str, ...]]:
        """Return the milliseconds of a span that were paused, and by which kinds."""
        kinds = [kind for kind, spans in self.by_kind.items() if _overlap(spans, start, end)]
        return _overlap(self.every, start, end), tuple(kinds)


def _time(left: StepReading | None, right: StepReading, marked: _Marked) -> StepTime | None:
    if left is None or left.attempt != right.attempt:
        return None if right.seconds is None else _made(right, right.seconds)
    steps = right.step - left.step
    start, end = milliseconds(left.at), milliseconds(right.at)
    paused, kinds = marked.within(start, end)
    seconds = (end - start - paused) / SECOND_MS / steps
    return _made(
        right,
        seconds if right.seconds is None else right.seconds,
        steps=steps,
        paused=paused,
        kinds=kinds,
    )


def _made(
    reading: StepReading,
    seconds: float,
    *,
    steps: int = 1,
    paused: int = 0,
    kinds: tuple[str, ...] = (),
) -> StepTime:
    return StepTime(
        attempt=reading.attempt,
        step=reading.step,
        ends_at=reading.at,
        seconds=seconds,
        steps=steps,
        paused_seconds=paused / SECOND_MS,
        pauses=kinds,
        tokens=reading.tokens,
        loss=reading.loss,
        workload=reading.workload,
    )


def _joined(spans: Sequence[tuple[int, int]]) -> Spans:
    joined: Spans = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        elif end > start:
            joined.append((start, end))
    return joined


def _overlap(spans: Spans, start: int, end: int) -> int:
    """Return how much of start … end lies in spans that are ordered and apart."""
    return sum(
        max(0, min(last, end) - max(first, start)) for first, last in _near(spans, start, end)
    )


def _near(spans: Spans, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = max(0, bisect_right(spans, (start, start)) - 1)
    while at < len(spans) and spans[at][0] < end:
        yield spans[at]
        at += 1
