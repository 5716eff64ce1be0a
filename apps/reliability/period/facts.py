"""What is known of a period: attempts, what was measured of them, and what hit them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from apps.fleet.sessions.attempt_times import AttemptTimes
from apps.incidents.projection.counted_incidents import CountedIncident
from apps.incidents.projection.shared_values import SharedAs
from apps.reliability.period.scopes import Absence, PeriodScope
from apps.tenancy.values import OrganizationName

HOUR_SECONDS = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredAttempt:
    """What was measured of an attempt by its tenant's own logs. What nobody told is None."""

    attempt_id: int
    is_told: bool
    is_unsure: bool
    lost_progress_ms: int
    straggler_ms: int
    downtime_ms: int | None
    last_step: int | None
    saved_step: int | None
    stepping_ms: int | None
    save_count: int | None
    save_interval_ms: int | None
    save_wait_ms: int | None
    mfu: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodAttempt:
    """An attempt, when it really was over, and when the next one of its session began."""

    times: AttemptTimes
    ends_at: datetime  # where nobody told: when the next one began, or now while it runs
    is_endless: bool  # nobody told its end, and it does not run
    next_at: datetime | None
    measure: MeasuredAttempt | None

    def seconds_in(self, starts_at: datetime, ends_at: datetime) -> float:
        """Return how long it ran between two instants."""
        since, until = max(self.times.started_at, starts_at), min(self.ends_at, ends_at)
        return max(0.0, (until - since).total_seconds())


@dataclass(frozen=True, slots=True, kw_only=True)
class UseRow:
    """Milliseconds of each use of a session, and the same times its GPUs where those are known."""

    session: str
    by_use: Mapping[str, int]  # by TimeUse
    gpu_ms_by_use: Mapping[str, int] | None
    wall_ms: int = field(init=False)  # all of it

    def __post_init__(self) -> None:
        """Sum once what every share of a page asks for."""
        object.__setattr__(self, "wall_ms", sum(self.by_use.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class HourRow:
    """One hour of all sessions of which steps are known."""

    hour: datetime
    productive_ms: int
    wall_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOwner:
    """Another party whose sessions are counted, and how much of them it shows the reader."""

    organization: OrganizationName
    session_count: int
    shown: SharedAs | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptPace:
    """How fast an attempt made its steps: medians, None where no line tells."""

    session: str
    step_seconds: float | None
    tokens_per_second: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodFacts:
    """What is known of a period as its reader may know it.

    `attempts` and `incidents` are of the period and of as long a time before it.
    """

    scope: PeriodScope
    now: datetime
    attempts: Sequence[PeriodAttempt]
    incidents: Sequence[CountedIncident]
    uses: Sequence[UseRow]
    uses_before: Sequence[UseRow]
    hours: Sequence[HourRow]
    measured_until: datetime | None  # of what still runs
    reads_sessions: bool  # else vendors: incidents alone
    reads_measures: bool  # of its own sessions
    hides_steps: bool  # of sessions among them nobody shows the reader how they get on
    hides_saves: bool  # nor what they saved and lost
    left_out_count: int
    sessions_absence: Absence = Absence.HIDDEN  # why sessions are not read, where they are not
    paces: Sequence[AttemptPace] = ()
    shown: Mapping[str, SharedAs] = field(default_factory=dict)  # session of others → by whom
    owners: Sequence[SessionOwner] = ()  # of others' sessions

    @property
    def before(self) -> datetime:
        """Return when the time before begins: as long as the period."""
        return self.scope.starts_at - (self.scope.ends_at - self.scope.starts_at)

    def attempts_in(self, starts_at: datetime, ends_at: datetime) -> list[PeriodAttempt]:
        """Return those that ran between two instants."""
        return [
            each
            for each in self.attempts
            if each.times.started_at < ends_at and each.ends_at >= starts_at
        ]

    def incidents_in(self, starts_at: datetime, ends_at: datetime) -> list[CountedIncident]:
        """Return the incidents of a time."""
        return [each for each in self.incidents if starts_at <= each.moment < ends_at]
