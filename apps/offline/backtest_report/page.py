"""A backtest as one self-contained HTML page: no script, no font, no request to anywhere."""

from collections.abc import Iterator
from html import escape

from apps.diagnosis.detection.backtest.document import quantile, stamp
from apps.diagnosis.detection.backtest.report import (
    Alarm,
    FailureOutcome,
    FalseAlarms,
    Point,
    Report,
    When,
)
from apps.diagnosis.intervals import RateInterval, Share
from apps.offline.backtest_report import drawings
from apps.offline.backtest_report.style import STYLE
from apps.offline.backtest_report.text import NOTHING, span_words
from apps.wording import in_english

WORDS = {When.BEFORE: "before", When.AT: "at", When.AFTER: "after"}
MOST_FALSE = 200


def as_html(*, report: Report) -> str:
    """Return the judgement as one page."""
    title = f"Backtest of {report.source or 'a source'}"
    body = "".join(
        [
            *_head(report, title),
            *_tiles(report),
            *_leads(report),
            *_range(report),
            *_false(report),
            '<div class="pair">',
            *_curve(report),
            *_families(report),
            "</div>",
            *_wolves(report),
            *_method(report),
        ]
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>"
        f"<body><main>{body}</main></body></html>\n"
    )


def _head(report: Report, title: str) -> Iterator[str]:
    watched = report.watched
    mark = ' <span class="mark-simulated">simulated data</span>' if report.is_simulated else ""
    yield f"<header><h1>{escape(title)}{mark}</h1><p>"
    yield (
        f"{watched.starts_at:%d %b %Y %H:%M} to {watched.ends_at:%d %b %Y %H:%M} UTC · "
        f"{len(watched.hosts)} hosts · {watched.days:,.1f} days observed, "
        f"{watched.node_days:,.1f} node-days, gaps left out</p>"
    )
    for note in report.notes:
        yield f'<p class="note">{escape(note)}</p>'
    yield "</header>"


def _tiles(report: Report) -> Iterator[str]:
    false = report.false_alarms[0]
    yield '<section class="tiles">'
    yield _tile("Failures found", *_share(report.detected))
    yield _tile("Found before they happened", *_share(report.timed(When.BEFORE)))
    median = quantile(report.leads, 0.5)
    spread = " to ".join(span_words(quantile(report.leads, each)) for each in (0.1, 0.9))
    told = f"P10 to P90: {spread}" if report.leads else "nothing was found"
    yield _tile("Median lead time", span_words(median), told)
    yield _tile("False alarms a day", *_pace(false.a_day))
    yield _tile("Precision", *_share(false.precision))
    yield "</section>"


def _tile(name: str, value: str, below: str) -> str:
    return f"<div><h2>{name}</h2><b>{escape(value)}</b><p>{escape(below)}</p></div>"


def _share(share: Share) -> tuple[str, str]:
    if share.rate is None:
        return NOTHING, "nothing to count"
    low, high = share.interval
    return f"{share.hits} of {share.n}", f"{share.rate:.0%}, 95 % interval {low:.0%} to {high:.0%}"


def _pace(pace: RateInterval, digits: int = 2) -> tuple[str, str]:
    if pace.per_day is None or pace.interval is None:
        return NOTHING, "no time observed"
    low, high = pace.interval
    return (
        f"{pace.per_day:.{digits}f}",
        f"{pace.count} in {pace.days:,.1f} d, 95 % interval {low:.{digits}f} to {high:.{digits}f}",
    )


def _leads(report: Report) -> Iterator[str]:
    if not report.outcomes:
        return
    yield "<section><h2>When each failure was told of</h2>"
    yield '<p class="about">Each row is a labelled failure; the dot is the first alarm of it. '
    yield '<i class="good"></i>before <i class="at"></i>at the instant (±1 min) '
    yield '<i class="late"></i>after</p>'
    yield f'<div class="wide">{drawings.leads(report.outcomes)}</div>'
    yield "<details><summary>As a table</summary><table><tr><th>at<th>failure<th>told<th>lead time"
    yield "<th>families, the heaviest first<th>what it said</tr>"
    yield from (_row(each) for each in report.outcomes)
    yield "</table></details></section>"


def _row(outcome: FailureOutcome) -> str:
    label, alarm = outcome.label, outcome.alarm
    cells = [stamp(label.at), label.title]
    if alarm is None or outcome.when is None:
        cells += ["missed", NOTHING, NOTHING, label.note]
    else:
        cells += [
            WORDS[outcome.when],
            span_words(outcome.lead),
            ", ".join(alarm.families),
            _told(alarm),
        ]
    return "<tr>" + "".join(f"<td>{escape(cell)}" for cell in cells) + "</tr>"


def _told(alarm: Alarm) -> str:
    return in_english(alarm.statement) if alarm.statement else ""


