"""A period in figures: frozen values for pages, REST, tables and reports.

Milliseconds are whole; the parts of a wall clock add up to it exactly. Hours are of GPUs where a
name says `gpu_hours`. Where something is not known it is None, and a `Figure` says why.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Literal

from apps.diagnosis.intervals import HitShare
from apps.incidents.projection.shared_values import SharedAs
from apps.reliability.period.facts import SessionOwner
from apps.reliability.period.scopes import Absence, Counted, Figure, PeriodScope, WithheldFigure
from apps.training.economics.expectations import ExpectedMttf

LossKind = Literal["layer", "cause", "node", "party", "month"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeToFailure:
    """How long sessions ran for each failure, and what a published rate would promise."""

    hours: Figure  # exact Poisson interval; n = failures
    infrastructure_hours: Figure  # of those failures that GPU, network, storage or host are blamed
    per_1000_node_days: Figure
    run_hours: float | None  # None: sessions are hidden
    node_days: float | None  # None: nobody told where anything ran
    typical_gpus: int | None  # the size at which half of all GPU-hours were spent
    expected: ExpectedMttf | None  # at that size, by the published rate
    curve: tuple[ExpectedMttf, ...]  # the published rate at other sizes
    endless_count: int  # attempts whose end nobody told: counted up to the next sign


@dataclass(frozen=True, slots=True, kw_only=True)
class UseShare:
    """What one use took of the time that is divided."""

    use: str  # training.economics.timelines.TimeUse
    milliseconds: int
    gpu_hours: float | None
    share: Figure  # of the wall clock, by bootstrap over sessions


@dataclass(frozen=True, slots=True, kw_only=True)
class HourShare:
    """The productive shares at the end of an hour: since the period began, and in that hour.

    None where nothing ran of which steps are known.
    """

    ends_at: datetime
    cumulative: float | None
    hour: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeDivision:
    """The wall clock of all sessions of which steps are known, divided among uses."""

    wall_ms: int | None  # None: no session whose steps may be read
    uses: tuple[UseShare, ...]  # add up to `wall_ms`
    goodput: Figure
    ettr: Figure
    expected_ettr: float | None  # by the formula, of what was measured here
    hours: tuple[HourShare, ...]
    reference_shares: Mapping[str, float]
    unsure_count: int  # attempts of which nobody knows what their end lost
    untold_ms: int | None  # the wall clock of sessions of which no step is known: not divided
    untold: Counted | None  # both None: sessions are hidden
    counted_until: datetime | None  # of what still runs


@dataclass(frozen=True, slots=True, kw_only=True)
class Utilization:
    """Model FLOPs utilization, in percent, where logs tell it."""

    median: Figure
    within_band: HitShare  # attempts whose median lies in the usual band
    band: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class LossShare:
    """What one layer, cause, node, party or month lost: by count and by GPU-hours."""

    name: str  # a slug, a host, a party's name, 2026-03; empty: not known or hidden
    incidents: HitShare
    gpu_hours: float | None
    gpu_hours_share: float | None
    gpu_hours_interval: tuple[float, float] | None
    disputed_gpu_hours: float | None  # of incidents whose verdict is contested
    counted: Counted
    absence: Absence | None = None  # why there are no GPU-hours
    is_at_least: bool = False  # parts of it are not known


@dataclass(frozen=True, slots=True, kw_only=True)
class LossTotal:
    """GPU-hours that incidents cost, in parts."""

    gpu_hours: Figure
    progress: Figure  # trained since the last checkpoint that was kept
    downtime: Figure  # from the last step to the next one
    slow: Figure  # what slow steps took too long
    disputed: Figure  # of all that, where the verdict is contested
    unsized_count: int  # incidents of sessions whose size nobody told


@dataclass(frozen=True, slots=True, kw_only=True)
class Losses:
    """What incidents cost, and whom or what it is put down to. Each incident counts once."""

    total: LossTotal
    by: Mapping[LossKind, tuple[LossShare, ...]]  # most GPU-hours first
    incidents: Counted


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveInterval:
    """How often checkpoints are saved, and how often would cost least."""

    measured_seconds: Figure  # the median between saves; n = saves
    save_seconds: Figure  # the median for which steps waited
    restart_seconds: Figure  # the median from a stop to the next step
    best_seconds: float | None  # by the formula
    simulated_seconds: float | None  # by chance, with a fixed seed
    ettr_at_measured: float | None
    ettr_at_best: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryCounts:
    """Chains of retries that began in the period."""

    automatic: HitShare  # that recovered
    manual: HitShare
    fisher_p: float | None
    burnt_gpu_hours: Figure
    longest: int | None  # retries in the longest chain
    unknown_count: int | None  # of which the reader does not know what became: in no share
    counted: Counted | None  # of sessions; None, as both above: sessions are hidden


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstNode:
    """A host and the incidents that blame it."""

    host: str
    cluster: str
    incidents: Counted
    gpu_hours: float | None
    absence: Absence | None = None  # why there are none
    is_at_least: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """The few figures that are compared with the time before."""

    sessions: Counted | None  # None, as the next: sessions are hidden
    attempts: int | None
    incidents: Counted
    mttf_hours: Figure
    goodput: Figure
    lost_gpu_hours: Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What lost GPU-hours cost at the organization's price."""

    per_gpu_hour: Decimal
    currency: str
    lost: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionProgress:
    """How one session got on in a period. Medians over its attempts, None where no line tells."""

    session: str  # public id
    shared: SharedAs | None  # None: the reader's own
    wall_ms: int
    productive_ms: int
    step_seconds: float | None
    tokens_per_second: float | None
    attempt_count: int  # that tell either

    @property
    def goodput(self) -> float:
        """Return which share of its wall clock was productive."""
        return self.productive_ms / self.wall_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A span of days in figures, as one organization reads it."""

    scope: PeriodScope
    now: Headline
    before: Headline  # of as long a time before it
    time_to_failure: TimeToFailure
    division: TimeDivision
    utilization: Utilization
    losses: Losses
    saves: SaveInterval
    retries: RetryCounts
    worst_nodes: tuple[WorstNode, ...]
    cost: Cost | None  # None: no price was entered
    withheld: tuple[WithheldFigure, ...]
    progress: tuple[SessionProgress, ...] = ()  # of which steps are known, longest first
    owners: tuple[SessionOwner, ...] = ()  # other parties whose sessions are counted
    left_out_count: int = 0  # attempts beyond what is counted at once
