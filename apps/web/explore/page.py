"""What the page of metrics shows."""

from dataclasses import dataclass, field
from typing import Any

from apps.web.display.choices import SegmentLink


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceChoice:
    """A source that may be asked."""

    public_id: str
    name: str
    is_on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalChoice:
    """A signal of the catalog."""

    name: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesRow:
    """One line in figures; a text is empty where nothing was measured."""

    name: str
    owner: str  # who holds it, where that is told
    look: str  # which of the drawn lines it is; empty: not drawn
    least: str
    median: str
    most: str
    last: str
    samples: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExploreResult:
    """An answer: its chart, and the same in figures."""

    title: str
    unit: str
    promql: str
    step: str
    rows: tuple[SeriesRow, ...]
    note: str
    summary: str  # for who can't see the chart
    figure: dict[str, Any] = field(default_factory=dict)
    is_simulated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplorePage:
    """The form as it was filled, and what came of it."""

    sources: tuple[SourceChoice, ...]
    signals: tuple[SignalChoice, ...]
    hosts: tuple[str, ...]
    ranges: tuple[SegmentLink, ...]
    signal: str
    host: str
    gpu: str
    session: str
    incident: str
    q: str
    starts_at: str
    ends_at: str
    result: ExploreResult | None
    problem: str
    csv_query: str
    api_query: str