def _range(report: Report) -> Iterator[str]:
    yield "<section><h2>The range</h2>"
    yield f'<div class="wide">{drawings.days(report)}</div></section>'


def _false(report: Report) -> Iterator[str]:
    yield "<section><h2>False alarm episodes</h2>"
    yield '<p class="about">Pages of one host within 30 minutes are one episode. It is false when '
    yield "no labelled failure of that host lies within the horizon after it, or up to an hour "
    yield "before it.</p><table><tr><th>horizon<th class=n>episodes<th class=n>a day<th>95 %"
    yield "<th class=n>a node-day<th>95 %<th class=n>precision<th>95 %</tr>"
    yield from (_horizon(each) for each in report.false_alarms)
    yield f"</table><p class=about>Signals of one family, which page nobody: {report.signal_count}."
    yield "</p></section>"


def _horizon(found: FalseAlarms) -> str:
    hours = found.horizon.total_seconds() / 3600
    return (
        f"<tr><td>{hours:.0f} h<td class=n>{len(found.alarms)}{_pace_cells(found.a_day, 2)}"
        f"{_pace_cells(found.a_node_day, 4)}{_share_cells(found.precision)}</tr>"
    )


def _pace_cells(pace: RateInterval, digits: int) -> str:
    if pace.per_day is None or pace.interval is None:
        return f"<td class=n>{NOTHING}<td>"
    low, high = pace.interval
    return f"<td class=n>{pace.per_day:.{digits}f}<td>{low:.{digits}f} to {high:.{digits}f}"


def _share_cells(share: Share) -> str:
    if share.rate is None:
        return f"<td class=n>{NOTHING}<td>"
    low, high = share.interval
    return f"<td class=n>{share.rate:.0%}<td>{low:.0%} to {high:.0%}"


def _curve(report: Report) -> Iterator[str]:
    if not report.curve:
        return
    yield "<section><h2>Other thresholds, and trivial rules</h2>"
    yield f"{drawings.curve(report)}<table><tr><th>rule<th class=n>found<th class=n>before"
    yield "<th class=n>false a day<th>95 %</tr>"
    for each in report.curve:
        yield _point(f"evidence ≥ {each.name}", each)
    for each in report.baselines:
        yield _point(each.name, each)
    if report.chance:
        chance = report.chance
        yield f"<tr><td>as many alarms at random<td class=n>{chance.detected:.0%}"
        yield f"<td class=n>{chance.before:.0%}<td class=n>{chance.alarms_a_day:.2f} in all"
        yield "<td></tr>"
    yield "</table></section>"


def _point(name: str, point: Point) -> str:
    return (
        f"<tr><td>{escape(name)}<td class=n>{point.detected.hits} of {point.detected.n}"
        f"<td class=n>{point.before.hits}{_pace_cells(point.a_day, 2)}</tr>"
    )


def _families(report: Report) -> Iterator[str]:
    if not report.families:
        return
    yield "<section><h2>Metric families in the detections</h2><table class=bars>"
    yield "<tr><th>family<th>took part in<th class=n>heaviest in<th class=n>votes</tr>"
    for each in report.families:
        share = each.took_part.rate or 0.0
        yield (
            f"<tr><td>{escape(each.family)}<td>"
            "<svg viewBox='0 0 100 10' preserveAspectRatio='none'>"
            f"<rect width='{100 * share:.1f}' height='10'/></svg> {each.took_part.hits} of "
            f"{each.took_part.n}<td class=n>{each.led.hits}<td class=n>{each.vote_share:.0%}</tr>"
        )
    yield "</table></section>"


def _wolves(report: Report) -> Iterator[str]:
    alarms = report.false_alarms[0].alarms
    if not alarms:
        return
    yield f"<section><h2>The false alarms</h2><details{' open' if len(alarms) <= 12 else ''}>"
    yield f"<summary>{len(alarms)} episodes</summary><table><tr><th>raised at<th>part"
    yield "<th class=n>evidence<th>what it said</tr>"
    for each in alarms[:MOST_FALSE]:
        yield (
            f"<tr><td>{stamp(each.raised_at)}<td>{escape(each.part)}<td class=n>{each.score:.2f}"
            f"<td>{escape(_told(each))}</tr>"
        )
    yield "</table></details></section>"


def _method(report: Report) -> Iterator[str]:
    hours = report.horizon.total_seconds() / 3600
    yield "<footer><p>An alarm is of a failure when it names its host (or the part that the host "
    yield f"shares) at most {hours:.0f} h before it or {report.late.total_seconds() / 3600:.0f} h "
    yield "after it (until it was repaired, where the list says when). Lead times count from the "
    yield "instant at which a watcher that sees only the past would have told. Shares carry "
    yield "Clopper-Pearson intervals, counts exact Poisson intervals.</p></footer>"
