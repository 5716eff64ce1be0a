"""Lines that begin and end saves and loads → spans, each save once however many files it has."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from apps.diagnosis.model import PointKind, ProgressPoint

# Files of one save follow each other within this time, without a step between.
TOGETHER: Final = timedelta(minutes=2)
# Of more files that are begun and not ended, the first ones never end.
MOST_WAITING: Final = 256
BEGINS: Final = {PointKind.SAVE_BEGINS: "save", PointKind.LOAD_BEGINS: "load"}
ENDS: Final = {PointKind.SAVE_ENDS: "save", PointKind.LOAD_ENDS: "load"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointSpan:
    """One save or load of a checkpoint. What no line tells is None."""

    kind: str  # save load
    starts_at: datetime | None
    ends_at: datetime | None
    step: int | None = None
    is_background: bool = False  # steps went on meanwhile

    @property
    def seconds(self) -> float | None:
        """Return how long it took, where begin and end are known."""
        if self.starts_at is None or self.ends_at is None:
            return None
        return (self.ends_at - self.starts_at).total_seconds()


def checkpoint_spans(points: Iterable[ProgressPoint]) -> tuple[CheckpointSpan, ...]:
    """Return the saves and loads of a run by time. Points without a time are left out.

    A begin and the end after it are one; so are those with no step and little time between, since
    a checkpoint of many files is told file by file. An end that says how long it took needs no
    begin. The order of the points does not matter, nor that one is given twice.
    """
    timed = sorted({point for point in points if point.at is not None}, key=_order)
    steps = [point.at for point in timed if point.kind is PointKind.STEP and point.at]
    found = [
        span for kind in ("save", "load") for span in _joined(list(_paired(timed, kind)), steps)
    ]
    return tuple(sorted((_noted(span, steps) for span in found), key=_begin))


def _order(point: ProgressPoint) -> tuple[datetime, int, str]:
    assert point.at is not None  # noqa: S101  only points with a time are ordered
    return point.at, point.number, repr(point)


def _begin(span: CheckpointSpan) -> tuple[datetime, str]:
    at = span.starts_at or span.ends_at
    assert at is not None  # noqa: S101  every span has one of both
    return at, span.kind


def _paired(points: Sequence[ProgressPoint], kind: str) -> Iterator[CheckpointSpan]:
    """Yield each begin with its end; files that are written at once end in any order."""
    waiting: list[ProgressPoint] = []
    for point in points:
        if BEGINS.get(point.kind) == kind:
            waiting.append(point)
            if len(waiting) > MOST_WAITING:
                yield _unended(waiting.pop(0), kind)
        elif ENDS.get(point.kind) == kind and point.at is not None:
            begun = _begun(waiting, point)
            yield CheckpointSpan(
                kind=kind,
                starts_at=begun.at if begun else _told_begin(point),
                ends_at=point.at,
                step=point.step if point.step is not None or begun is None else begun.step,
            )
    for point in waiting:
        yield _unended(point, kind)


def _unended(begin: ProgressPoint, kind: str) -> CheckpointSpan:
    return CheckpointSpan(kind=kind, starts_at=begin.at, ends_at=None, step=begin.step)


def _begun(waiting: list[ProgressPoint], end: ProgressPoint) -> ProgressPoint | None:
    """Return the begin that an end belongs to and take it away: of its step, else the first."""
    same = [each for each in waiting if end.step is None or each.step in (None, end.step)]
    if not same:
        return None
    waiting.remove(same[0])
    return same[0]


def _told_begin(end: ProgressPoint) -> datetime | None:
    if end.seconds is None or end.at is None:
        return None
    return end.at - timedelta(seconds=end.seconds)


def _joined(spans: Sequence[CheckpointSpan], steps: Sequence[datetime]) -> list[CheckpointSpan]:
    joined: list[CheckpointSpan] = []
    for span in sorted(spans, key=_begin):
        if joined and _is_same(joined[-1], span, steps):
            joined[-1] = _together(joined[-1], span)
        else:
            joined.append(span)
    return joined


def _is_same(one: CheckpointSpan, other: CheckpointSpan, steps: Sequence[datetime]) -> bool:
    if one.step is not None and other.step is not None and one.step != other.step:
        return False
    left, right = one.ends_at or one.starts_at, other.starts_at or other.ends_at
    if left is None or right is None:
        return False
    is_near = right <= left + TOGETHER
    return is_near and bisect_right(steps, right) <= bisect_right(steps, left)


def _together(one: CheckpointSpan, other: CheckpointSpan) -> CheckpointSpan:
    starts = [each.starts_at for each in (one, other) if each.starts_at]
    ends = [each.ends_at for each in (one, other) if each.ends_at]
    step = one.step if one.step is not None else other.step
    return replace(
        one, starts_at=min(starts, default=None), ends_at=max(ends, default=None), step=step
    )


def _noted(span: CheckpointSpan, steps: Sequence[datetime]) -> CheckpointSpan:
    """Return the span with whether steps were finished while it lasted."""
    if span.starts_at is None or span.ends_at is None:
        return span
    # The step that had begun before may end within: two tell that the run went on.
    within = bisect_left(steps, span.ends_at) - bisect_right(steps, span.starts_at)
    return replace(span, is_background=within > 1)
