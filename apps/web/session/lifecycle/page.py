"""What the page of a session shows of the states of its attempts."""

from dataclasses import dataclass
from datetime import datetime

from apps.web.lanes.scale import AxisTick


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneStretch:
    """A stretch of an attempt in a lane; `ends_at` is None while it goes on."""

    attempt: int
    starts_at: datetime
    ends_at: datetime | None
    hint: str
    is_claimed: bool = False
    slug: str = ""  # its own colour; empty: that of its lane
    is_between: bool = False  # it leads from one attempt to the next: neither begins with it


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLane:
    """A lane as it is given to the drawing. The slug is its colour, `lane-<slug>`."""

    slug: str
    name: str
    spans: tuple[LaneStretch, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneBar:
    """One stretch in a lane. Positions for the drawing."""

    x: float
    width: float
    hint: str
    is_claimed: bool
    is_open: bool
    slug: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnLane:
    """One lane with what stands in it."""

    slug: str
    name: str
    y: int
    bars: tuple[LaneBar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptMark:
    """Where an attempt begins, with its number where that has room."""

    x: float
    width: float
    label: str
    is_shaded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneDrawing:
    """The lanes of all attempts on one axis of time."""

    lanes: tuple[DrawnLane, ...]
    marks: tuple[AttemptMark, ...]
    ticks: tuple[AxisTick, ...]
    height: int
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecycleRow:
    """One attempt in words. What nobody reported is empty."""

    attempt: int
    queue: str
    start: str
    run: str
    other: str  # suspended, restarting, degraded
    ended: str
    why: str
    incident: str
    who: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StateRow:
    """One state as it was said."""

    attempt: int
    at: str
    word: str
    lane: str
    member: str
    who: str
    result: str
    reason: str
    is_known: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecyclePanel:
    """The states of a session's attempts."""

    drawing: LaneDrawing | None
    rows: tuple[LifecycleRow, ...]
    states: tuple[StateRow, ...]
    state_count: int
    notes: tuple[str, ...]
    stages: tuple[tuple[str, str], ...]  # parts of recoveries that are drawn: slug and name
