"""What pages and REST get of a cluster's storage path: frozen values."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from apps.fleet.values import ClusterName
from apps.incidents.projection.shared_values import SharedAs
from apps.reliability.prices import Price
from apps.telemetry.facade.storage import HostTraffic, StoragePhaseView
from apps.telemetry.storage_path.ratings import Rating
from apps.tenancy.values import OrganizationName
from apps.training.storage_path.adapters import AdapterFinding
from apps.training.storage_path.ledger import LedgerSum
from apps.training.storage_path.rated import RatedShare
from apps.training.storage_path.scale import Emergence
from apps.training.storage_path.slots import SlotFinding


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPhase:
    """A save or load that metrics show, and by whom it is shown where it is another party's."""

    phase: StoragePhaseView
    shared: SharedAs | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointLedgerRow:
    """One save or load, of logs, of metrics or of both. What nobody tells is None."""

    kind: str  # save load
    starts_at: datetime
    ends_at: datetime
    session: str  # public id; empty: nobody knows of which, or the reader may not
    session_name: str
    attempt: int | None
    step: int | None
    is_logged: bool
    is_measured: bool
    phase_id: int | None
    moved_bytes: float | None
    gpu_count: int | None
    idled_gpu_hours: float | None
    cost: float | None
    is_whole: bool = True  # else logs tell one of begin and end alone: both instants are that one

    @property
    def seconds(self) -> float | None:
        """Return how long it lasted; None where nobody tells its begin or its end."""
        if not self.is_whole:
            return None
        return (self.ends_at - self.starts_at).total_seconds()


@dataclass(frozen=True, slots=True, kw_only=True)
class KindShares:
    """How much of what is there all saves, or all loads, use on average while they last."""

    kind: str
    bytes_per_second: float
    host_count: int
    phase_count: int
    shares: tuple[RatedShare, ...]
    is_adapter_assumed: bool  # nobody entered what the adapters carry


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseDetail:
    """One save or load from the rank to the server."""

    shown: ShownPhase
    row: CheckpointLedgerRow | None  # of the ledger, where it stands there
    shares: tuple[RatedShare, ...]
    slots: SlotFinding | None  # None: too little is known of its requests
    adapter: AdapterFinding | None  # None: nobody tells what adapters carried
    slot_count: float
    is_slot_count_entered: bool  # else the most that were ever in use at once
    request_bytes: float
    is_flat_known: bool  # how long an answer took at rest
    hosts: tuple[HostTraffic, ...]  # the longest in the queue first


@dataclass(frozen=True, slots=True, kw_only=True)
class HolderNote:
    """A party that may measure the storage path: how much of it the reader is shown."""

    organization: OrganizationName
    parts: tuple[str, ...]
    shown: SharedAs | None  # None: nothing, by no agreement in force


@dataclass(frozen=True, slots=True, kw_only=True)
class StoragePathView:
    """A cluster's storage path over a span, as one organization reads it."""

    cluster: ClusterName
    since: datetime
    until: datetime
    is_simulated: bool
    phases: tuple[ShownPhase, ...]
    ledger: tuple[CheckpointLedgerRow, ...]
    price: Price | None  # that its organization entered
    sums: tuple[LedgerSum, ...]
    idle_untold: Mapping[str, int]  # kind → of how many nobody tells whether GPUs waited
    shares: tuple[KindShares, ...]
    ratings: tuple[Rating, ...]
    may_rate: bool
    detail: PhaseDetail | None
    scale: tuple[Emergence, ...] | None  # None: not asked for
    scaled_run_count: int
    holders: tuple[HolderNote, ...]
