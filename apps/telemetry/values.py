"""What other apps get of sources, of what they sent and of what it told: values, never rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.fleet.models import Cluster
from apps.fleet.values import ClusterName
from apps.telemetry.models import Batch, Deletion, EarlyWarning, LogStream, Source
from apps.tenancy.values import value_of


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceView:
    """A metrics source and how it is doing. Its credential stays inside."""

    id: int
    public_id: str
    cluster_id: int
    cluster: ClusterName
    kind: str  # prometheus | push-metrics
    name: str
    url: str
    auth: str
    has_credential: bool
    verify_tls: bool
    ca_pem: str
    allowed_networks: Sequence[str]
    label_map: Mapping[str, str]
    zone: str
    is_simulated: bool
    is_enabled: bool
    state: str  # waiting fresh stale
    last_success_at: datetime | None
    last_attempt_at: datetime | None
    last_error: str
    series_count: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeView:
    """Findings in metrics that belong together: a warning with two families, a signal with one."""

    id: int
    public_id: str
    cluster: ClusterName
    entity: Mapping[str, Any]  # diagnosis.model.Device
    host: str  # empty: a shared part
    layer: str
    score: float
    is_page: bool
    is_fatal: bool
    is_simulated: bool
    starts_at: datetime
    raised_at: datetime
    told_at: datetime
    ends_at: datetime | None  # None: goes on
    withdrawn_at: datetime | None
    families: Sequence[str]
    hosts: Sequence[str]
    causes: Sequence[str]
    statement: Mapping[str, Any]  # what it tells, a diagnosis.model.Statement
    contributions: Sequence[Mapping[str, Any]]  # diagnosis.model.Contribution


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchView:
    """A body of logs and how far it got, without what it says."""

    id: int
    public_id: str
    cluster: ClusterName | None
    protocol: str
    received_at: datetime
    finished_at: datetime | None
    state: str
    line_count: int
    byte_count: int
    error: str  # why it was set aside, never log text


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamView:
    """One log of an organization, read on from batch to batch."""

    kind: str  # diagnosis.model.Stream, or empty where nothing told it
    host: str
    rank: int | None
    line_count: int
    first_at: datetime | None
    last_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletionView:
    """What one run took away by age."""

    at: datetime
    kind: str  # retention.classes.Kind
    days: int
    before: datetime
    row_count: int
    byte_count: int
    cited_count: int  # rows and lines that stayed: cited


def source_view(source: Source) -> SourceView:
    """Return a source that was read with its cluster."""
    return value_of(
        SourceView,
        source,
        cluster=_name(source.cluster),
        has_credential=source.credential is not None,
    )


def episode_view(episode: EarlyWarning) -> EpisodeView:
    """Return an episode that was read with its cluster."""
    return value_of(EpisodeView, episode, cluster=_name(episode.cluster))


def batch_view(batch: Batch) -> BatchView:
    """Return a batch that was read with its cluster."""
    return value_of(BatchView, batch, cluster=_name(batch.cluster) if batch.cluster else None)


def stream_view(stream: LogStream) -> StreamView:
    """Return what is known of a log without reading its lines."""
    return value_of(StreamView, stream)


def deletion_view(deletion: Deletion) -> DeletionView:
    """Return what a run took away."""
    return value_of(DeletionView, deletion)


def _name(cluster: Cluster) -> ClusterName:
    return value_of(ClusterName, cluster)
