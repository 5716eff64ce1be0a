"""A backtest as one self-contained HTML page: no script, no font, no request to anywhere.

What the templates beside it show is made here; they need neither settings nor the portal's own.
"""

from functools import cache
from pathlib import Path

from django.template import Context, Engine

from apps.diagnosis.detection.backtest.document import quantile, stamp
from apps.diagnosis.detection.backtest.report import (
    Alarm,
    BacktestReport,
    DetectionDelay,
    FailureOutcome,
    FalseAlarms,
    FamilyShare,
    Point,
    WatchedSpan,
)
from apps.diagnosis.intervals import HitShare, RateInterval
from apps.offline.backtest_report import drawings
from apps.offline.backtest_report.text import NOTHING, span_words
from apps.wording import in_english

TEMPLATES = Path(__file__).with_name("templates")
WORDS = {DetectionDelay.BEFORE: "before", DetectionDelay.AT: "at", DetectionDelay.AFTER: "after"}
MOST_FALSE = 200
FEW_FALSE = 12  # as many stand open

Words = dict[str, str]


def as_html(*, report: BacktestReport) -> str:
    """Return the judgement as one page."""
    # Everything is words already: what the settings say of numbers and times is not asked.
    context = Context(_page(report), use_l10n=False, use_tz=False)
    return _engine().get_template("page.html").render(context)


@cache
def _engine() -> Engine:
    return Engine(dirs=[str(TEMPLATES)])


def _page(report: BacktestReport) -> dict[str, object]:
    return {
        "title": f"Backtest of {report.source or 'a source'}",
        "is_simulated": report.is_simulated,
        "watched": _watched(report.watched),
        "notes": report.notes,
        "tiles": _tiles(report),
        "failures": [_failure(each) for each in report.outcomes],
        "leads": drawings.leads(report.outcomes),
        "range": drawings.days(report),
        "horizons": [_horizon(each) for each in report.false_alarms],
        "signal_count": str(report.signal_count),
        "curve": drawings.curve(report),
        "thresholds": _thresholds(report) if report.curve else [],
        "families": [_family(each) for each in report.families],
        "false_alarms": _false_alarms(report.false_alarms[0].alarms),
        "horizon": f"{report.horizon.total_seconds() / 3600:.0f}",
        "late": f"{report.late.total_seconds() / 3600:.0f}",
    }


def _watched(watched: WatchedSpan) -> str:
    return (
        f"{watched.starts_at:%d %b %Y %H:%M} to {watched.ends_at:%d %b %Y %H:%M} UTC · "
        f"{len(watched.hosts)} hosts · {watched.days:,.1f} days observed, "
        f"{watched.node_days:,.1f} node-days, gaps left out"
    )


def _tiles(report: BacktestReport) -> list[Words]:
    false = report.false_alarms[0]
    spread = " to ".join(span_words(quantile(report.leads, each)) for each in (0.1, 0.9))
    told = f"P10 to P90: {spread}" if report.leads else "nothing was found"
    return [
        _tile("Failures found", *_share(report.detected)),
        _tile("Found before they happened", *_share(report.timed(DetectionDelay.BEFORE))),
        _tile("Median lead time", span_words(quantile(report.leads, 0.5)), told),
        _tile("False alarms a day", *_pace(false.a_day)),
        _tile("Precision", *_share(false.precision)),
    ]


def _tile(name: str, value: str, below: str) -> Words:
    return {"name": name, "value": value, "below": below}


def _share(share: HitShare) -> tuple[str, str]:
    if share.rate is None:
        return NOTHING, "nothing to count"
    low, high = share.interval
    return f"{share.hits} of {share.n}", f"{share.rate:.0%}, 95 % interval {low:.0%} to {high:.0%}"


def _pace(pace: RateInterval) -> tuple[str, str]:
    if pace.per_day is None or pace.interval is None:
        return NOTHING, "no time observed"
    low, high = pace.interval
    return (
        f"{pace.per_day:.2f}",
        f"{pace.count} in {pace.days:,.1f} d, 95 % interval {low:.2f} to {high:.2f}",
    )


def _failure(outcome: FailureOutcome) -> list[str]:
    label, alarm = outcome.label, outcome.alarm
    named = [stamp(label.at), label.title]
    if alarm is None or outcome.when is None:
        return [*named, "missed", NOTHING, NOTHING, label.note]
    families = ", ".join(alarm.families)
    return [*named, WORDS[outcome.when], span_words(outcome.lead), families, _told(alarm)]


def _told(alarm: Alarm) -> str:
    return in_english(alarm.statement) if alarm.statement else ""


def _horizon(found: FalseAlarms) -> dict[str, object]:
    rates = [_rate(found.a_day, 2), _rate(found.a_node_day, 4), _precision(found.precision)]
    hours = found.horizon.total_seconds() / 3600
    return {"hours": f"{hours:.0f}", "count": str(len(found.alarms)), "rates": rates}


def _rate(pace: RateInterval, digits: int) -> Words:
    if pace.per_day is None or pace.interval is None:
        return {"value": NOTHING, "interval": ""}
    low, high = pace.interval
    interval = f"{low:.{digits}f} to {high:.{digits}f}"
    return {"value": f"{pace.per_day:.{digits}f}", "interval": interval}


def _precision(share: HitShare) -> Words:
    if share.rate is None:
        return {"value": NOTHING, "interval": ""}
    low, high = share.interval
    return {"value": f"{share.rate:.0%}", "interval": f"{low:.0%} to {high:.0%}"}


def _thresholds(report: BacktestReport) -> list[dict[str, object]]:
    rows = [
        *(_point(f"evidence ≥ {each.name}", each) for each in report.curve),
        *(_point(each.name, each) for each in report.baselines),
    ]
    if chance := report.chance:
        row: dict[str, object] = {
            "name": "as many alarms at random",
            "found": f"{chance.detected:.0%}",
            "before": f"{chance.before:.0%}",
            "rate": {"value": f"{chance.alarms_a_day:.2f} in all", "interval": ""},
        }
        rows.append(row)
    return rows


def _point(name: str, point: Point) -> dict[str, object]:
    return {
        "name": name,
        "found": f"{point.detected.hits} of {point.detected.n}",
        "before": str(point.before.hits),
        "rate": _rate(point.a_day, 2),
    }


def _family(each: FamilyShare) -> Words:
    return {
        "family": each.family,
        "width": f"{100 * (each.took_part.rate or 0.0):.1f}",
        "took_part": f"{each.took_part.hits} of {each.took_part.n}",
        "led": str(each.led.hits),
        "votes": f"{each.vote_share:.0%}",
    }


def _false_alarms(alarms: tuple[Alarm, ...]) -> dict[str, object]:
    rows = [
        {
            "raised_at": stamp(each.raised_at),
            "part": each.part,
            "score": f"{each.score:.2f}",
            "wording": _told(each),
        }
        for each in alarms[:MOST_FALSE]
    ]
    shown = str(len(alarms)) if alarms else ""
    return {"count": shown, "is_open": len(alarms) <= FEW_FALSE, "rows": rows}
