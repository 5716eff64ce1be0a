"""A finished timeline: what its template draws."""

from dataclasses import dataclass

from apps.web.lanes.arcs import Arc
from apps.web.lanes.bursts import Burst
from apps.web.lanes.elements import Lane
from apps.web.lanes.scale import HEAD_HEIGHT, LEFT, RIGHT, AxisTick, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointBand:
    """A save or load behind all lanes."""

    x: float
    width: float
    label: str  # empty: no room beside the one before
    label_x: float
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """The moment it broke."""

    x: float
    utc: str
    local: str
    tag_x: float

    @property
    def text_x(self) -> float:
        """Return the middle of the tag."""
        return self.tag_x + 42


@dataclass(frozen=True, slots=True, kw_only=True)
class DensityBar:
    """One column of the density strip."""

    x: float
    y: float
    height: float
    layer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Density:
    """All observations of the incident in one strip, with the window that the lanes show."""

    bars: tuple[DensityBar, ...]
    span: Span
    window_x: float
    window_width: float
    first: str
    last: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """The finished timeline."""

    width: int
    height: float
    lanes: tuple[Lane, ...]
    ticks: tuple[AxisTick, ...]
    bands: tuple[CheckpointBand, ...]
    cursor: Cursor | None
    density: Density | None
    local_name: str
    days: str  # of the axis, in UTC
    before_count: int
    after_count: int
    span: Span
    arcs: tuple[Arc, ...] = ()
    bursts: tuple[Burst, ...] = ()
    left: int = LEFT
    right: int = RIGHT
    head_height: int = HEAD_HEIGHT  # of the axis, with a row for the names of bands where any is

    @property
    def plot_width(self) -> int:
        """Return how wide the plot behind the heads of lanes is."""
        return self.right - self.left
