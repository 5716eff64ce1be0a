"""What is known of nodes that fail again, as one organization reads it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.fleet.changes.change_values import ChangeView
from apps.fleet.devices.node_identity import NodeIdentity
from apps.fleet.exclusions.exclusion_values import ExcludedTime, ExclusionView
from apps.fleet.values import ClusterName, NodeRun
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.recurrence.blamed_incidents import BlamedIncident
from apps.reliability.offenders.health_checks import CheckCalibration
from apps.reliability.period.scopes import Figure
from apps.telemetry.values import EpisodeView
from apps.training.offenders.exclusions import Concentration
from apps.training.offenders.hazard import Hazard
from apps.training.offenders.lemons import LemonScore


@dataclass(frozen=True, slots=True, kw_only=True)
class HostTotals:
    """What is counted of one node in a span."""

    host: str
    incidents: int  # that blame it
    taken_out: int  # times that it was left out for everybody
    left_out_by_jobs: int
    is_out: bool  # left out now


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterOffenders:
    """Which nodes of a cluster fail again. All of what the reader may see, and of nothing else."""

    cluster: ClusterName
    since: datetime
    until: datetime
    reads_all: bool  # it runs the cluster; else this is what it may see
    node_count: int
    hosts: tuple[HostTotals, ...]  # of which anything is counted, the most blamed first
    exclusions: Sequence[Concentration]  # of any cause, then by cause
    incidents: Sequence[Concentration]
    hazards: Sequence[Hazard]
    lemons: Sequence[LemonScore]  # highest first, those with any signal
    lemons_since: datetime
    has_xids: bool  # kernel logs of its own tell of Xids; else that signal is not known
    has_sizes: bool  # it reads on how many nodes jobs ran; else failures by size are not known
    hidden_count: int  # incidents whose culprits are hidden by policy
    is_cut: bool  # there are more incidents than were counted
    health_checks: CheckCalibration


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeCost:
    """What the incidents that blame a node cost, as the figures of those days count it."""

    gpu_hours: Figure  # of several nodes that are blamed together each has an equal part
    counted: int  # incidents
    unknown: int  # of which a part is not known to the reader


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeHistory:
    """Everything that one organization may know of a node. Lists have the newest first."""

    cluster: ClusterName
    host: str
    since: datetime
    until: datetime
    reads_all: bool
    may_exclude: bool
    identity: NodeIdentity | None  # None: another organization keeps its inventory
    blamed: Sequence[BlamedIncident]  # all that blame it
    incidents: Sequence[IncidentHeader]  # the newest of them in full
    exclusions: Sequence[ExclusionView]
    changes: Sequence[ChangeView]  # that name it, or are of the whole cluster
    excluded: Sequence[ExcludedTime]
    warnings: Sequence[EpisodeView]
    runs: Sequence[NodeRun]
    cost: NodeCost
    recent_count: int  # incidents that blame it, of the last 28 days
    lemon: LemonScore | None  # None: nothing is counted of it
    own_jobs: int  # of this node alone, in the same 28 days
    node_count: int  # of the nodes beside which it was scored
    has_xids: bool
    has_sizes: bool

    @property
    def is_out(self) -> bool:
        """Say whether it is left out at the end of the span."""
        return any(each.is_in_force(self.until) for each in self.exclusions)
