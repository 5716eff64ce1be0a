"""The page of repeat offenders."""

from dataclasses import dataclass

from apps.web.display.choices import SegmentLink


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcentrationRow:
    """How unevenly events of one cause, or of any, lie on the nodes."""

    name: str
    count: int
    top_share: str
    top_interval: str
    alike: str  # what equal nodes would show by chance
    gini: str
    gini_interval: str
    verdict: str
    is_uneven: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TopNode:
    """One of the nodes with most."""

    host: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcentrationCard:
    """Exclusions, or incidents: the Lorenz curve, the nodes with most, each cause."""

    id: str
    title: str
    caption: str
    empty: str  # why there is nothing; empty where there is something
    curve: str  # points of the Lorenz curve
    hint: str
    top: tuple[TopNode, ...]
    rows: tuple[ConcentrationRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LemonRow:
    """A node that stands out, and by what."""

    host: str
    score: str
    signals: str
    is_lemon: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HazardRow:
    """How soon the next incident of a node comes."""

    after: str
    nodes: int
    count: int
    mean: str
    interval: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OffenderRow:
    """What is counted of one node."""

    host: str
    incidents: int
    taken_out: int
    left_out_by_jobs: int
    is_out: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthCheckRow:
    """How often one check failed: in sessions that finished, and that failed."""

    name: str
    severity: str
    finished: str
    interval: str
    failed: str
    verdict: str
    is_beyond: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthCheckCard:
    """How far a check may be trusted that says a node is ill."""

    empty: str  # why nothing can be said; empty where something can
    summary: str
    rows: tuple[HealthCheckRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OffendersPage:
    """Which nodes of a cluster fail again, as one party reads it."""

    cluster: str
    cluster_name: str
    days: str
    spans: tuple[SegmentLink, ...]
    notes: tuple[str, ...]
    node_count: int
    cards: tuple[ConcentrationCard, ...]
    lemons: tuple[LemonRow, ...]
    lemon_caption: str
    hazards: tuple[HazardRow, ...]
    checks: HealthCheckCard
    hosts: tuple[OffenderRow, ...]
    left_out_count: int  # nodes with less than those that are shown
