"""How something that another party holds is shown: by whom, how much, and under what."""

from dataclasses import dataclass
from datetime import datetime

from apps.fleet.changes.change_values import ChangeView
from apps.sharing.terms import Level, Purpose
from apps.telemetry.facade.storage import StoragePhaseView
from apps.telemetry.values import EpisodeView
from apps.tenancy.values import OrganizationName


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedAs:
    """Who shows it, at which level, under which version of which agreement or which request."""

    holder: OrganizationName
    level: Level
    agreement: str
    version: int  # 0: of none
    purpose: Purpose
    request: str = ""  # the request that was granted; empty: the agreement shows it
    window: tuple[datetime, datetime] | None = None  # in which a request shows it


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedLine:
    """The log line behind what another party shows. Its place in the holder's files is not told."""

    shared: SharedAs  # the rule of the log, which may be another than that of what the line tells
    stream: str
    host: str
    at: datetime | None
    text: str

    @property
    def level(self) -> Level:
        """Return how much of the line is shown."""
        return self.shared.level


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedWarning:
    """A warning that another party's metrics raised, cut and redacted as it is shown."""

    episode: EpisodeView
    shared: SharedAs


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedStoragePhase:
    """A save or load that another party's metrics show, cut and redacted as it is shown."""

    phase: StoragePhaseView
    shared: SharedAs


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedChange:
    """What another party changed, cut and redacted as it is shown."""

    change: ChangeView
    shared: SharedAs


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedSession:
    """An attempt that an incident hit, for a party whose part in the cluster reads of none."""

    shared: SharedAs
    started_at: datetime | None
    ended_at: datetime | None
    host_count: int
    rank_count: int | None
    # Of a signal nothing of these.
    name: str = ""
    attempt: int | None = None
    state: str = ""
    hosts: tuple[str, ...] = ()
    are_hosts_claimed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedCheckpoint:
    """A save or load that another party's logs tell: never of which session, model or step."""

    shared: SharedAs
    kind: str  # save load
    starts_at: datetime
    ends_at: datetime
    is_complete: bool  # begin and end were told


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedContextLine:
    """A line beside a cited one, or that one itself."""

    offset: int  # from the cited line
    at: datetime | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedContext:
    """A cited line of another party among its neighbours, as far as that party shows them."""

    shared: SharedAs
    stream: str
    host: str
    lines: tuple[SharedContextLine, ...]
