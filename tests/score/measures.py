"""Rates with n and 95 % intervals, and the answers they are made of."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from apps.diagnosis.intervals import wilson


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One case with the verdict on it."""

    case: dict[str, Any]
    verdict: dict[str, Any]
    causes: tuple[str, ...]  # as ranked

    @property
    def is_diagnosable(self) -> bool:
        """Say whether an expert could name the layer from the text."""
        return bool(self.case["diagnosable_from_logs"]) and self.case["layer"] != "unknown"

    @property
    def is_strict(self) -> bool:
        """Say whether the case belongs to the split that is quoted first."""
        case = self.case
        is_raw = str(case["log_grade"]).startswith("raw")
        return (
            self.is_diagnosable
            and case["confidence"] == "high"
            and is_raw
            and case["label_basis"] == "statement"
        )

    @property
    def is_layer_right(self) -> bool:
        """Say whether the verdict names the layer."""
        return bool(self.verdict["layer"] == self.case["layer"])

    @property
    def is_cause_right(self) -> bool:
        """Say whether the verdict names the cause."""
        return bool(self.verdict["cause"] == self.case["cause"])

    @property
    def is_in_top3(self) -> bool:
        """Say whether the cause stands among the first three."""
        return self.is_cause_right or self.case["cause"] in self.causes[:3]

    @property
    def is_abstention(self) -> bool:
        """Say whether the answer leaves the question open: unknown, or possible with the true
        layer.
        """
        status = self.verdict["status"]
        return status in {"unknown", "no-failure"} or (status == "possible" and self.is_layer_right)

    @property
    def is_likely_wrong(self) -> bool:
        """Say whether the verdict sounds sure and names another layer."""
        return self.verdict["status"] == "likely" and not self.is_layer_right


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One row of the table."""

    name: str
    n: int
    hits: int = 0
    at_least: float | None = None
    at_most: float | None = None
    value: float | None = None  # where it is no share of n
    value_interval: tuple[float, float] | None = None

    @property
    def rate(self) -> float:
        """Return the value, else hits over n; nothing counted is 0."""
        if self.value is not None:
            return self.value
        return self.hits / self.n if self.n else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Return the interval of the value, else the Wilson interval of the share."""
        if self.value_interval is not None:
            return self.value_interval
        return wilson(self.hits, self.n)

    @property
    def is_met(self) -> bool:
        """Say whether the requirement holds, where there is one."""
        too_low = self.at_least is not None and self.rate < self.at_least
        too_high = self.at_most is not None and self.rate > self.at_most
        return not too_low and not too_high


def measure(
    name: str,
    answers: Sequence[Answer],
    hit: Callable[[Answer], bool],
    *,
    at_least: float | None = None,
    at_most: float | None = None,
) -> Measure:
    """Count a property over answers."""
    hits = sum(1 for one in answers if hit(one))
    return Measure(name=name, hits=hits, n=len(answers), at_least=at_least, at_most=at_most)
