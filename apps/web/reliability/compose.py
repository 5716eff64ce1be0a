"""A period in figures → the page that shows it."""

from collections.abc import Iterator

from django.utils import dateformat
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from apps.reliability.period.scopes import Audience
from apps.reliability.period.values import Period
from apps.tenancy.middleware import OrganizationRequest
from apps.web import words
from apps.web.display.figures import gpu_hours, percent
from apps.web.reliability.asked import AskedPeriod, audience_links, range_links
from apps.web.reliability.drawings import goodput_drawing, mttf_drawing
from apps.web.reliability.failure_lines import failure_lines, failure_notes
from apps.web.reliability.figure_text import FigureText, figure_text, hours, percents
from apps.web.reliability.losses import loss_tables, node_rows
from apps.web.reliability.page import HeadlineFigure, NamedFigure, ReliabilityPage
from apps.web.reliability.progress_rows import owner_rows, progress_rows
from apps.web.reliability.save_lines import retry_lines, save_lines, save_notes
from apps.web.reliability.time_rows import time_notes, use_rows
from apps.web.reliability.withheld_lines import is_told, withheld_lines


def reliability_page(
    request: OrganizationRequest, *, period: Period, asked: AskedPeriod
) -> ReliabilityPage:
    """Return the page of a period."""
    failures, division = period.time_to_failure, period.division
    org = request.actor.organization.slug
    hidden = {"view": asked.audience.value, "cluster": asked.cluster}
    failure_figures = tuple(failure_lines(period, asked))
    shares, total = tuple(_shares(period, asked)), tuple(_total(period, asked))
    saves = tuple(save_lines(period, asked))
    return ReliabilityPage(
        lead=_lead(period),
        audiences=audience_links(request, asked),
        ranges=range_links(asked),
        first_day=asked.first_day.isoformat(),
        last_day=asked.last_day.isoformat(),
        hidden=tuple((name, value) for name, value in hidden.items() if value),
        api_query=asked.api_query,
        reports_query=asked.days_query,
        headlines=tuple(_headlines(period, asked)),
        failures=failure_figures,
        failure_notes=tuple(failure_notes(period)),
        mttf=mttf_drawing(failures),
        uses=use_rows(division),
        wall=words.duration((division.wall_ms or 0) / 1000),
        shares=shares,
        time_notes=time_notes(period),
        goodput=goodput_drawing(division),
        total=total,
        tables=loss_tables(period, asked),
        loss_notes=tuple(_loss_notes(period)),
        saves=saves,
        save_notes=tuple(save_notes(period)),
        retries=tuple(retry_lines(period)),
        retries_query=asked.query(figure="retry-chains"),
        nodes=node_rows(period, asked),
        progress=progress_rows(period, actor=request.actor),
        owners=owner_rows(period, org=org),
        withheld=tuple(withheld_lines(period)),
        has_time=is_told(period, "goodput", shares),
        has_failures=is_told(period, "time-to-failure", failure_figures),
        has_losses=is_told(period, "lost-gpu-hours", total),
        has_saves=is_told(period, "checkpoint-interval", saves),
    )


def _lead(period: Period) -> str:
    scope = period.scope
    form = pgettext("date format", "j M Y")
    days = [dateformat.format(day, form) for day in (scope.first_day, scope.last_day)]
    told = {
        "first": days[0],
        "last": days[1],
        "counted": ", ".join(_counted(period)),
        "cluster": scope.cluster.name if scope.cluster else "",
        "organization": scope.organization.name,
    }
    if scope.audience is Audience.JOINT:
        text = _(
            "What all parties of %(cluster)s may read of each other, %(first)s to %(last)s UTC: "
            "%(counted)s. Each party reads the same figures here."
        )
    elif period.now.sessions is None:
        text = _(
            "What %(organization)s may read of %(cluster)s, %(first)s to %(last)s UTC: "
            "%(counted)s. Sessions are hidden by policy."
        )
    elif scope.audience is Audience.CLUSTER:
        text = _(
            "What %(organization)s may read of %(cluster)s, %(first)s to %(last)s UTC: %(counted)s."
        )
    else:
        text = _("The sessions of %(organization)s, %(first)s to %(last)s UTC: %(counted)s.")
    return text % told


