"""What other apps get of clusters, sessions and attempts: frozen values, never rows."""

from dataclasses import dataclass

from apps.fleet.models import Cluster, Session
from apps.tenancy.values import value_of


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


def cluster_name(cluster: Cluster | None) -> ClusterName | None:
    """Return what names a cluster, where there is one."""
    return value_of(ClusterName, cluster) if cluster is not None else None


def session_name(session: Session) -> SessionName:
    """Return what names a session."""
    return value_of(SessionName, session)
