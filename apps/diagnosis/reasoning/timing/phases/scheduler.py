"""How the attempt ended by the scheduler's accounting and the platform's words."""

from collections.abc import Sequence
from datetime import datetime

from apps.diagnosis.model import EndState, Observation
from apps.diagnosis.reasoning.timing.phases.signs import FAILURES, GRAVE, end_said
from apps.diagnosis.reasoning.timing.phases.words import ACCOUNTING, ENDS, LIMITS, NARROW, STATES


def accounted_end(observations: Sequence[Observation]) -> EndState | None:
    """Return the state that a scheduler's accounting has of this job: the only one, or the one
    that the session names.
    """
    rows = [event for one in observations if one.sign in ACCOUNTING for event in one.events]
    jobs = {event.fields["job"] for event in rows if "job" in event.fields}
    if len(jobs) > 1:
        jobs &= {
            event.fields.get("job", "").partition(".")[0]
            for one in observations
            if one.sign not in ACCOUNTING
            for event in one.events
        }
        if len(jobs) != 1:
            return None
    ours = [event for event in rows if event.fields.get("job") in {None, *jobs}]
    # A job that was requeued stands there once per attempt, the latest last.
    last = max(ours, key=lambda event: event.order_key, default=None)
    return STATES.get(last.fields.get("state", "")) if last else None


def told_end(observations: Sequence[Observation], failed_at: datetime | None) -> EndState | None:
    """Return the end that the logs name; a cancellation after a failure is the failure."""
    said = [(state, one) for one in observations if (state := end_said(one)) is not None]
    if not said:
        return None
    # A narrower word says more than that it was cancelled.
    state, one = min(said, key=lambda each: (NARROW.get(each[0], 0), each[0], each[1].sign))
    is_after = bool(one.at and failed_at and failed_at < one.at - one.error)
    if state is EndState.CANCELLED and (is_after or _is_teardown(one, observations)):
        return EndState.FAILED
    return state


def _is_teardown(cancelled: Observation, observations: Sequence[Observation]) -> bool:
    """Say whether a task had failed above the line that the rest of the step was cancelled, or
    Slurm had said why it ends the job.
    """
    lines = {event.line.origin.source: event.line.number for event in cancelled.events}
    steps = {
        event.line.origin.source: event.line.number
        for event in cancelled.events
        if event.fields.get("entity") == "STEP"
    }
    return any(
        one.role in FAILURES
        and event.severity in GRAVE
        and event.signature not in ENDS
        and event.line.number
        < (lines if event.signature in LIMITS else steps).get(event.line.origin.source, 0)
        for one in observations
        for event in one.events
    )


def weighed(said: EndState, told: EndState | None) -> EndState:
    """Trust the scheduler, but a narrower word of the log refines its plain `failed` or
    `cancelled`.
    """
    return told if said in {EndState.FAILED, EndState.CANCELLED} and told in NARROW else said
