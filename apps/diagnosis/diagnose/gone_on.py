"""A job that went on without a part: the answer is what broke in that part, and how the rest ended.

To the chain of steps the part is a job that failed then; the rest is one that told of no failure
until it went on.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from types import MappingProxyType

from apps.diagnosis.diagnose.attempt import concluded
from apps.diagnosis.diagnose.attempt_evidence import DiagnosisInput
from apps.diagnosis.diagnose.lived_loss import Instant, LossInLogs, loss_in_logs
from apps.diagnosis.diagnose.lost_part import AFTER
from apps.diagnosis.model import (
    Anomaly,
    Diagnosis,
    EndState,
    Event,
    Reading,
    SessionFacts,
    Stream,
    VerdictStatus,
)
from apps.diagnosis.reasoning.timing.open_end import FAILURES


def concluded_of_parts(
    *,
    readings: Sequence[Reading],
    anomalies: Sequence[Anomaly],
    facts: SessionFacts,
    given: DiagnosisInput,
) -> Diagnosis:
    """Return what broke in one attempt; of one that went on without a part, what broke in that."""
    whole = concluded(readings=readings, anomalies=anomalies, facts=facts, given=given)
    instant = given.timing.instant
    found = loss_in_logs(readings=readings, instant=instant)
    if found is None:
        return whole
    since = readings_since(readings=readings, found=found, instant=instant)
    later = concluded(readings=since, anomalies=anomalies, facts=facts, given=given)
    if later.end_state is EndState.FAILED:
        return whole
    told = concluded(
        readings=readings_until(readings=readings, found=found, instant=instant),
        anomalies=anomalies,
        facts=facts_until(facts=facts, found=found),
        given=given,
    )
    is_known = told.verdict.status is not VerdictStatus.UNKNOWN
    return replace(
        told if is_known or later.verdict.status is not VerdictStatus.NO_FAILURE else later,
        end_state=later.end_state,
        first_stopper=whole.first_stopper or told.first_stopper,
        failed_at=told.failed_at or found.loss.at,
        disturbances=whole.disturbances,
        is_stop_told=whole.is_stop_told,
        has_gone_on=whole.has_gone_on,
        ending=later.ending,
        lived_loss=found.loss,
    )


def readings_until(
    *, readings: Sequence[Reading], found: LossInLogs, instant: Instant
) -> list[Reading]:
    """Return what bears on the loss: not what the survivors did after it."""

    def is_before(event: Event) -> bool:
        source, number = event.order_key
        if source in found.last_lines:
            return number <= found.last_lines[source]
        at = instant(event.line)
        if at is None or found.until is None:
            return True
        return at <= found.until + (timedelta(0) if _is_session(event) else AFTER)

    return [
        replace(
            each,
            events=tuple(event for event in each.events if is_before(event)),
            progress=tuple(event for event in each.progress if is_before(event)),
        )
        for each in readings
    ]


def readings_since(
    *, readings: Sequence[Reading], found: LossInLogs, instant: Instant
) -> list[Reading]:
    """Return the readings without what the session told of failing until it went on."""

    def is_lived(event: Event) -> bool:
        if event.role not in FAILURES or not _is_session(event):
            return False
        source, number = event.order_key
        if source in found.last_lines:
            return number <= found.last_lines[source]
        at = instant(event.line)
        # A log that did not go on is of who was lost.
        return at is None or found.until is None or at <= found.until

    return [
        replace(each, events=tuple(event for event in each.events if not is_lived(event)))
        for each in readings
    ]


def facts_until(*, facts: SessionFacts, found: LossInLogs) -> SessionFacts:
    """Return what is known of the part that was lost: it failed, and until when."""
    return replace(
        facts, state=EndState.FAILED, ended_at=found.until, exit_codes=MappingProxyType({})
    )


def _is_session(event: Event) -> bool:
    return (event.line.origin.stream or event.line.stream) in {Stream.SESSION, None}
