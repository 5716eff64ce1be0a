"""Step times of each voice of a source, in bounded memory: a value per step, later per stretch.

The latest progress of a voice carries its series (`pace`), so that whatever keeps progress keeps
it, too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from types import MappingProxyType
from typing import Any, Protocol

from apps.diagnosis.input_values import whole_number
from apps.diagnosis.model import Event, Mark
from apps.diagnosis.signatures.load import load_catalog
from apps.diagnosis.signatures.marks import marked
from apps.diagnosis.signatures.progress.step_places import StepPlaces, tells_time

FIELD = "pace"
# Beyond this many values, each three become their median: a stall of one step does not count.
MOST, THREE = 81, 3
# Where the steps of a value are so many, one in three lines says enough.
SAMPLED_FROM = 3
VOICES = 24
TIMED_STEPS = frozenset(key for key in marked(Mark.STEP) if tells_time(load_catalog()[key].source))
RESTARTS = marked(Mark.WORK_BEGINS, Mark.RESTART)

# Signature, prefix without its clock, and who else the line names.
Voice = tuple[str, str | None, tuple[str | None, ...]]


class Placed(Protocol):
    """What is known of the lines of a shape."""

    def places(self) -> StepPlaces:
        """Return where they say what of their step."""


@dataclass(slots=True)
class StepTimes:
    """The series of one voice. A value stands for 3^level steps."""

    level: int = 0
    values: list[float] = field(default_factory=list)
    pending: list[list[float]] = field(default_factory=list)  # per level, not yet three
    skip: int = 0
    iteration: int = -1
    total: str = ""

    def add(self, value: float) -> None:
        """Take the time of a step."""
        for waiting in self.pending:
            waiting.append(value)
            if len(waiting) < THREE:
                return
            value = median(waiting)
            waiting.clear()
        self.values.append(value)
        if len(self.values) >= MOST:
            self.values = [
                median(self.values[start : start + THREE]) for start in range(0, MOST, THREE)
            ]
            self.level += 1
            if len(self.pending) < SAMPLED_FROM:
                self.pending.append([])

    def skipped(self) -> int:
        """Return how many lines may pass unread."""
        if self.level <= SAMPLED_FROM:
            return 0
        return int(THREE ** (self.level - SAMPLED_FROM)) - 1


@dataclass(slots=True)
class Paces:
    """The series of all voices of one source."""

    voices: dict[Voice, StepTimes] = field(default_factory=dict)

    def note(self, *, voice: Voice, line: bytes, places: Callable[[], StepPlaces]) -> None:
        """Remember what a line of progress says of its step, in places that are asked for where
        it is read.
        """
        if voice[0] not in TIMED_STEPS:
            return
        pace = self._pace(voice)
        if pace is None:
            return
        if pace.skip:
            pace.skip -= 1
            return
        pace.skip = pace.skipped()
        self._measure(voice, pace, line, places())

    def note_all(self, *, voice: Voice, steps: Sequence[tuple[int, bytes, Placed]]) -> None:
        """Do the same with lines of one voice that stand behind each other: the index of each, its
        text and its shape.
        """
        pace = self._pace(voice) if voice[0] in TIMED_STEPS else None
        if pace is None:
            return
        position = 0
        while position < len(steps):
            if pace.skip:
                passed = min(pace.skip, len(steps) - position)
                pace.skip -= passed
                position += passed
                continue
            pace.skip = pace.skipped()
            _, line, shape = steps[position]
            pace = self._measure(voice, pace, line, shape.places())
            position += 1

    def _pace(self, voice: Voice) -> StepTimes | None:
        """Return the series of a voice, None where there is no room for it."""
        pace = self.voices.get(voice)
        if pace is None and len(self.voices) < VOICES:
            pace = self.voices[voice] = StepTimes()
        return pace

    def restart(self) -> None:
        """Forget what was before: another attempt may do other work on other hosts."""
        self.voices.clear()

    def _measure(self, voice: Voice, pace: StepTimes, line: bytes, places: StepPlaces) -> StepTimes:
        """Take what a line says of its step; return the series that goes on."""
        try:
            iteration, total = places.iteration_in(line), places.total_in(line)
            if iteration == pace.iteration and total == pace.total and iteration >= 0:
                return pace  # told before
            value = places.seconds_in(line)
        # A line that is cut leaves out what it would say last.
        except (ValueError, ZeroDivisionError):
            return pace
        if value <= 0:
            return pace
        if iteration < pace.iteration or total != pace.total:
            pace = self.voices[voice] = StepTimes(total=total)
        if iteration == pace.iteration and iteration >= 0:
            return pace
        pace.iteration = iteration
        pace.add(float(f"{value:.5g}"))
        return pace

    def told(self, *, voice: Voice, event: Event) -> Event:
        """Return the progress of a voice with its series so far."""
        pace = self.voices.get(voice)
        if pace is None or len(pace.values) < THREE:
            return event
        series = f"{pace.level}:" + " ".join(f"{value:.5g}" for value in pace.values)
        return replace(event, fields=MappingProxyType({**event.fields, FIELD: series}))

    def dump(self) -> list[object]:
        """Return plain values for a state that can be stored."""
        return [
            [*voice, one.level, one.values, one.pending, one.skip, one.iteration, one.total]
            for voice, one in self.voices.items()
        ]

    @classmethod
    def restored(cls, stored: Sequence[Sequence[Any]]) -> "Paces":
        """Return the series of a former `dump`."""
        voices = {
            (str(key), prefix, tuple(who)): StepTimes(*said) for key, prefix, who, *said in stored
        }
        return cls(voices=voices)


def series_of(event: Event) -> tuple[int, tuple[float, ...]]:
    """Return (steps per value, values) of what `told` attached; nothing for anything else."""
    level, _, values = event.fields.get(FIELD, "").partition(":")
    if whole_number(level, most=64) is None:
        return 1, ()
    return int(THREE ** int(level)), tuple(map(float, values.split()))
