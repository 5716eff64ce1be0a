"""What other apps get of clusters, sessions and attempts: frozen values, never rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from apps.diagnosis.model import EndState
from apps.fleet.models import Attempt, Cluster, Session
from apps.tenancy.values import OrganizationName, name_of, value_of

OPEN: Final = frozenset({EndState.RUNNING, EndState.UNKNOWN})
SILENT, SILENT_WHILE_RUNNING = timedelta(hours=1), timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterName:
    """What names a cluster."""

    id: int
    slug: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionName:
    """What names a session; without a cluster it is an upload."""

    id: int
    public_id: str
    name: str
    cluster_id: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """A session as those read it who may know of it."""

    id: int
    public_id: str
    organization: OrganizationName  # its tenant, or who uploaded it
    cluster_id: int | None
    cluster: ClusterName | None
    scheduler: str
    name: str
    job: str
    project: str
    is_simulated: bool
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptView:
    """One start of a session, merged from what several parties reported of it."""

    id: int
    session_id: int
    number: int
    state: str  # diagnosis.model.EndState
    started_at: datetime | None
    ended_at: datetime | None
    hosts: Sequence[str]
    hosts_asserted: bool
    world_size: int | None
    ranks: Mapping[str, Any]  # rank → {"host", "gpu", "pci", "uuid"}
    exit_codes: Mapping[str, Any]
    field_sources: Mapping[str, Any]  # field → [organization slug, at, standing]
    contradictions: Sequence[Mapping[str, Any]]
    doubted_at: datetime | None
    undiagnosed_at: datetime | None
    lost_gpu_count: int | None  # None: nothing is told of recovery in place
    alive_gpu_count: int | None
    loss_told_at: datetime | None  # when a job that lost some last told of anything
    is_cut: bool  # its hosts and ranks are not here: there is too much of them

    @property
    def is_degraded(self) -> bool:
        """Say whether it lost GPUs and ran on, or runs on, without them."""
        return bool(self.lost_gpu_count)

    @property
    def is_open(self) -> bool:
        """Say whether nobody told its end, and it may run on."""
        return self.state in OPEN and self.ended_at is None

    def is_degraded_at(self, now: datetime) -> bool:
        """Say whether it is known to run on without some of its GPUs at an instant.

        Not of one that ended, nor of one that fell silent: an hour of nobody's telling that it
        runs, a day where that was reported, is more than any job goes without a step.
        """
        if not self.is_degraded or not self.is_open:
            return False
        limit = SILENT_WHILE_RUNNING if self.state == EndState.RUNNING else SILENT
        return self.loss_told_at is None or now - self.loss_told_at <= limit


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRun:
    """An attempt that ran on a node."""

    session: SessionName
    number: int
    state: str
    started_at: datetime | None
    ended_at: datetime | None
    host_count: int
    world_size: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSize:
    """How large an attempt was; `host` is where one of a single node ran."""

    attempt_id: int
    host_count: int
    host: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedRun:
    """An attempt that is over: how it ended, and the nodes by their one name."""

    attempt_id: int
    state: str
    hosts: frozenset[str]
    started_at: datetime
    ended_at: datetime


def cluster_name(cluster: Cluster | None) -> ClusterName | None:
    """Return what names a cluster, where there is one."""
    return value_of(ClusterName, cluster) if cluster is not None else None


def session_name(session: Session) -> SessionName:
    """Return what names a session."""
    return value_of(SessionName, session)


def session_view(session: Session) -> SessionView:
    """Return a session that was read with its cluster and organization."""
    return value_of(
        SessionView,
        session,
        organization=name_of(session.organization),
        cluster=cluster_name(session.cluster),
    )


def attempt_view(attempt: Attempt) -> AttemptView:
    """Return an attempt with everything that was kept of it, or left out where it is cut."""
    return value_of(AttemptView, attempt)
