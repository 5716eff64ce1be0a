"""What the parts measured, beside what is required, as one short table."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A number that a part prints, and what it should be. The pattern's group finds it."""

    name: str
    pattern: str
    unit: str
    required: float
    is_at_least: bool = False

    @property
    def promise(self) -> str:
        """Return what is required in words."""
        return f"{'≥' if self.is_at_least else '≤'} {self.required:,g} {self.unit}"

    def read(self, said: str) -> float | None:
        """Return the number from what the part printed, or nothing where it was not measured."""
        found = re.search(self.pattern, said, re.MULTILINE)
        return float(found[1].replace(",", "")) if found else None

    def is_met(self, value: float) -> bool:
        """Say whether a number keeps the promise."""
        return value >= self.required if self.is_at_least else value <= self.required


def table(*, figures: Iterable[tuple[Figure, str]]) -> Iterator[str]:
    """Yield a line for each figure, read from what its part printed."""
    rows = [("figure", "measured", "required", ""), *(_row(*each) for each in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for name, value, promise, word in rows:
        yield f"{name:{widths[0]}}  {value:>{widths[1]}}  {promise:>{widths[2]}}  {word}".rstrip()


def _row(figure: Figure, said: str) -> tuple[str, str, str, str]:
    value = figure.read(said)
    if value is None:
        return figure.name, "not measured", figure.promise, "see above"
    measured = f"{value:,.0f}" if value >= 1000 else f"{value:,.4g}"
    word = "met" if figure.is_met(value) else "MISSED"
    return figure.name, f"{measured} {figure.unit}", figure.promise, word


def quantile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least this share of the values doesn't exceed."""
    ordered = sorted(values)
    return ordered[max(-(-len(ordered) * round(share * 100) // 100) - 1, 0)]


def load() -> str:
    """Return under which load of the machine a figure was taken."""
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
