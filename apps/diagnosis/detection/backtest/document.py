"""A report as the published JSON `faultline.backtest/1`: changed by addition only."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from apps.diagnosis.detection.backtest.report import (
    Alarm,
    BacktestReport,
    DetectionDelay,
    FailureOutcome,
    FalseAlarms,
    FamilyShare,
    Point,
)
from apps.diagnosis.intervals import HitShare, RateInterval
from apps.diagnosis.model import Statement

Saying: TypeAlias = Callable[[Statement], str]
SCHEMA = "faultline.backtest/1"
QUANTILES = (("min", 0.0), ("p10", 0.1), ("p50", 0.5), ("p90", 0.9), ("max", 1.0))


def document(*, report: BacktestReport, said: Saying) -> dict[str, Any]:
    """Return a report as plain values; `said` puts what an alarm tells into words."""
    watched = report.watched
    return {
        "schema": SCHEMA,
        "source": report.source,
        "simulated": report.is_simulated,
        "span": {
            "starts_at": stamp(watched.starts_at),
            "ends_at": stamp(watched.ends_at),
            "hosts": len(watched.hosts),
            "observed_days": round(watched.days, 4),
            "node_days": round(watched.node_days, 3),
        },
        "rule": {
            "horizon_seconds": report.horizon.total_seconds(),
            "late_seconds": report.late.total_seconds(),
        },
        "detected": _share(report.detected),
        **{when.value: _share(report.timed(when)) for when in DetectionDelay},
        "lead_seconds": {name: quantile(report.leads, q) for name, q in QUANTILES},
        "alarms": len(report.alarms),
        "signals": report.signal_count,
        "precision": _share(report.false_alarms[0].precision),
        "recall": _share(report.detected),
        "false_alarms": [_false(each, said) for each in report.false_alarms],
        "families": [_family(each) for each in report.families],
        "curve": [_point(each) for each in report.curve],
        "baselines": [_point(each) for each in report.baselines],
        "chance": None if report.chance is None else _chance(report),
        "failures": [_outcome(each, said) for each in report.outcomes],
        "outside": [{"at": stamp(each.at), "failure": each.title} for each in report.outside],
        "notes": list(report.notes),
    }


def quantile(leads: tuple[timedelta, ...], share: float) -> float | None:
    """Return a quantile of sorted lead times in seconds, between neighbours in proportion."""
    if not leads:
        return None
    place = share * (len(leads) - 1)
    low = int(place)
    high = min(low + 1, len(leads) - 1)
    seconds = [each.total_seconds() for each in leads]
    return seconds[low] + (seconds[high] - seconds[low]) * (place - low)


def stamp(at: datetime) -> str:
    """Return an instant as RFC 3339 in UTC."""
    return at.isoformat().replace("+00:00", "Z")


def _share(share: HitShare) -> dict[str, Any]:
    low, high = share.interval
    rate = None if share.rate is None else round(share.rate, 4)
    return {
        "hits": share.hits,
        "n": share.n,
        "rate": rate,
        "interval": [round(low, 4), round(high, 4)],
    }


def _pace(pace: RateInterval, digits: int = 4) -> dict[str, Any]:
    interval = pace.interval
    return {
        "count": pace.count,
        "days": round(pace.days, 3),
        "rate": None if pace.per_day is None else round(pace.per_day, digits),
        "interval": None if interval is None else [round(each, digits) for each in interval],
    }


def _false(found: FalseAlarms, said: Saying) -> dict[str, Any]:
    return {
        "horizon_seconds": found.horizon.total_seconds(),
        "per_day": _pace(found.a_day),
        "per_node_day": _pace(found.a_node_day, 6),
        "precision": _share(found.precision),
        "alarms": [_alarm(each, said) for each in found.alarms],
    }


def _family(found: FamilyShare) -> dict[str, Any]:
    return {
        "family": found.family,
        "took_part": _share(found.took_part),
        "led": _share(found.led),
        "vote_share": round(found.vote_share, 4),
    }


def _point(found: Point) -> dict[str, Any]:
    return {
        "name": found.name,
        "detected": _share(found.detected),
        "before": _share(found.before),
        "false_per_day": _pace(found.a_day),
        "precision": _share(found.precision),
    }


def _chance(report: BacktestReport) -> dict[str, float]:
    chance = report.chance
    assert chance is not None  # noqa: S101  the caller asked
    return {
        "alarms_per_day": round(chance.alarms_a_day, 4),
        "detected": round(chance.detected, 4),
        "before": round(chance.before, 4),
    }


def _outcome(found: FailureOutcome, said: Saying) -> dict[str, Any]:
    label = found.label
    return {
        "at": stamp(label.at),
        "host": label.host,
        "gpu": label.gpu,
        "xid": label.xid,
        "kind": label.kind,
        "note": label.note,
        "when": found.when.value if found.when else None,
        "lead_seconds": None if found.lead is None else found.lead.total_seconds(),
        "alarm": None if found.alarm is None else _alarm(found.alarm, said),
    }


def _alarm(alarm: Alarm, said: Saying) -> dict[str, Any]:
    return {
        "part": alarm.part,
        "host": alarm.host,
        "hosts": len(alarm.hosts),
        "raised_at": stamp(alarm.raised_at),
        "ends_at": None if alarm.ends_at is None else stamp(alarm.ends_at),
        "layer": alarm.layer,
        "score": round(alarm.score, 4),
        "families": list(alarm.families),
        "causes": list(alarm.causes),
        "wording": said(alarm.statement) if alarm.statement else "",
    }
