"""What is wrong with a run that recovers in place, what is not told of it, and what is hidden."""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.incidents.facade.recovery import RecoveryView
from apps.training.in_job.job_report import InJobReport
from apps.training.in_job.trajectory import GUARDED_STEPS
from apps.web.display.instants import dated


def warnings(report: InJobReport) -> Iterator[str]:
    """Yield what is wrong."""
    if report.violations:
        count = len(report.violations)
        text = ngettext(
            "%(n)s step is not what it would have been without the loss.",
            "%(n)s steps are not what they would have been without the loss.",
            count,
        )
        yield text % {"n": f"{count:,}"}
    for flag in report.flags:
        told = {
            "step": f"{flag.step:,}",
            "loss": f"{flag.loss:.4g}",
            "expected": f"{flag.expected_loss:.4g}",
            "z": f"{flag.z:.1f}",
        }
        yield (
            _(
                "The training loss jumped to %(loss)s in step %(step)s after a recovery; "
                "%(expected)s was to be expected (z %(z)s)."
            )
            % told
        )
    if report.not_survived:
        count = len(report.not_survived)
        text = ngettext(
            "%(n)s loss was not lived through: all processes were started again.",
            "%(n)s losses were not lived through: all processes were started again.",
            count,
        )
        yield text % {"n": f"{count:,}"}
    for each in report.run.stale[-3:]:
        told = {
            "replica": each.heartbeat.replica,
            "seconds": f"{each.heartbeat.age_seconds:.1f}",
        }
        yield (
            _("%(replica)s was silent for %(seconds)s s, longer than its lighthouse waits.") % told
        )


def notes(view: RecoveryView) -> Iterator[str]:
    """Yield what is not told, and what is hidden by policy."""
    report = view.report
    if view.silent_since is not None:
        at = dated(view.silent_since, seconds=True)
        yield _("Nothing is told since %(at)s: how many GPUs are alive now is not known.") % {
            "at": at
        }
    if report.lane is None:
        yield _("With how many GPUs it began is not told.")
    if not view.has_steps:
        yield _("Steps, microbatches and what running on was worth are hidden by policy.")
    else:
        yield from _of_steps(view)
    if not view.is_whole:
        yield _("Names of replicas and training losses are its tenant's alone.")
    if view.left_out_count:
        yield _("%(n)s earlier facts of its steps are left out.") % {
            "n": f"{view.left_out_count:,}"
        }


def _of_steps(view: RecoveryView) -> Iterator[str]:
    report = view.report
    if report.invariant is None:
        yield _(
            "How many microbatches a step has to sum up is not told: steps are not judged by it."
        )
    elif not report.invariant.is_told:
        yield _("How many microbatches are due is taken from the steps before the first loss.")
    if report.efficiency is None:
        yield _no_worth(report)
    elif report.counterfactual is None and report.run.losses:
        yield _("What a restart would take is not told: nothing stands beside it.")
    if view.is_whole and report.run.losses:
        yield from _of_losses(report)


def _no_worth(report: InJobReport) -> str:
    """Return why nothing says what running on was worth."""
    if all(each.tokens is None for each in report.run.commits):
        return _("Tokens of its steps are not told: what running on was worth is not known.")
    if report.lane is None:
        return _("Without that, what running on was worth is not known.")
    return _("One step alone tells its tokens: what running on was worth takes two.")


def _of_losses(report: InJobReport) -> Iterator[str]:
    if not report.has_losses_of_model:
        yield _("Training losses are not told: whether they went on as before is not known.")
    elif not report.flags and report.guarded_count:
        count = report.guarded_count
        text = ngettext(
            "No jump of the training loss within %(steps)s steps of %(n)s loss.",
            "No jump of the training loss within %(steps)s steps of %(n)s losses.",
            count,
        )
        yield text % {"n": f"{count:,}", "steps": GUARDED_STEPS}
    elif not report.guarded_count:
        yield _("Too few steps before the loss tell their training loss to judge those after it.")
