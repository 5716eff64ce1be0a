"""A backtest as terminal text: every rate with its n and interval."""

from collections.abc import Iterator
from datetime import timedelta

from apps.diagnosis.detection.backtest.document import quantile, stamp
from apps.diagnosis.detection.backtest.report import (
    BacktestReport,
    DetectionDelay,
    FailureOutcome,
    Point,
)
from apps.diagnosis.intervals import HitShare, RateInterval

NOTHING = "\N{EN DASH}"


def as_text(*, report: BacktestReport) -> str:
    """Return the judgement for a terminal."""
    return "\n".join([*_head(report), *_rates(report), *_cases(report), *_rest(report)]) + "\n"


def share_words(share: HitShare) -> str:
    """Return a share with n and interval."""
    if share.rate is None:
        return "nothing to count"
    low, high = share.interval
    return f"{share.hits} of {share.n}  {share.rate:.0%}  (95 %: {low:.0%} to {high:.0%})"


def pace_words(pace: RateInterval, digits: int = 2) -> str:
    """Return a pace with its count and interval."""
    if pace.per_day is None or pace.interval is None:
        return "no time observed"
    low, high = pace.interval
    return (
        f"{pace.per_day:.{digits}f}  (95 %: {low:.{digits}f} to {high:.{digits}f}; "
        f"{pace.count} in {pace.days:,.1f} days)"
    )


def span_words(lead: timedelta | float | None) -> str:
    """Return a time in the largest two units."""
    if lead is None:
        return NOTHING
    seconds = lead.total_seconds() if isinstance(lead, timedelta) else lead
    sign, rest = ("-" if seconds < 0 else "", abs(round(seconds)))
    days, rest = divmod(rest, 86_400)
    hours, rest = divmod(rest, 3_600)
    minutes, rest = divmod(rest, 60)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (rest, "s")]
    first = next((at for at, (count, _) in enumerate(parts) if count), 3)
    told = [f"{count} {unit}" for count, unit in parts[first : first + 2] if count]
    return sign + (" ".join(told) or "0 s")


def _head(report: BacktestReport) -> Iterator[str]:
    watched = report.watched
    mark = "  SIMULATED DATA" if report.is_simulated else ""
    yield f"Backtest of {report.source or 'the source'}{mark}"
    yield f"  {stamp(watched.starts_at)} to {stamp(watched.ends_at)}, {len(watched.hosts)} hosts"
    yield (
        f"  observed {watched.days:,.1f} days, {watched.node_days:,.1f} node-days (gaps left out); "
        f"{len(report.outcomes)} labelled failures"
    )
    for note in report.notes:
        yield f"  note: {note}"
    yield ""


def _rates(report: BacktestReport) -> Iterator[str]:
    yield "Found"
    yield f"  detected            {share_words(report.detected)}"
    for when in DetectionDelay:
        yield f"  {when.value:<6} the failure  {share_words(report.timed(when))}"
    if report.leads:
        p10, p50, p90 = (span_words(quantile(report.leads, q)) for q in (0.1, 0.5, 0.9))
        yield f"  lead time           median {p50} (P10 {p10}, P90 {p90}; minus: after it)"
    yield f"  precision           {share_words(report.false_alarms[0].precision)}"
    yield ""
    yield "False alarm episodes (pages of one host within 30 min are one)"
    for found in report.false_alarms:
        hours = found.horizon.total_seconds() / 3600
        yield f"  no failure within {hours:>2.0f} h  a day {pace_words(found.a_day)}"
        yield f"  {'':<24}a node-day {pace_words(found.a_node_day, 4)}"
    yield f"  signals of one family, which page nobody: {report.signal_count}"
    yield ""


def _cases(report: BacktestReport) -> Iterator[str]:
    if report.outcomes:
        yield "Failures"
        for each in report.outcomes:
            yield f"  {stamp(each.label.at)}  {each.label.title}: {_told(each)}"
        yield ""


def _told(outcome: FailureOutcome) -> str:
    if outcome.alarm is None or outcome.when is None:
        return "missed"
    families = ", ".join(outcome.alarm.families[:5])
    lead = span_words(abs(outcome.lead or timedelta(0)))
    told = {
        DetectionDelay.BEFORE: f"{lead} before",
        DetectionDelay.AT: "at it",
        DetectionDelay.AFTER: f"{lead} after",
    }
    return f"{told[outcome.when]}, by {families}"


def _rest(report: BacktestReport) -> Iterator[str]:
    if report.families:
        yield "Families in the detections"
        for family in report.families:
            yield (
                f"  {family.family:<22} in {family.took_part.hits} of {family.took_part.n}, "
                f"heaviest in {family.led.hits}, {family.vote_share:.0%} of the votes"
            )
        yield ""
    yield from _points("Other thresholds (evidence that pages)", report.curve)
    yield from _points("Trivial rules, for comparison", report.baselines)
    if report.chance is not None:
        chance = report.chance
        yield (
            f"As many alarms at random ({chance.alarms_a_day:.2f} a day) would be expected to hit "
            f"{chance.detected:.1%} of the failures, {chance.before:.1%} before them."
        )
        yield ""
    for alarm in report.false_alarms[0].alarms[:20]:
        yield f"  false: {stamp(alarm.raised_at)}  {alarm.part}: {', '.join(alarm.families[:5])}"


def _points(title: str, points: tuple[Point, ...]) -> Iterator[str]:
    if points:
        yield title
        for each in points:
            rate = NOTHING if each.a_day.per_day is None else f"{each.a_day.per_day:.2f}"
            yield (
                f"  {each.name:<18} detected {each.detected.hits:>3} of {each.detected.n:<3} "
                f"before {each.before.hits:>3}   false a day {rate}"
            )
        yield ""
