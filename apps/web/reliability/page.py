"""Values of the page of a period."""

from dataclasses import dataclass

from apps.web.display.choices import SegmentLink
from apps.web.display.layers import LayerMark
from apps.web.display.shown_parties import ShownPartyRow
from apps.web.reliability.drawings import GoodputDrawing, MttfDrawing
from apps.web.reliability.figure_text import FigureText


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadlineFigure:
    """One of the figures that come first."""

    title: str
    figure: FigureText
    trend: str  # what it was in the time before; empty: not known
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeUseRow:
    """What one use took. Positions for the bar."""

    slug: str
    name: str
    length: str
    share: str
    interval: str
    gpu_hours: str
    x: float
    width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LossRow:
    """What one layer, cause, node, party or month lost."""

    name: str
    layer: LayerMark | None
    incidents: str
    gpu_hours: str
    share: str
    interval: str
    disputed: str
    query: str
    width: float  # of its bar, in percent of the longest


@dataclass(frozen=True, slots=True, kw_only=True)
class LossTable:
    """Losses by one thing; more than are shown are in the file."""

    title: str
    column: str  # the head of the rows' names
    rows: tuple[LossRow, ...]
    more_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedFigure:
    """A figure beside its name."""

    name: str
    figure: FigureText


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRow:
    """A host that incidents blame."""

    host: str
    cluster: str
    incident_count: int
    gpu_hours: str
    query: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressRow:
    """How one session got on."""

    session: str
    name: str  # its id where the reader is told no name
    url: str
    whose: str  # the reader's, or who shows it
    wall: str
    goodput: str
    step: str
    tokens: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityPage:
    """A period in figures and words."""

    lead: str
    audiences: tuple[SegmentLink, ...]
    ranges: tuple[SegmentLink, ...]
    first_day: str
    last_day: str
    hidden: tuple[tuple[str, str], ...]  # of the form that chooses days
    api_query: str
    reports_query: str  # reports of the same
    headlines: tuple[HeadlineFigure, ...]
    failures: tuple[NamedFigure, ...]
    failure_notes: tuple[str, ...]
    mttf: MttfDrawing
    uses: tuple[TimeUseRow, ...]
    wall: str
    shares: tuple[NamedFigure, ...]
    time_notes: tuple[str, ...]
    goodput: GoodputDrawing | None
    total: tuple[NamedFigure, ...]
    tables: tuple[LossTable, ...]
    loss_notes: tuple[str, ...]
    saves: tuple[NamedFigure, ...]
    save_notes: tuple[str, ...]
    retries: tuple[str, ...]
    retries_query: str
    nodes: tuple[NodeRow, ...]
    progress: tuple[ProgressRow, ...]
    owners: tuple[ShownPartyRow, ...]
    withheld: tuple[str, ...]
    has_time: bool  # whether there is more to say of it than that it is withheld
    has_failures: bool
    has_losses: bool
    has_saves: bool