def _counted(period: Period) -> Iterator[str]:
    """Yield how many of what it counts: where sessions are withheld the incidents alone."""
    now = period.now
    if now.sessions is not None and now.attempts is not None:
        n = now.sessions.count
        yield ngettext("%(n)s session", "%(n)s sessions", n) % {"n": n}
        yield ngettext("%(n)s attempt", "%(n)s attempts", now.attempts) % {"n": now.attempts}
    n = now.incidents.count
    yield ngettext("%(n)s incident", "%(n)s incidents", n) % {"n": n}


def _headlines(period: Period, asked: AskedPeriod) -> Iterator[HeadlineFigure]:
    now, before = period.now, period.before
    yield HeadlineFigure(
        title=_("Time to a failure"),
        figure=figure_text(now.mttf_hours, form=hours, name="time-to-failure-hours", asked=asked),
        trend=_trend(figure_text(before.mttf_hours, form=hours, name="", asked=asked)),
        note="",
    )
    yield HeadlineFigure(
        title=_("Goodput"),
        figure=figure_text(now.goodput, form=percent, name="goodput", asked=asked),
        trend=_trend(figure_text(before.goodput, form=percent, name="", asked=asked)),
        note=_("of the wall clock"),
    )
    yield HeadlineFigure(
        title=_("Lost GPU-hours"),
        figure=figure_text(now.lost_gpu_hours, form=gpu_hours, name="lost-gpu-hours", asked=asked),
        trend=_trend(figure_text(before.lost_gpu_hours, form=gpu_hours, name="", asked=asked)),
        note=_cost(period),
    )
    yield HeadlineFigure(
        title=_("Incidents"),
        figure=FigureText(
            value=str(now.incidents.count),
            interval="",
            basis="",
            query=asked.query(figure="incidents") if now.incidents.count else "",
            is_absent=False,
        ),
        trend=_("before: %(value)s") % {"value": before.incidents.count},
        note="",
    )


def _trend(before: FigureText) -> str:
    return "" if before.is_absent else _("before: %(value)s") % {"value": before.value}


def _cost(period: Period) -> str:
    cost = period.cost
    if cost is None or cost.lost is None:
        return ""
    told = {"lost": f"{cost.lost:,}", "currency": cost.currency}
    return _("%(lost)s %(currency)s at your price") % told


def _shares(period: Period, asked: AskedPeriod) -> Iterator[NamedFigure]:
    division = period.division
    goodput = figure_text(division.goodput, form=percent, name="goodput", asked=asked)
    yield NamedFigure(name=_("Goodput"), figure=goodput)
    ettr = figure_text(division.ettr, form=percent, name="ettr", asked=asked)
    yield NamedFigure(name=_("Effective training time (ETTR)"), figure=ettr)
    mfu = figure_text(period.utilization.median, form=percents, name="mfu-percent", asked=asked)
    yield NamedFigure(name=_("MFU, the median of attempts"), figure=mfu)


def _total(period: Period, asked: AskedPeriod) -> Iterator[NamedFigure]:
    total = period.losses.total
    for name, figure, key in (
        (_("In all"), total.gpu_hours, "lost-gpu-hours"),
        (_("Trained since the last checkpoint"), total.progress, "lost-progress-gpu-hours"),
        (_("From the stop to the next step"), total.downtime, "downtime-gpu-hours"),
        (_("Slow steps"), total.slow, "slow-gpu-hours"),
        (_("Of all that, contested"), total.disputed, "disputed-gpu-hours"),
    ):
        yield NamedFigure(
            name=name, figure=figure_text(figure, form=gpu_hours, name=key, asked=asked)
        )


def _loss_notes(period: Period) -> Iterator[str]:
    unsized = period.losses.total.unsized_count
    if unsized and period.losses.total.gpu_hours.value is not None:
        yield ngettext(
            "Of %(n)s incident nobody told how large what it hit was: it counts without GPU-hours.",
            "Of %(n)s incidents nobody told how large what they hit was: they count without "
            "GPU-hours.",
            unsized,
        ) % {"n": unsized}
