"""The page of one node."""

from dataclasses import dataclass

from apps.web.changes.page import ToldChangeRow
from apps.web.display.choices import SegmentLink
from apps.web.incidents.page import IncidentRow
from apps.web.lanes.scale import AxisTick


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryMark:
    """Something on the time line of a node; without a width an instant."""

    x: float
    width: float
    kind: str  # incident out job changed warning run part
    layer: str
    hint: str
    href: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryLane:
    """One row of the time line."""

    title: str
    y: int
    marks: tuple[HistoryMark, ...]
    note: str = ""  # why there is nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryDrawing:
    """A node's whole history on one time line."""

    lanes: tuple[HistoryLane, ...]
    ticks: tuple[AxisTick, ...]
    height: int
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExclusionRow:
    """When a node was left out, and what the reader may know of it."""

    when: str
    until: str
    length: str
    kind: str
    who: str  # empty: hidden by policy
    reason: str
    session: str
    session_id: str
    incident: str
    is_claimed: bool
    is_in_force: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalRow:
    """One of the seven signals of a lemon score."""

    name: str
    value: str
    usual: str
    score: str
    href: str  # what it counts, on this page


@dataclass(frozen=True, slots=True, kw_only=True)
class PartRow:
    """A part that sits in the node, or sat there."""

    kind: str
    place: str
    uuid: str
    serial: str
    pci: str
    since: str
    until: str  # empty: it sits there


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """An attempt that ran on the node."""

    name: str
    session_id: str
    number: int
    state: str
    state_word: str
    when: str
    size: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WarningLine:
    """What metrics of the node told of early."""

    title: str
    when: str
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberCell:
    """A number of the head of the page, and what it counts."""

    name: str
    value: str
    text: str
    href: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePage:
    """A node as one party reads it."""

    host: str
    id: str  # of the same by REST
    cluster: str
    cluster_name: str
    lead: str
    is_out: bool
    out_by_hand: bool
    may_exclude: bool
    numbers: tuple[NumberCell, ...]
    spans: tuple[SegmentLink, ...]
    drawing: HistoryDrawing
    incidents: tuple[IncidentRow, ...]
    more_incidents: int  # older ones, that stand on the time line alone
    exclusions: tuple[ExclusionRow, ...]
    changes: tuple[ToldChangeRow, ...]
    signals: tuple[SignalRow, ...]
    signals_note: str
    warnings: tuple[WarningLine, ...]
    runs: tuple[RunRow, ...]
    parts: tuple[PartRow, ...]
    former_parts: tuple[PartRow, ...]
    has_inventory: bool
    aliases: str
    cost_note: str
    reads_all: bool
