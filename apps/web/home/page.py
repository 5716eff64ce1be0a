"""The first page: what waits, and the state of things."""

from dataclasses import dataclass

from apps.web.bundles.page import BundleLine
from apps.web.display.layers import LayerMark
from apps.web.first_steps.steps import FirstSteps
from apps.web.home.waiting_agreements import WaitingAgreement
from apps.web.home.waiting_requests import WaitingRequests
from apps.web.incidents.page import IncidentRow
from apps.web.sessions.page import SessionRow
from apps.web.sources.page import SourceRow


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthBar:
    """Incidents that broke in one stretch of time."""

    x: float
    y: float
    height: float
    count: int
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthLane:
    """Twenty-four hours of one layer in quarter hours."""

    layer: LayerMark
    y: float
    bars: tuple[HealthBar, ...]

    @property
    def text_y(self) -> float:
        """Return the baseline of the lane's name."""
        return self.y + 17

    @property
    def glyph_y(self) -> float:
        """Return the upper edge of the lane's mark."""
        return self.y + 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """The last day by layer."""

    lanes: tuple[HealthLane, ...]
    ticks: tuple[tuple[float, str], ...]
    height: int

    @property
    def tick_y(self) -> int:
        """Return the baseline of the clock."""
        return self.height + 16

    @property
    def box_height(self) -> int:
        """Return the height of the drawing."""
        return self.height + 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """A number day by day, as a small line: positions for the drawing, and the same in words."""

    lines: tuple[str, ...]  # points of polylines; between them lie days without a value
    dot: tuple[float, float]  # the last day
    first: str  # the first and the last day of the line
    last: str
    high: str  # the value at its top
    hint: str
    text: str  # which days, and of how many cases


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekNumber:
    """A number with its n and interval."""

    name: str
    value: str
    unit: str
    interval: str
    note: str
    trend: Trend | None = None  # None: of too few cases a line would show chance


@dataclass(frozen=True, slots=True, kw_only=True)
class HomePage:
    """What waits for the reader, then the state of things."""

    title: str
    lead: str
    rows: tuple[IncidentRow, ...]
    open_count: int
    mine_count: int
    answer_count: int  # what others asked of the reader and wait for
    action_count: int  # what it is asked to do and has not done
    health: Health | None
    sources: tuple[SourceRow, ...]
    sessions: tuple[SessionRow, ...]
    numbers: tuple[WeekNumber, ...]
    offered: tuple[str, ...] = ()  # what waits for an answer of the reader's organization
    agreements: tuple[WaitingAgreement, ...] = ()  # that wait for an answer, or end soon
    requests: tuple[WaitingRequests, ...] = ()  # for evidence, that wait for an answer
    bundles: tuple[BundleLine, ...] = ()  # of evidence, that nobody of it has looked at yet
    is_alone: bool = False  # it takes part in no cluster
    first: FirstSteps | None = None  # of an organization without any incident yet
    sample: str = ""  # slug of the person's sample organization
    is_sample: bool = False  # this is it
    refused: str = ""  # why what is sent is refused now
