"""Alarms beside labels: what was found, how early, and what cried wolf."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType

from apps.diagnosis.detection.backtest.alarms import alarms_of
from apps.diagnosis.detection.backtest.labels import Label
from apps.diagnosis.detection.backtest.report import (
    Alarm,
    BacktestReport,
    Chance,
    DetectionDelay,
    FailureOutcome,
    FalseAlarms,
    FamilyShare,
    Point,
    WatchedSpan,
)
from apps.diagnosis.intervals import ExactShare, RateInterval
from apps.diagnosis.model import EarlyWarning

# How long before a failure an alarm on its host counts as being of it.
HORIZONS = (timedelta(hours=24), timedelta(hours=6), timedelta(hours=1))
# How long after it an alarm still counts as being of it.
LATE = timedelta(hours=1)
# With samples every 30 s nothing shorter can be told apart.
SAME_TIME = timedelta(seconds=60)

Others = Mapping[str, Sequence[Alarm]]
NONE: Others = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Matched:
    """Which label each alarm speaks of (None: of none), and the first alarm of each label."""

    of_alarm: tuple[Label | None, ...]
    outcomes: tuple[FailureOutcome, ...]


def judge(
    *,
    episodes: Sequence[EarlyWarning],
    labels: Sequence[Label],
    watched: WatchedSpan,
    thresholds: Others = NONE,
    baselines: Others = NONE,
) -> BacktestReport:
    """Return the judgement. `thresholds` and `baselines` are other alarms of the same span."""
    alarms = alarms_of(episodes)
    inside = [each for each in labels if watched.starts_at <= each.at <= watched.ends_at]
    matched = _match(alarms, inside, HORIZONS[0])
    return BacktestReport(
        watched=watched,
        horizon=HORIZONS[0],
        late=LATE,
        outcomes=matched.outcomes,
        alarms=alarms,
        signal_count=sum(1 for each in episodes if not each.is_page),
        false_alarms=tuple(_false(alarms, inside, watched, each) for each in HORIZONS),
        families=_families(matched.outcomes),
        curve=tuple(_point(name, each, inside, watched) for name, each in thresholds.items()),
        baselines=tuple(_point(name, each, inside, watched) for name, each in baselines.items()),
        chance=_chance(alarms, inside, watched),
        outside=tuple(each for each in labels if each not in inside),
    )


def _match(alarms: Sequence[Alarm], labels: Sequence[Label], horizon: timedelta) -> _Matched:
    of_alarm = tuple(_label_of(each, labels, horizon) for each in alarms)
    first: dict[Label, Alarm] = {}
    for alarm, label in zip(alarms, of_alarm, strict=True):
        if label is not None:
            first.setdefault(label, alarm)
    return _Matched(
        of_alarm=of_alarm, outcomes=tuple(_outcome(each, first.get(each)) for each in labels)
    )


def _label_of(alarm: Alarm, labels: Sequence[Label], horizon: timedelta) -> Label | None:
    """Return the failure that an alarm is nearest to, of those on its host and in its time."""
    near = [each for each in labels if _is_of(alarm, each) and _is_timely(alarm, each, horizon)]
    return min(near, key=lambda each: abs(each.at - alarm.raised_at), default=None)


def _is_of(alarm: Alarm, label: Label) -> bool:
    if label.host is None:
        return alarm.host is None and (label.part is None or label.part in alarm.part)
    return label.host == alarm.host


def _is_timely(alarm: Alarm, label: Label, horizon: timedelta) -> bool:
    earliest = min(label.since or label.at, label.at - horizon)
    latest = max(label.until or label.at, label.at) + LATE
    return earliest <= alarm.raised_at <= latest


def _outcome(label: Label, alarm: Alarm | None) -> FailureOutcome:
    if alarm is None:
        return FailureOutcome(label=label)
    lead = label.at - alarm.raised_at
    when = DetectionDelay.AT
    if abs(lead) > SAME_TIME:
        when = DetectionDelay.BEFORE if lead > timedelta(0) else DetectionDelay.AFTER
    return FailureOutcome(label=label, alarm=alarm, lead=lead, when=when)


def _false(
    alarms: Sequence[Alarm], labels: Sequence[Label], watched: WatchedSpan, horizon: timedelta
) -> FalseAlarms:
    matched = _match(alarms, labels, horizon)
    pairs = zip(alarms, matched.of_alarm, strict=True)
    false = tuple(alarm for alarm, label in pairs if label is None)
    return FalseAlarms(
        horizon=horizon,
        alarms=false,
        a_day=RateInterval(count=len(false), days=watched.days),
        a_node_day=RateInterval(count=len(false), days=watched.node_days),
        precision=ExactShare(hits=len(alarms) - len(false), n=len(alarms)),
    )


def _families(outcomes: Sequence[FailureOutcome]) -> tuple[FamilyShare, ...]:
    found = [each.alarm for each in outcomes if each.alarm]
    votes = Counter(family for alarm in found for family in dict.fromkeys(alarm.families))
    leads = Counter(alarm.families[0] for alarm in found if alarm.families)
    total = votes.total()
    return tuple(
        FamilyShare(
            family=family,
            took_part=ExactShare(hits=count, n=len(found)),
            led=ExactShare(hits=leads[family], n=len(found)),
            vote_share=count / total,
        )
        for family, count in sorted(votes.items(), key=lambda item: (-item[1], item[0]))
    )


def _point(
    name: str, alarms: Sequence[Alarm], labels: Sequence[Label], watched: WatchedSpan
) -> Point:
    matched = _match(alarms, labels, HORIZONS[0])
    false = sum(1 for each in matched.of_alarm if each is None)
    hits = sum(1 for each in matched.outcomes if each.alarm)
    before = sum(1 for each in matched.outcomes if each.when is DetectionDelay.BEFORE)
    return Point(
        name=name,
        detected=ExactShare(hits=hits, n=len(labels)),
        before=ExactShare(hits=before, n=len(labels)),
        a_day=RateInterval(count=false, days=watched.days),
        precision=ExactShare(hits=len(alarms) - false, n=len(alarms)),
    )


def _chance(
    alarms: Sequence[Alarm], labels: Sequence[Label], watched: WatchedSpan
) -> Chance | None:
    """Return what as many alarms thrown blindly at hosts and instants would be expected to hit."""
    if not labels or not watched.node_seconds or not watched.days:
        return None
    a_node_second = len(alarms) / watched.node_seconds
    early = [
        (each.at - min(each.since or each.at, each.at - HORIZONS[0])).total_seconds()
        for each in labels
    ]
    late = [
        (max(each.until or each.at, each.at) + LATE - each.at).total_seconds() for each in labels
    ]
    hit = [1 - math.exp(-a_node_second * (b + a)) for b, a in zip(early, late, strict=True)]
    before = [1 - math.exp(-a_node_second * b) for b in early]
    return Chance(
        alarms_a_day=len(alarms) / watched.days,
        detected=sum(hit) / len(labels),
        before=sum(before) / len(labels),
    )
