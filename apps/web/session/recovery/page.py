"""What the page of a session shows of an attempt that lost GPUs and ran on."""

from dataclasses import dataclass

from apps.web.lanes.scale import AxisTick


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneStep:
    """A time in which as many GPUs were alive. Positions for the drawing."""

    x: float
    y: float
    width: float
    height: float
    is_degraded: bool
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneMark:
    """A loss, or somebody who joined."""

    x: float
    kind: str  # lost joined
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AliveLane:
    """How many GPUs were alive over the time of an attempt."""

    steps: tuple[LaneStep, ...]
    marks: tuple[LaneMark, ...]
    levels: tuple[tuple[float, str], ...]  # y and text of the axis
    ticks: tuple[AxisTick, ...]
    hint: str  # all of it in words


@dataclass(frozen=True, slots=True, kw_only=True)
class WorthLines:
    """Tokens by GPU-hours: as it ran, and as restarts would have had it."""

    ran: str  # points of a polyline
    restarted: str  # empty: what a restart takes is not told
    levels: tuple[tuple[float, str], ...]
    hours: tuple[tuple[float, str], ...]
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryChangeRow:
    """One loss, repair or restart, as a row."""

    at: str
    what: str
    detail: str
    alive: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ViolationRow:
    """One step that is not what it would have been without the loss."""

    step: str
    what: str
    found: str
    expected: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryPanel:
    """One attempt that recovers in place."""

    attempt: int
    state: str  # in words
    is_degraded: bool
    figures: tuple[tuple[str, str], ...]
    lane: AliveLane | None
    worth: WorthLines | None
    changes: tuple[RecoveryChangeRow, ...]
    change_count: int
    violations: tuple[ViolationRow, ...]
    violation_count: int
    warnings: tuple[str, ...]  # what is wrong
    notes: tuple[str, ...]  # what is not told, and what is hidden
