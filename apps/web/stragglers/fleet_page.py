"""Stragglers over all sessions with a trace: how many, what it costs, month by month."""

from datetime import date
from typing import Final

from django.utils import dateformat
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.reliability.stragglers.values import FleetMonth, JobRow, StragglerFleetView
from apps.training.stragglers.fleet import StragglerFleet
from apps.training.stragglers.verdict import StragglerCause
from apps.web.display.choices import SegmentLink
from apps.web.display.figures import NO_NUMBER, percent
from apps.web.display.instants import dated
from apps.web.stragglers.page import FleetFigures, JobLine, StragglersPage
from apps.web.stragglers.straggler_words import CAUSES

MONTHS: Final = ("3", "6", "12")
JOBS_SHOWN: Final = 100


def stragglers_page(found: StragglerFleetView, *, months: str) -> StragglersPage:
    """Return the page."""
    untraced = ngettext(
        "Of %(n)s attempt of this span there is no trace: it is in no share.",
        "Of %(n)s attempts of this span there is no trace: they are in no share.",
        found.untraced_count,
    )
    return StragglersPage(
        spans=tuple(
            SegmentLink(
                text=_("%(n)s months") % {"n": each},
                query=f"?months={each}",
                is_on=each == months,
            )
            for each in MONTHS
        ),
        whole=_figures(found.fleet, found.unknown_hours_count, name=""),
        percentiles=tuple(
            (_("%(n)s %% of the jobs waste at most") % {"n": at}, percent(share))
            for at, share in found.fleet.wasted_shares.items()
        ),
        months=tuple(map(_month, found.months)),
        jobs=tuple(map(_job, reversed(found.jobs[-JOBS_SHOWN:]))),
        job_count=len(found.jobs),
        untraced=untraced % {"n": f"{found.untraced_count:,}"} if found.untraced_count else "",
        is_simulated=found.is_simulated,
    )


def _month(each: FleetMonth) -> FleetFigures:
    return _figures(each.fleet, each.unknown_hours_count, name=_month_name(each.month))


def _month_name(month: date) -> str:
    return dateformat.format(month, "Y-m")


def _figures(fleet: StragglerFleet, unknown: int, *, name: str) -> FleetFigures:
    low, high = fleet.straggling_interval
    notes = []
    if fleet.refused_count:
        notes.append(_("%(n)s refused, in no share") % {"n": fleet.refused_count})
    if unknown:
        notes.append(_("GPU-hours of %(n)s are not known") % {"n": unknown})
    told = {"slow": fleet.straggling_count, "n": fleet.job_count}
    return FleetFigures(
        name=name,
        jobs=f"{fleet.job_count:,}",
        straggling=NO_NUMBER
        if not fleet.job_count
        else f"{percent(fleet.straggling_share)} " + _("(%(slow)s of %(n)s)") % told,
        interval=NO_NUMBER if not fleet.job_count else _interval(low, high),
        hours=f"{fleet.gpu_hours:,.0f}" if fleet.gpu_hours else NO_NUMBER,
        wasted=_wasted(fleet),
        causes=", ".join(f"{CAUSES[cause]} {count}" for cause, count in fleet.causes.items()),
        note="; ".join(notes),
    )


def _interval(low: float, high: float) -> str:
    told = {"low": f"{low * 100:.1f}", "high": f"{high * 100:.1f}"}
    return _("%(low)s to %(high)s %%") % told


def _wasted(fleet: StragglerFleet) -> str:
    if fleet.wasted_share is None:
        return NO_NUMBER
    told = {"share": percent(fleet.wasted_share), "hours": f"{fleet.wasted_gpu_hours:,.0f}"}
    return _("%(share)s (%(hours)s)") % told


def _job(row: JobRow) -> JobLine:
    return JobLine(
        session=row.session,
        name=f"{row.session_name} #{row.attempt}",
        when=dated(row.started_at) if row.started_at else "",
        slowdown=NO_NUMBER if row.slowdown is None else f"{row.slowdown:.3f}",
        cause=str(CAUSES[StragglerCause(row.cause)]),
        hours=NO_NUMBER if row.gpu_hours is None else f"{row.gpu_hours:,.0f}",
        wasted=NO_NUMBER if row.wasted_gpu_hours is None else f"{row.wasted_gpu_hours:,.0f}",
    )
