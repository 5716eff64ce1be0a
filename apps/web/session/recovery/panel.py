"""An attempt that lost GPUs and ran on: figures, the drawings, and rows behind them."""

from collections.abc import Iterator
from datetime import UTC, datetime
from statistics import median
from typing import Final

from django.utils.translation import gettext as _

from apps.fleet.values import AttemptView
from apps.incidents.facade.recovery import RecoveryView
from apps.training.in_job.events import BucketRollback, CommunicatorRepaired, ReplicaLost
from apps.training.in_job.invariant import StepViolation
from apps.training.in_job.job_report import InJobReport
from apps.training.in_job.restarts import ProcessRestart
from apps.web.display.attempt_state import state_word
from apps.web.display.instants import dated
from apps.web.session.recovery.drawings import alive_lane, short, worth_lines
from apps.web.session.recovery.notes import notes, warnings
from apps.web.session.recovery.page import RecoveryChangeRow, RecoveryPanel, ViolationRow
from apps.web.session.recovery.words import (
    VIOLATIONS,
    lost_detail,
    lost_text,
    repaired_text,
    restart_text,
    took_text,
)

ROWS_SHOWN: Final = 100


def recovery_panel(*, attempt: AttemptView, view: RecoveryView, now: datetime) -> RecoveryPanel:
    """Return what is shown of an attempt that recovers in place."""
    report = view.report
    changes = list(_changes(report))
    return RecoveryPanel(
        attempt=attempt.number,
        state=state_word(attempt, now=now),
        is_degraded=attempt.is_degraded_at(now),
        figures=tuple(_figures(view)),
        lane=alive_lane(report.lane) if report.lane else None,
        worth=worth_lines(report.efficiency, report.counterfactual) if report.efficiency else None,
        changes=tuple(changes[-ROWS_SHOWN:]),
        change_count=len(changes),
        violations=tuple(map(_violation, report.violations[:ROWS_SHOWN])),
        violation_count=len(report.violations),
        warnings=tuple(warnings(report)),
        notes=tuple(notes(view)),
    )


def _figures(view: RecoveryView) -> Iterator[tuple[str, str]]:
    """Yield what is known in numbers. What nobody tells is left out, never shown as nothing."""
    report = view.report
    if report.lane is not None:
        told = {
            "alive": f"{report.lane.alive_gpu_count:,}",
            "all": f"{report.lane.started_gpu_count:,}",
        }
        yield _("GPUs alive"), _("%(alive)s of %(all)s") % told
    else:
        yield _("GPUs lost"), f"{report.lost_gpu_count:,}"
    yield _("Losses"), f"{len(report.run.losses):,}"
    repairs = [each for each in report.run.events if isinstance(each, CommunicatorRepaired)]
    if took := [each.milliseconds for each in repairs if each.milliseconds is not None]:
        yield _("Repair, median"), took_text(median(took))
    rollbacks = sum(isinstance(each, BucketRollback) for each in report.run.events)
    if rollbacks:
        yield _("Buckets reduced again"), f"{rollbacks:,}"
    if view.has_steps:
        yield from _step_figures(report)


def _step_figures(report: InJobReport) -> Iterator[tuple[str, str]]:
    commits = report.run.commits
    if commits:
        yield _("Steps committed"), f"{len(commits):,}"
    if report.run.failed_commits:
        yield _("Steps lost for a replica"), f"{len(report.run.failed_commits):,}"
    if report.invariant is not None:
        yield _("Microbatches a step"), f"{report.invariant.microbatches:,}"
        judged = sum(each.microbatches is not None for each in commits)
        count = {"n": f"{len(report.violations):,}", "steps": f"{judged:,}"}
        yield _("Violations"), _("%(n)s in %(steps)s steps") % count
    if report.efficiency is not None:
        yield _("Tokens a GPU-hour"), short(report.efficiency.tokens_per_gpu_hour)
    if report.efficiency is not None and report.counterfactual is not None:
        other = report.counterfactual.tokens_per_gpu_hour
        if other:
            ratio = report.efficiency.tokens_per_gpu_hour / other
            yield _("Beside restarts"), _("%(n)s times") % {"n": f"{ratio:.2f}"}


def _changes(report: InJobReport) -> Iterator[RecoveryChangeRow]:
    told = [
        *(e for e in report.run.events if isinstance(e, ReplicaLost | CommunicatorRepaired)),
        *report.run.restarts,
    ]
    for each in sorted(told, key=lambda one: (one.at_seconds, repr(one))):
        yield _change(each, report)


def _change(
    each: ReplicaLost | CommunicatorRepaired | ProcessRestart, report: InJobReport
) -> RecoveryChangeRow:
    what, detail = _said(each)
    return RecoveryChangeRow(
        at=dated(datetime.fromtimestamp(each.at_seconds, UTC), seconds=True),
        what=what,
        detail=detail,
        alive=_alive(each.at_seconds, report),
    )


def _said(each: ReplicaLost | CommunicatorRepaired | ProcessRestart) -> tuple[str, str]:
    """Return what happened, and where or how long."""
    match each:
        case ReplicaLost():
            return lost_text(each), lost_detail(each)
        case CommunicatorRepaired():
            return repaired_text(each), took_text(each.milliseconds)
        case ProcessRestart():
            took = None if each.took_seconds is None else each.took_seconds * 1000
            return restart_text(each), took_text(took)


def _alive(at_seconds: float, report: InJobReport) -> str:
    if report.lane is None:
        return _("not told")
    spans = [each for each in report.lane.spans if each.begins_seconds <= at_seconds]
    return f"{(spans or report.lane.spans)[-1].alive_gpu_count:,}"


def _violation(each: StepViolation) -> ViolationRow:
    return ViolationRow(
        step=f"{each.step:,}",
        what=str(VIOLATIONS[each.kind]),
        found=f"{each.found:,}",
        expected=f"{each.expected:,}",
    )
