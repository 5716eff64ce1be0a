"""Retry chains and recoveries over a time."""

from dataclasses import dataclass

from apps.web.display.choices import SegmentLink
from apps.web.session.retries.page import AdviceLine, ChainCard


@dataclass(frozen=True, slots=True, kw_only=True)
class RateRow:
    """How often chains of one kind recovered."""

    name: str
    share: str  # 33.3 %; empty of nothing
    interval: str
    n: str  # 4 of 12
    attempts: str
    gap: str  # the median and the quartiles
    gpu_hours: str
    burnt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedChainRow:
    """One chain of the list."""

    card: ChainCard
    session: str  # public id
    job: str
    sessions_more: str
    cluster: str
    when: str
    how: str
    is_loop: bool
    loop: str
    advice: tuple[AdviceLine, ...]
    incident: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRow:
    """What one part of recoveries took on average, before and after a date."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoverySummary:
    """How long recoveries took; the comparison is empty without a date or without both sides."""

    count: str
    whole_count: int  # that reached another step: the median is of these
    median: str
    comparison: str
    is_clear: bool
    stages: tuple[StageRow, ...]
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RetriesPage:
    """What the page shows."""

    first_day: str
    last_day: str
    cluster: str
    outcome: str
    changed: str
    clusters: tuple[tuple[str, str], ...]  # slug and name
    outcomes: tuple[SegmentLink, ...]
    rates: tuple[RateRow, ...]
    difference: str
    rows: tuple[ListedChainRow, ...]
    chain_count: int
    recoveries: RecoverySummary
    notes: tuple[str, ...]
    query: str  # of the same by REST and as CSV
    next_query: str
    is_hidden: bool = False  # a vendor is told of no sessions
