"""What pages and REST get of stragglers: frozen values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from apps.incidents.projection.shared_values import SharedAs
from apps.training.stragglers.fleet import StragglerFleet


@dataclass(frozen=True, slots=True, kw_only=True)
class RankPlace:
    """Where a rank runs, as far as it was reported."""

    rank: int
    host: str
    gpu: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingView:
    """What one trace says of an attempt. Figures that could not be had, or were refused: None."""

    public_id: str
    attempt: int
    added_at: datetime
    added_by: str
    form: str  # ndtimeline chrome inspector
    cause: str  # StragglerCause; empty: collectives without times, only who came last
    slowdown: float | None  # S
    discrepancy: float | None
    is_refused: bool
    what_if: Mapping[str, Any]  # faultline.stragglers/1, `what_if`
    verdict: Mapping[str, Any]  # the same, `verdict`
    late_members: Sequence[Mapping[str, Any]]
    worker: RankPlace | None  # of the verdict, where it names one


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowMember:
    """A node, or a GPU of it, that metrics or collectives show to be slower than its peers."""

    host: str
    gpu: int | None
    rank: int | None
    since: datetime | None
    is_over: bool
    told_by: str  # warning collectives
    reference: str  # public id of the warning or the finding; empty: another party's
    families: tuple[str, ...] = ()
    last_share: float | None = None  # of the collectives to which it came last
    shared: SharedAs | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """One attempt with a trace."""

    session: str
    session_name: str
    attempt: int
    started_at: datetime | None
    cause: str
    slowdown: float | None
    gpu_hours: float | None
    wasted_gpu_hours: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetMonth:
    """The attempts that started in a month."""

    month: date  # its first day
    fleet: StragglerFleet
    unknown_hours_count: int  # jobs of which nobody told size or length


@dataclass(frozen=True, slots=True, kw_only=True)
class StragglerFleetView:
    """Stragglers over all attempts with a trace, as one organization holds them."""

    since: datetime
    until: datetime
    fleet: StragglerFleet
    unknown_hours_count: int
    untraced_count: int  # attempts of the span that nobody gave a trace of
    months: tuple[FleetMonth, ...]
    jobs: tuple[JobRow, ...]
    is_simulated: bool
