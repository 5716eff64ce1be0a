"""One attempt, diagnosed: whether it stopped, and what it lost and lived through."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.diagnose.lost_part import LostPart, zone_of
from apps.diagnosis.diagnose.unplaced import with_unplaced
from apps.diagnosis.model import Diagnosis, EndState, PastFailure, VerdictStatus
from apps.fleet.models import Attempt
from apps.incidents.correlation.attempts import caught_exceptions, lived_losses
from apps.incidents.correlation.attempts.attempt_facts import Gathered
from apps.incidents.correlation.attempts.caught_exceptions import Doubt
from apps.incidents.correlation.attempts.lived_losses import LivedLosses

History = Sequence[PastFailure]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptDiagnosis:
    """What one look at an attempt comes to."""

    gathered: Gathered
    diagnosis: Diagnosis
    is_stop: bool
    doubt: Doubt | None  # whether it stopped; None: that is told, or that it went on
    losses: tuple[tuple[LostPart, Diagnosis], ...]
    zone: timedelta  # of lines that print none


def look_at(
    *, attempt: Attempt, gathered: Gathered, history: History, lived: LivedLosses, now: datetime
) -> AttemptDiagnosis:
    """Return what is known about an attempt together."""
    diagnosis = diagnosed(gathered=gathered, history=history)
    zone = zone_of(diagnosis=diagnosis)
    if lived.last_at is not None:
        diagnosis = _without_lived(gathered, history, lived, zone)
    failed_at = lived_losses.failing_at(diagnosis=diagnosis, gathered=gathered, zone=zone)
    is_on = lived.is_on(failed_at=failed_at)
    doubt = None if is_on else _doubt(attempt, gathered, diagnosis, lived, failed_at, now)
    has_finished = bool(lived.episodes) and diagnosis.end_state is EndState.FINISHED
    return AttemptDiagnosis(
        gathered=gathered,
        diagnosis=diagnosis,
        is_stop=doubt is None and not (diagnosis.has_gone_on or is_on or has_finished),
        doubt=doubt,
        losses=_losses(attempt, gathered, history, lived, zone),
        zone=zone,
    )


def looked_without_claims(
    *,
    looked: AttemptDiagnosis,
    attempt: Attempt,
    sure: Gathered,
    history: History,
    lived: LivedLosses,
) -> AttemptDiagnosis:
    """Return the same of what is sure; whether it stopped is as it was told."""
    return replace(
        looked,
        gathered=sure,
        diagnosis=_without_lived(sure, history, lived, looked.zone),
        losses=_losses(attempt, sure, history, lived, looked.zone),
    )


def diagnosed(*, gathered: Gathered, history: History) -> Diagnosis:
    """Return what broke, also by what vendors tell of parts that nobody placed."""
    found = diagnose(
        readings=gathered.readings,
        anomalies=gathered.anomalies,
        topology=gathered.topology,
        facts=gathered.facts,
        expected=gathered.expected,
        history=history,
    )
    if found.verdict.status is VerdictStatus.UNKNOWN:
        return with_unplaced(diagnosis=found, readings=gathered.supposed())
    return found


def _doubt(
    attempt: Attempt,
    gathered: Gathered,
    diagnosis: Diagnosis,
    lived: LivedLosses,
    failed_at: datetime | None,
    now: datetime,
) -> Doubt | None:
    caught = caught_exceptions.doubt_of(
        diagnosis=diagnosis, gathered=gathered, attempt=attempt, now=now
    )
    return caught or lived_losses.doubt_of(
        lived=lived, diagnosis=diagnosis, failed_at=failed_at, now=now
    )


def _without_lived(
    gathered: Gathered, history: History, lived: LivedLosses, zone: timedelta
) -> Diagnosis:
    later = lived_losses.without_lived(gathered=gathered, lived=lived, zone=zone)
    return diagnosed(gathered=later, history=history)


def _losses(
    attempt: Attempt, gathered: Gathered, history: History, lived: LivedLosses, zone: timedelta
) -> tuple[tuple[LostPart, Diagnosis], ...]:
    """Return what was lost and lived through, each episode diagnosed as a stop would be."""
    found = []
    for each in lived.episodes:
        lost = replace(each, zone=zone)
        told = diagnosed(
            gathered=lived_losses.of_loss(gathered=gathered, lost=lost), history=history
        )
        found.append((lost, lived_losses.told_of_loss(diagnosis=told, lost=lost, attempt=attempt)))
    return tuple(found)
