"""What a backtest says: each number with its n and its interval."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from apps.diagnosis.detection.backtest.labels import Label
from apps.diagnosis.intervals import ExactShare, RateInterval
from apps.diagnosis.model import Statement

DAY = 86_400.0


class DetectionDelay(StrEnum):
    """A detection beside the instant of the failure (the Xid, where there is one)."""

    BEFORE = "before"
    AT = "at"
    AFTER = "after"


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedSpan:
    """What was looked at: a span, hosts, and how much of it was really heard."""

    starts_at: datetime
    ends_at: datetime
    hosts: tuple[str, ...]
    observed_seconds: float  # in which the source told something at all
    node_seconds: float  # the same, summed over the hosts that were heard

    @property
    def days(self) -> float:
        """Observed days, gaps left out."""
        return self.observed_seconds / DAY

    @property
    def node_days(self) -> float:
        """Observed node-days, gaps left out."""
        return self.node_seconds / DAY


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """Pages of one entity, merged: what a person would have been told once."""

    host: str | None
    part: str
    raised_at: datetime
    ends_at: datetime | None
    score: float
    families: tuple[str, ...]  # the heaviest first
    layer: str
    hosts: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    statement: Statement | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureOutcome:
    """One labelled failure and the first alarm that spoke of it."""

    label: Label
    alarm: Alarm | None = None
    lead: timedelta | None = None  # positive: the alarm was first
    when: DetectionDelay | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FalseAlarms:
    """Alarms without a failure on that host within the horizon."""

    horizon: timedelta
    alarms: tuple[Alarm, ...]
    a_day: RateInterval
    a_node_day: RateInterval
    precision: ExactShare


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyShare:
    """How often one metric family took part in detections, and how often it weighed most."""

    family: str
    took_part: ExactShare
    led: ExactShare
    vote_share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """The same judgement under another name: a threshold, or a trivial way to alarm."""

    name: str
    detected: ExactShare
    before: ExactShare
    a_day: RateInterval
    precision: ExactShare


@dataclass(frozen=True, slots=True, kw_only=True)
class Chance:
    """What as many alarms, spread blindly over hosts and time, would be expected to hit."""

    alarms_a_day: float
    detected: float
    before: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BacktestReport:
    """The whole judgement."""

    watched: WatchedSpan
    horizon: timedelta
    late: timedelta
    outcomes: tuple[FailureOutcome, ...]
    alarms: tuple[Alarm, ...]
    signal_count: int
    false_alarms: tuple[FalseAlarms, ...]  # the first at `horizon`
    families: tuple[FamilyShare, ...]
    curve: tuple[Point, ...] = ()
    baselines: tuple[Point, ...] = ()
    chance: Chance | None = None
    outside: tuple[Label, ...] = ()  # failures that lie outside of what was watched
    notes: tuple[str, ...] = ()
    source: str = ""
    is_simulated: bool = False

    @property
    def detected(self) -> ExactShare:
        """Failures that an alarm spoke of."""
        return ExactShare(hits=sum(1 for each in self.outcomes if each.alarm), n=len(self.outcomes))

    def timed(self, when: DetectionDelay) -> ExactShare:
        """Return how many failures were told of before, at or after their instant."""
        hits = sum(1 for each in self.outcomes if each.when is when)
        return ExactShare(hits=hits, n=len(self.outcomes))

    @property
    def leads(self) -> tuple[timedelta, ...]:
        """Lead times of the detections, the shortest first."""
        return tuple(sorted(each.lead for each in self.outcomes if each.lead is not None))
