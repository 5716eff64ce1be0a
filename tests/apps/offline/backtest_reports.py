"""Judgements of backtests, made by hand: a full one with hostile words, and an empty one."""

from datetime import UTC, datetime, timedelta

from apps.diagnosis.detection.backtest import BacktestReport, Label, WatchedSpan
from apps.diagnosis.detection.backtest.report import (
    Alarm,
    Chance,
    DetectionDelay,
    FailureOutcome,
    FalseAlarms,
    FamilyShare,
    Point,
)
from apps.diagnosis.intervals import ExactShare, RateInterval
from apps.diagnosis.model import statement

STARTS = datetime(2026, 3, 1, tzinfo=UTC)
HOSTILE = "<script>alert('a & \"b\"')</script>{{ report }}"
DAYS = 4


def at(hours: float) -> datetime:
    """Return a moment of the range."""
    return STARTS + timedelta(hours=hours)


def alarm(hours: float, part: str, *families: str) -> Alarm:
    """Return an alarm."""
    return Alarm(
        host="gpu003", part=part, raised_at=at(hours), ends_at=None, score=0.875,
        families=families, layer="gpu",
        statement=statement("text", text=f"{part} draws less power"),
    )  # fmt: skip


def share(hits: int, n: int) -> ExactShare:
    """Return a share."""
    return ExactShare(hits=hits, n=n)


def pace(count: int) -> RateInterval:
    """Return a pace over the range."""
    return RateInterval(count=count, days=float(DAYS))


def point(name: str, hits: int, count: int) -> Point:
    """Return a rule's judgement."""
    return Point(
        name=name, detected=share(hits, 3), before=share(hits - 1, 3), a_day=pace(count),
        precision=share(hits, hits + count),
    )  # fmt: skip


def outcome(
    hours: float, title: str, found: Alarm | None = None, when: DetectionDelay | None = None
) -> FailureOutcome:
    """Return what became of a failure."""
    label = Label(at=at(hours), host="gpu003", xid=79, kind=title, note="no metrics that day")
    lead = label.at - found.raised_at if found else None
    return FailureOutcome(label=label, alarm=found, lead=lead, when=when)


def watched(days: float) -> WatchedSpan:
    """Return what was looked at."""
    return WatchedSpan(
        starts_at=STARTS, ends_at=at(24 * days), hosts=("gpu003", "gpu004"),
        observed_seconds=days * 86_400, node_seconds=2 * days * 86_400,
    )  # fmt: skip


def false_alarms(hours: float, alarms: tuple[Alarm, ...], days: float) -> FalseAlarms:
    """Return the false ones at a horizon."""
    paced = RateInterval(count=len(alarms), days=days)
    return FalseAlarms(
        horizon=timedelta(hours=hours), alarms=alarms, a_day=paced, a_node_day=paced,
        precision=share(2, 2 + len(alarms)) if days else share(0, 0),
    )  # fmt: skip


def full() -> BacktestReport:
    """Return a judgement with everything that a page can show."""
    early, late = alarm(10, HOSTILE, "power", "clock"), alarm(52.5, "gpu004", "nvlink")
    wolf = alarm(70, f"wolf {HOSTILE}", "power")
    return BacktestReport(
        watched=watched(DAYS),
        horizon=timedelta(hours=24),
        late=timedelta(hours=1),
        outcomes=(
            outcome(12, HOSTILE, early, DetectionDelay.BEFORE),
            outcome(52, "NVLink", late, DetectionDelay.AFTER),
            outcome(80, "host"),
        ),
        alarms=(early, late, wolf),
        signal_count=17,
        false_alarms=(false_alarms(24, (wolf,), DAYS), false_alarms(72, (), DAYS)),
        families=(
            FamilyShare(family=HOSTILE, took_part=share(2, 3), led=share(1, 3), vote_share=0.625),
        ),
        curve=(point("0.50", 3, 9), point("0.75", 2, 1)),
        baselines=(point("any Xid", 2, 30), point("reboots", 2, 30), point(HOSTILE, 1, 0)),
        chance=Chance(alarms_a_day=0.75, detected=0.04, before=0.02),
        notes=(HOSTILE, "two days are missing"),
        source=HOSTILE,
        is_simulated=True,
    )


def empty() -> BacktestReport:
    """Return a judgement of nothing."""
    return BacktestReport(
        watched=watched(0),
        horizon=timedelta(hours=24),
        late=timedelta(hours=1),
        outcomes=(),
        alarms=(),
        signal_count=0,
        false_alarms=(false_alarms(24, (), 0),),
        families=(),
    )
