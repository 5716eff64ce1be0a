"""Which attempt the answer is about."""

from collections.abc import Sequence
from datetime import timedelta

from apps.diagnosis.model import (
    AttemptVerdict,
    Diagnosis,
    EndState,
    Phase,
    Statement,
    VerdictStatus,
    statement,
)
from apps.diagnosis.reasoning.scope.attempts.parting import AttemptReadings

# A restart that fails so soon without a step has not got going: it tells of the failure before.
NEVER_STARTED = timedelta(minutes=15)
ORDERLY = frozenset({EndState.FINISHED, EndState.WALLTIME, EndState.CANCELLED, EndState.PREEMPTED})
SETTING_UP = frozenset({Phase.LAUNCH, Phase.INIT, Phase.UNKNOWN})


def answer(
    *, diagnoses: Sequence[Diagnosis], parts: Sequence[AttemptReadings]
) -> tuple[int, Statement | None]:
    """Return which attempt the whole answer is about, and why it is not the last."""
    last = len(diagnoses) - 1
    if diagnoses[last].end_state in ORDERLY and not _has_failed(diagnoses[last]):
        return last, None
    for index in range(last, -1, -1):
        one = diagnoses[index]
        if not _has_failed(one):
            continue
        if index and _never_got_going(one, parts[index]) and _has_failed(diagnoses[index - 1]):
            continue
        return index, _why(diagnoses[index + 1 :])
    return last, None


def told(
    *,
    diagnoses: Sequence[Diagnosis],
    parts: Sequence[AttemptReadings],
    index: int,
    because: Statement | None,
) -> tuple[AttemptVerdict, ...]:
    """Return what was concluded of each attempt; one of them is the answer."""
    return tuple(
        AttemptVerdict(
            number=number,
            verdict=one.verdict,
            end_state=one.end_state,
            starts_at=part.starts_at,
            failed_at=one.failed_at,
            is_answer=number == index + 1,
            because=because if number == index + 1 else None,
        )
        for number, (one, part) in enumerate(zip(diagnoses, parts, strict=True), 1)
    )


def _why(later: Sequence[Diagnosis]) -> Statement | None:
    if any(_has_failed(one) for one in later):
        return statement("later-attempts-never-began")
    return statement("later-attempts-quiet") if later else None


def _has_failed(one: Diagnosis) -> bool:
    is_named = one.verdict.status in {VerdictStatus.LIKELY, VerdictStatus.POSSIBLE}
    return is_named or one.end_state is EndState.FAILED


def _never_got_going(one: Diagnosis, part: AttemptReadings) -> bool:
    is_set_up = one.phase not in SETTING_UP or one.verdict.status is VerdictStatus.LIKELY
    if is_set_up or part.starts_at is None or one.failed_at is None:
        return False
    return one.failed_at - part.starts_at <= NEVER_STARTED
