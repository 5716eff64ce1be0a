"""Recoveries as bars: parts that follow each other, drawn on one scale."""

from collections.abc import Iterator, Sequence
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.training.retries.attempt_recoveries import AttemptRecovery
from apps.training.retries.recoveries import Recovery
from apps.training.retries.recovery_marks import STAGE_ENDED_BY, MarkKind, Stage
from apps.web.display.instants import dated
from apps.web.session.retries.page import RecoveryRow, StageBar
from apps.web.session.run_words import seconds_text

WIDTH: Final = 1344
STAGES: Final = {
    Stage.DETECT: gettext_lazy("Detect"),
    Stage.TERMINATE: gettext_lazy("Terminate"),
    Stage.REQUEUE: gettext_lazy("Requeue"),
    Stage.RENDEZVOUS: gettext_lazy("Rendezvous"),
    Stage.HEALTH: gettext_lazy("Health check"),
    Stage.START: gettext_lazy("Start"),
    Stage.LOAD: gettext_lazy("Load checkpoint"),
    Stage.FIRST_STEP: gettext_lazy("First step"),
}
MARKS: Final = {
    MarkKind.FAILED: gettext_lazy("the failure itself"),
    MarkKind.FAILURE_DETECTED: gettext_lazy("that it was detected"),
    MarkKind.WORKER_TERMINATED: gettext_lazy("the end of the workers"),
    MarkKind.ATTEMPT_STARTED: gettext_lazy("the next start"),
    MarkKind.RENDEZVOUS_STARTED: gettext_lazy("the begin of the rendezvous"),
    MarkKind.HEALTH_CHECK_COMPLETED: gettext_lazy("the health check"),
    MarkKind.RENDEZVOUS_COMPLETED: gettext_lazy("the end of the rendezvous"),
    MarkKind.WORKER_START_STARTED: gettext_lazy("that workers are started"),
    MarkKind.WORKER_START_COMPLETED: gettext_lazy("that workers are ready"),
    MarkKind.LOAD_STARTED: gettext_lazy("the begin of the load"),
    MarkKind.LOAD_COMPLETED: gettext_lazy("the end of the load"),
    MarkKind.FIRST_STEP: gettext_lazy("the first step"),
}
# A job that goes on in place is not started anew: nobody misses that mark.
NOT_IN_PLACE: Final = frozenset({MarkKind.ATTEMPT_STARTED})
SECOND_MS: Final = 1000


def recovery_rows(found: Sequence[AttemptRecovery]) -> tuple[RecoveryRow, ...]:
    """Return recoveries on one scale, so that the longest fills the width."""
    longest = max((each.recovery.total_ms for each in found), default=0)
    return tuple(_row(each, longest or 1) for each in found)


def length_text(milliseconds: int) -> str:
    """Return a part of a recovery: 875 ms, 2.88 s, 3 min 20 s."""
    return seconds_text(milliseconds / SECOND_MS)


def _row(each: AttemptRecovery, longest: int) -> RecoveryRow:
    recovery = each.recovery
    attempts = {"stopped": each.stopped, "following": each.following}
    return RecoveryRow(
        title=_("In attempt #%(following)s, in place") % attempts
        if each.is_in_place
        else _("From #%(stopped)s to #%(following)s") % attempts,
        at=dated(recovery.starts_at, seconds=True),
        total=length_text(recovery.total_ms),
        is_complete=recovery.is_complete,
        stages=tuple(_stages(recovery, longest)),
        missing=_missing(recovery, is_in_place=each.is_in_place),
        attribution=""
        if recovery.attribution_ms is None
        else _("looking for the cause took %(length)s beside it")
        % {"length": length_text(recovery.attribution_ms)},
    )


def _stages(recovery: Recovery, longest: int) -> Iterator[StageBar]:
    x = 0.0
    for stage, spent in recovery.by_stage.items():
        if not spent:
            continue
        width = spent / longest * WIDTH
        yield StageBar(
            slug=stage.value,
            name=str(STAGES[stage]),
            length=length_text(spent),
            x=round(x, 1),
            width=round(max(width - 1, 1.0), 1),
        )
        x += width


def _missing(recovery: Recovery, *, is_in_place: bool) -> str:
    known = [kind for kind in (MarkKind.FAILED, *STAGE_ENDED_BY) if kind in recovery.missing]
    names = [str(MARKS[kind]) for kind in known if not (is_in_place and kind in NOT_IN_PLACE)]
    return ", ".join(names)
