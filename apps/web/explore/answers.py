"""Answers of sources, and what is kept of an incident → lines, a chart and figures."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from apps.incidents.exports.formats.csv import harmless
from apps.incidents.facade.reads import open_incident
from apps.incidents.facade.shared import shared_charts
from apps.sharing.ledger_kinds import LedgerChannel
from apps.telemetry.evidence.captured_series import CapturedSeries
from apps.telemetry.facade.evidence import kept_charts
from apps.telemetry.facade.explore import (
    MetricAnswer,
    MetricSeries,
    QueryRefusal,
    QuestionRefused,
)
from apps.tenancy.access import Actor
from apps.web.charts.chart_lines import Line
from apps.web.charts.evidence_charts import name_of
from apps.web.display.levels import shared_mark
from apps.web.explore.figure import MOST_DRAWN, explore_figure
from apps.web.explore.page import ExploreResult, SeriesRow
from apps.wording import READERS
from apps.wording.devices import named

PROBLEMS: Final = {
    QueryRefusal.BAD_SPAN: gettext_noop("The time must end after it begins, within 93 days."),
    QueryRefusal.NO_SIGNAL: gettext_noop("The catalog has no signal of that name."),
    QueryRefusal.NOT_SERVED: gettext_noop(
        "This source has no series of it for what you asked, in that time. That is not zero."
    ),
    QueryRefusal.TOO_MANY: gettext_noop("There are too many series: name a host."),
    QueryRefusal.TOO_LONG: gettext_noop("A query has between 1 and 2,000 letters."),
    QueryRefusal.REFUSED: gettext_noop("The server refuses the query."),
    QueryRefusal.TOO_SLOW: gettext_noop(
        "The answer takes too long or is too large: ask for fewer series or a shorter time."
    ),
    QueryRefusal.UNREACHABLE: gettext_noop(
        "The server gives no usable answer. Its page under Sources says more."
    ),
}


def problem_of(error: QuestionRefused) -> str:
    """Return in words why a question got no answer, with the server's own where it said any."""
    told = _(PROBLEMS[error.kind])
    return f"{told} {error.detail}" if error.detail else told


def result_of(answer: MetricAnswer, *, title: str) -> ExploreResult:
    """Return an answer of a source as the page shows it."""
    lines = [_line(each, answer) for each in answer.series]
    notes = [_("step %(s)s s") % {"s": round(answer.step)}]
    if answer.more_count:
        more = ngettext("%(n)s more series is left out", "%(n)s more series are left out",
                        answer.more_count)  # fmt: skip
        notes.append(more % {"n": answer.more_count})
    if answer.warning:
        notes.append(_("the server says that its answer is partial"))
    return _result(
        lines, title=title, unit=answer.unit, promql=answer.promql, notes=notes,
        is_simulated=answer.is_simulated,
    )  # fmt: skip


def kept_result(
    *, actor: Actor, incident: str, signal: str, host: str, channel: LedgerChannel | None
) -> ExploreResult:
    """Return what is kept of a signal around an incident: one's own, and what others show.

    Raises NotFound, QuestionRefused, LedgerUnavailable. Needs the scope; a look at what others show
    goes into their ledger as one at the incident does.
    """
    found = open_incident(actor=actor, public_id=incident)
    own = kept_charts(
        actor=actor, incident_owner=found.owner_id, incident_public_id=found.public_id
    )
    held = [(actor.organization.name, each) for each in own]
    if channel is not None:
        shown = shared_charts(actor=actor, public_id=found.public_id, channel=channel)
        held += [(shared_mark(each.shared), each.series) for each in shown]
    wanted = [
        (owner, each)
        for owner, each in held
        if each.signal.partition("[")[0] == signal and (not host or each.entity.host == host)
    ]
    if not wanted:
        raise QuestionRefused(QueryRefusal.NOT_SERVED)
    note = _("as kept around %(incident)s") % {"incident": found.public_id}
    first = wanted[0][1]
    return _result(
        [_kept_line(owner, each) for owner, each in wanted], title=first.meaning,
        unit=first.unit, promql="", notes=[note], is_simulated=actor.organization.is_simulated,
    )  # fmt: skip


def csv_lines(answer: MetricAnswer) -> list[list[object]]:
    """Return the samples of an answer as a table: a row an instant, a column a series."""
    names = [harmless(series_name(each)) for each in answer.series]
    rows: list[list[object]] = [["at", *names]]
    for place, at in enumerate(answer.at.tolist()):
        values = [float(each.values[place]) for each in answer.series]
        stamp = np.datetime64(round(at), "s").astype(str) + "Z"
        rows.append([stamp, *("" if np.isnan(value) else value for value in values)])
    return rows


def series_name(series: MetricSeries) -> str:
    """Return what a series is called: its part, or its labels as PromQL writes them."""
    if series.entity is not None:
        text = named(series.entity, READERS)
        return f"{text} {series.detail}".strip()
    name = series.labels.get("__name__", "")
    rest = ", ".join(
        f'{key}="{series.labels[key]}"' for key in sorted(series.labels) if key != "__name__"
    )
    return (f"{name}{{{rest}}}" if rest else name or "{}")[:300]


def _line(series: MetricSeries, answer: MetricAnswer) -> Line:
    host = series.labels.get("host", "")
    return Line(signal="", name=series_name(series), at=answer.at, values=series.values, host=host)


def _kept_line(owner: str, series: CapturedSeries) -> Line:
    name = name_of(series.entity)
    host = series.entity.host or ""
    full = name if not host or host in name else f"{name}, {host}"
    values = series.values.astype(np.float64)
    return Line(
        signal=series.signal, name=full, at=series.at, values=values, host=host, owner=owner
    )


def _result(
    lines: Sequence[Line],
    *,
    title: str,
    unit: str,
    promql: str,
    notes: list[str],
    is_simulated: bool,
) -> ExploreResult:
    if len(lines) > MOST_DRAWN:
        drawn = _("the first %(n)s of %(all)s are drawn")
        notes = [*notes, drawn % {"n": MOST_DRAWN, "all": len(lines)}]
    rows = tuple(_row(number, line) for number, line in enumerate(lines))
    one_grid = [line for line in lines if len(line.at) == len(lines[0].at)] if lines else []
    return ExploreResult(
        title=title,
        unit=unit,
        promql=promql,
        step="",
        rows=rows,
        note="; ".join(notes),
        summary=", ".join(f"{row.name}: {row.last}" for row in rows[:4]),
        figure=explore_figure(one_grid) if one_grid else {},
        is_simulated=is_simulated,
    )


def _row(number: int, line: Line) -> SeriesRow:
    values = line.values[~np.isnan(line.values)]
    has_any = len(values) > 0

    def text(value: float) -> str:
        return f"{value:,.6g}" if has_any else ""

    return SeriesRow(
        name=line.name,
        owner=line.owner,
        look=str(number % 6) if number < MOST_DRAWN else "",
        least=text(float(values.min()) if has_any else 0.0),
        median=text(float(np.median(values)) if has_any else 0.0),
        most=text(float(values.max()) if has_any else 0.0),
        last=text(float(values[-1]) if has_any else 0.0),
        samples=_("%(n)s of %(all)s") % {"n": len(values), "all": len(line.values)},
    )
