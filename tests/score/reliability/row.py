"""One row of the table: a number, what it rests on, and what is required of it."""

import math
from dataclasses import dataclass

from apps.diagnosis.intervals import wilson


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A number with its requirement: at least, at most, or `equals` within `within`.

    `interval` is None where nothing is drawn by chance: a formula, a sum.
    """

    number: str  # of the published table: D5, R1 …
    name: str
    value: float
    n: int
    interval: tuple[float, float] | None = None
    at_least: float | None = None
    at_most: float | None = None
    equals: float | None = None
    within: float = 0.0
    caution: str = ""

    @property
    def is_met(self) -> bool:
        """Say whether what is required holds; of nothing required it does."""
        low = self.at_least is None or self.value >= self.at_least
        high = self.at_most is None or self.value <= self.at_most
        same = self.equals is None or abs(self.value - self.equals) <= self.within
        return low and high and same and not math.isnan(self.value)

    @property
    def required(self) -> str:
        """Return the requirement as text, empty where there is none."""
        if self.equals is not None:
            return f"{_shown(self.equals)} ± {_shown(self.within)}"
        if self.at_least is not None:
            return f"≥ {_shown(self.at_least)}"
        return f"≤ {_shown(self.at_most)}" if self.at_most is not None else ""

    @property
    def line(self) -> str:
        """Return the row as Markdown."""
        bounds = " to ".join(map(_shown, self.interval)) if self.interval else "exact"
        met = ("met" if self.is_met else "missed") if self.required else ""
        name = f"{self.name} ({self.caution})" if self.caution else self.name
        return (
            f"| {self.number} | {name} | {_shown(self.value)} | {self.n} | {bounds} "
            f"| {self.required} | {met} |"
        )


def share(number: str, name: str, hits: int, n: int, *, at_least: float | None = None) -> Row:
    """Return a share with its Wilson interval."""
    return Row(
        number=number,
        name=name,
        value=hits / n,
        n=n,
        interval=wilson(hits, n),
        at_least=at_least,
    )


def _shown(value: float) -> str:
    return f"{value:.4g}"
