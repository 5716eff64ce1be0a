"""What was read of steps, each step once: readings come in any order and more than once."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from datetime import datetime
from itertools import groupby
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class StepReading:
    """A step was finished, as a line, an event or a metric tells.

    `seconds` is what its writer says one step took. `workload` is what the step had to do: amounts
    that its time grows with, the same ones in all of a run (tokens, the sum of squared lengths).
    """

    step: int
    at: datetime
    attempt: int = 1
    seconds: float | None = None
    tokens: int | None = None
    loss: float | None = None
    workload: tuple[float, ...] = ()


def distinct_readings(readings: Iterable[StepReading]) -> list[StepReading]:
    """Return one reading a step, ordered by attempt and step.

    Copies (of many ranks, of two sources) count once: the earliest, with what it lacks from later
    ones. A step that is done again after a roll-back counts when it was first done.
    """
    ordered = sorted(set(readings), key=_order)
    return [_merged(list(copies)) for _, copies in groupby(ordered, key=_which)]


def _which(one: StepReading) -> tuple[int, int]:
    return one.attempt, one.step


def _order(one: StepReading) -> tuple[int, int, datetime, str]:
    # As text: a loss that is no number has no order.
    rest = (one.seconds, one.tokens, one.loss, one.workload)
    return one.attempt, one.step, one.at, repr(rest)


def _merged(copies: list[StepReading]) -> StepReading:
    first, *others = copies
    lacking = {each.name for each in fields(first) if _is_absent(getattr(first, each.name))}
    found: dict[str, Any] = {}
    for name in lacking:
        known = (getattr(other, name) for other in others)
        found[name] = next((value for value in known if not _is_absent(value)), None)
    return replace(first, **{name: value for name, value in found.items() if value is not None})


def _is_absent(value: object) -> bool:
    return value is None or value == ()
