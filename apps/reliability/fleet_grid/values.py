"""A cluster's parts at one instant, as one organization may read them."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from apps.diagnosis.model import Signal
from apps.fleet.values import ClusterName
from apps.incidents.projection.shared_values import SharedAs
from apps.telemetry.facade.fleet_metrics import XidMark
from apps.tenancy.values import OrganizationName


class Standing(StrEnum):
    """Why a node has no values, or that it has."""

    HELD = "held"
    NO_DATA = "no-data"
    HIDDEN = "hidden"  # others may hold it; whether they do is theirs to say


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetQuestion:
    """What is asked: which signal, when, and of which nodes."""

    cluster: str
    signal: str
    at: datetime
    session: str = ""  # public id: its hosts alone
    host: str = ""  # hosts whose name has this in it
    with_choices: bool = True  # which signals and sessions there are


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSession:
    """The session that ran on a node at the instant."""

    public_id: str
    name: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetNode:
    """One node with its parts in order: what is None nobody told, or does not show."""

    host: str
    standing: Standing
    parts: tuple[str, ...] = ()
    values: tuple[float | None, ...] = ()
    ages: tuple[float | None, ...] = ()  # seconds
    distances: tuple[float | None, ...] = ()  # from its peers, more is worse
    xids: tuple[XidMark, ...] = ()  # of the last hour before the instant
    out: str = ""  # how it is left out: a kind of exclusion
    session: NodeSession | None = None
    shared: SharedAs | None = None

    @property
    def worst(self) -> float | None:
        """Return how far its worst part is from its peers."""
        return max((each for each in self.distances if each is not None), default=None)

    def place_of(self, xid: XidMark, signal: Signal) -> int | None:
        """Return the place of the part that an Xid hit; None: no GPU is known, or shown here."""
        label = str(xid.gpu)
        if xid.gpu is None or signal.entity != "gpu" or label not in self.parts:
            return None
        return self.parts.index(label)


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetView:
    """All nodes, the worst unlike their peers first."""

    cluster: ClusterName
    is_simulated: bool
    at: datetime
    oldest: datetime  # so far back anything is kept
    signal: Signal
    nodes: tuple[FleetNode, ...]
    signals: tuple[Signal, ...]  # that are told of at the instant, or shown
    sessions: tuple[NodeSession, ...]  # that ran at the instant
    others: tuple[OrganizationName, ...]  # who else may hold metrics of it
    has_source: bool

    @property
    def told(self) -> tuple[float, ...]:
        """Return every value that there is."""
        return tuple(each for node in self.nodes for each in node.values if each is not None)

    @property
    def signal_names(self) -> tuple[str, ...]:
        """Return the names of what is told of."""
        return tuple(each.name for each in self.signals)
