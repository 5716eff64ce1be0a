"""The page of a cluster's fleet."""

from dataclasses import dataclass
from typing import Any

from apps.web.display.choices import SegmentLink
from apps.web.fleet.peer_span import PeerSpan


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetAsked:
    """What the address asks for, as far as it is known."""

    org: str
    cluster: str
    metric: str
    at: str  # as the address has it; empty: the newest
    session: str
    host: str
    sort: str
    colour: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetChoice:
    """One entry of a select."""

    value: str
    text: str
    is_on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricGroup:
    """Entries of a select under a title."""

    title: str
    choices: tuple[FleetChoice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetCell:
    """One part in the table."""

    text: str
    is_marked: bool  # an Xid hit it


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetRow:
    """One node in the table."""

    host: str
    href: str  # empty: under a pseudonym it has no page
    worst: str
    cells: tuple[FleetCell, ...]
    span: PeerSpan | None
    note: str  # why there is no value, how it is left out, what hit it
    session: str
    session_id: str
    shown_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetPage:
    """A cluster's parts at one instant."""

    asked: FleetAsked
    cluster_name: str
    is_simulated: bool
    heading: str
    metric_title: str
    unit: str
    when: str
    at_seconds: int
    oldest_seconds: int
    newest_seconds: int
    newest_query: str
    metrics: tuple[MetricGroup, ...]
    sessions: tuple[FleetChoice, ...]
    sorts: tuple[SegmentLink, ...]
    colours: tuple[SegmentLink, ...]
    rows: tuple[FleetRow, ...]
    part_count: int  # columns of the table
    node_count: int
    hidden_rows: int
    others: str
    has_source: bool
    is_bare: bool  # now not one node is the reader's or shown to them
    has_values: bool
    values: dict[str, Any]
    values_address: str
    curve_address: str
    node_address: str  # with HOST in the place of a node's name
    json_address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewestTold:
    """When a metric was told of last, and what leads there."""

    when: str
    query: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuRow:
    """One GPU of a node: what it is, and what it measures."""

    index: str
    identity: str
    values: tuple[str, ...]
    is_marked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelLine:
    """A line of the panel that leads somewhere, or nowhere."""

    text: str
    when: str
    href: str = ""
    layer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePanel:
    """A node beside the grid."""

    host: str
    href: str
    when: str
    out: str
    note: str
    shown_by: str
    titles: tuple[str, ...]
    gpus: tuple[GpuRow, ...]
    xids: tuple[PanelLine, ...]
    sessions: tuple[PanelLine, ...]
    incidents: tuple[PanelLine, ...]
    warnings: tuple[PanelLine, ...]
    why: str = ""  # it is shown though nobody chose it
