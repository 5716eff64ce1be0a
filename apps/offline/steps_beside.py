"""The steps that stand around the lines by which a job goes on without a part: such lines often
print no time, and the steps do.
"""

from collections import deque
from collections.abc import Iterator
from typing import Final

from apps.diagnosis.model import Mark, PointKind, ProgressPoint, Reading
from apps.diagnosis.signatures.marks import marked

SIGNS: Final = marked(Mark.QUORUM, Mark.RANK_INTERRUPTED)
MOST: Final = 400  # of a source, the newest


class StepsBeside:
    """Of all steps of a source those two around each such line; take its readings in order."""

    def __init__(self) -> None:
        self._kept: deque[ProgressPoint] = deque(maxlen=MOST)
        self._last: ProgressPoint | None = None
        self._is_awaited = False

    def add(self, reading: Reading) -> None:
        """Take the next reading of the source."""
        for _, step in _in_order(reading):
            if step is None:
                self._say()
            else:
                self._step(step)

    def points(self) -> tuple[ProgressPoint, ...]:
        """Return the steps, in the order of lines."""
        return tuple(self._kept)

    def _say(self) -> None:
        if self._last is not None and (not self._kept or self._kept[-1] != self._last):
            self._kept.append(self._last)
        self._is_awaited = True

    def _step(self, step: ProgressPoint) -> None:
        self._last = step
        if self._is_awaited:
            self._kept.append(step)
            self._is_awaited = False


def _in_order(reading: Reading) -> Iterator[tuple[int, ProgressPoint | None]]:
    """Yield steps, and None for each line that is looked for, with the numbers of their lines."""
    said = [each.line.number for each in reading.events if each.signature in SIGNS]
    steps = [each for each in reading.points if each.kind is PointKind.STEP]
    told: list[tuple[int, ProgressPoint | None]] = [
        *((number, None) for number in said),
        *((each.number, each) for each in steps),
    ]
    yield from sorted(told, key=lambda each: each[0])
