"""Where a line of progress says which step it tells of, and how long that took. Lines that differ
in digits alone say it in the same places.
"""

from dataclasses import dataclass
from typing import Final

from apps.diagnosis.patterns import NOWHERE, PatternMatch, Span

# Fields that tell the time of a step, or how many were made in a time, the most exact first.
# Units don't matter: they don't change inside a voice.
TIMES: Final = ("step_ms", "step_s", "spent_s", "spent_ms")
RATES: Final = ("sps", "cur_sps", "tps")
RATE, PER_SECOND = "rate", "it/s"  # of a bar, which turns round where steps are slow
# What is longer is no number of a step, and no state holds it.
MOST_DIGITS: Final = 15
TIMED: Final = frozenset({*TIMES, *RATES, RATE})


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPlaces:
    """Where what a line of progress says of its step stands; the groups take ASCII alone."""

    iteration: Span
    total: Span
    without_total: str
    value: Span
    is_rate: bool
    batch: Span

    def iteration_in(self, line: bytes) -> int:
        """Return the number of the step, -1 where none is said. Raises ValueError for one that no
        run reaches.
        """
        start, end = self.iteration
        if end - start > MOST_DIGITS:
            raise ValueError("no step has so long a number")
        return int(line[start:end] or -1)

    def total_in(self, line: bytes) -> str:
        """Return how many steps the run has, as it is said."""
        start, end = self.total
        return line[start:end].decode() if start >= 0 else self.without_total

    def seconds_in(self, line: bytes) -> float:
        """Return the time of a step, of a sample where a batch is said: batches may grow during
        the warm-up. Raises ValueError or ZeroDivisionError for what is no time.
        """
        start, end = self.value
        value = float(line[start:end].replace(b",", b""))
        if self.is_rate:
            return 1 / value
        start, end = self.batch
        return value / float(line[start:end] or 1)


def places_in(found: PatternMatch) -> StepPlaces:
    """Return where a match says what of its step."""
    names, spans = found.re.groupindex, found.spans
    place = {name: spans[index] for name, index in names.items()}
    told = (name for name in (*TIMES, *RATES, RATE) if _is_said(place.get(name, NOWHERE)))
    name = next(told, "")
    is_rate = name in RATES or (name == RATE and found["unit"] == PER_SECOND)
    return StepPlaces(
        iteration=place.get("iteration", NOWHERE),
        total=place.get("total", NOWHERE),
        without_total="None" if "total" in names else "",
        value=place.get(name, NOWHERE),
        is_rate=is_rate,
        batch=place.get("batch", NOWHERE),
    )


def tells_time(source: str) -> bool:
    """Say whether a pattern has groups for the time of a step."""
    return any(f"(?P<{name}>" in source for name in TIMED)


def _is_said(span: Span) -> bool:
    start, end = span
    return end > start
