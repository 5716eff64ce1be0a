"""The verdict in one row, and the sources it rests on."""

from dataclasses import dataclass

from apps.web.pages.basics import LayerMark, Probability


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageCell:
    """One kind of source: there, stale, hidden by policy or absent."""

    state: str
    name: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageLine:
    """One line of the legend: how many sources are in a state, and which."""

    state: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageStrip:
    """All sources of an incident, side by side."""

    cells: tuple[CoverageCell, ...]
    lines: tuple[CoverageLine, ...]
    present_count: int

    @property
    def count(self) -> int:
        """Return how many sources could have spoken."""
        return len(self.cells)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictStrip:
    """Layer, cause, culprit, probability and coverage in one row."""

    layer: LayerMark
    phase: str
    cause: str
    cause_slug: str
    culprit: str
    culprit_detail: str
    cause_odds: str  # empty where the answer is open
    probability: Probability
    probability_note: str  # what the number is of
    coverage: CoverageStrip
    stopped_since: str = ""
    stopped_note: str = ""
    hosts_note: str = ""  # what is missing while where the session ran is only claimed
