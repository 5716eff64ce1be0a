"""How the attempt ended, by all words of it."""

from collections.abc import Sequence
from datetime import datetime

from apps.diagnosis.model import (
    EndState,
    Event,
    Observation,
    Role,
    SessionFacts,
    Severity,
    Stream,
)
from apps.diagnosis.observed import task_host
from apps.diagnosis.reasoning.timing.phases.scheduler import accounted_end, told_end, weighed
from apps.diagnosis.reasoning.timing.phases.signs import (
    FAILURES,
    exited,
    first_lines,
    has_obeyed,
    is_behind,
    is_last_step,
    is_of_slowness,
    is_overcome,
    last_steps,
    latest_steps,
    stream_of,
    tells_failure,
)
from apps.diagnosis.reasoning.timing.phases.words import (
    EVICTIONS,
    FINISHES,
    SIGNALS,
)


def end_state(
    *, observations: Sequence[Observation], facts: SessionFacts, failed_at: datetime | None
) -> EndState:
    """Return how the attempt ended; a cancellation after a failure is the failure's."""
    # What only did as a signal told it did not fail before it was cancelled, though a clock in
    # another zone may say so.
    told = told_end(observations, None if _has_only_obeyed(observations) else failed_at)
    accounted = accounted_end(observations)
    if told is None and accounted is EndState.CANCELLED and _is_late(observations, failed_at):
        accounted = EndState.FAILED
    if facts.state is not None and facts.state is not EndState.UNKNOWN:
        return weighed(facts.state, told)
    if told is not None:
        return told
    if accounted is not None and accounted is not EndState.FINISHED:
        return accounted
    is_finished = (
        accounted is EndState.FINISHED
        or any(one.sign in FINISHES or exited(one) for one in observations)
        or _came_to_its_end(observations)
    )
    return _by_signs(observations, is_finished=is_finished)


def _by_signs(observations: Sequence[Observation], *, is_finished: bool) -> EndState:
    grave = _grave(observations)
    went_on = last_steps(observations) if is_finished else {}
    fatal = [e for one in grave for e in one.events if e.severity is Severity.FATAL]
    if is_finished and all(is_overcome(event, went_on) for event in fatal):
        return EndState.FINISHED
    if any(one.sign in EVICTIONS for one in grave):
        return EndState.FAILED  # its containers are stopped for it
    signalled = first_lines(one for one in observations if one.sign in SIGNALS)
    is_told = any(one.sign in SIGNALS for one in observations)
    if any(
        one.sign not in SIGNALS
        and not all(is_behind(e, signalled) or (is_told and has_obeyed(e)) for e in one.events)
        for one in grave
    ):
        return EndState.FAILED
    return EndState.CANCELLED if is_told else EndState.UNKNOWN


def _has_only_obeyed(observations: Sequence[Observation]) -> bool:
    """Say whether launchers were told to end and nothing grave is said but that, and that the
    tasks of their hosts left for it.
    """
    grave = _grave(observations)
    told = {_spoken_on(e) for one in grave if one.sign in SIGNALS for e in one.events} - {None}
    return bool(told) and all(
        e.signature in SIGNALS or has_obeyed(e) or task_host(e) in told
        for one in grave
        for e in one.events
    )


def _spoken_on(event: Event) -> str | None:
    host = event.line.host or event.line.origin.host
    return host.split(".", 1)[0] if host else None


def _is_late(observations: Sequence[Observation], failed_at: datetime | None) -> bool:
    """Say whether something had failed before the job was cancelled."""
    return failed_at is not None and any(
        one.role is Role.CASCADE and tells_failure(one, is_running=False) for one in observations
    )


def _came_to_its_end(observations: Sequence[Observation]) -> bool:
    """Say whether every voice that told of steps or results came to the last one."""
    latest = latest_steps(observations)
    return bool(latest) and all(is_last_step(event) for event in latest.values())


def _grave(observations: Sequence[Observation]) -> list[Observation]:
    """Return the signs of failure; where the session spoke itself, only its own count."""
    signs = [
        one
        for one in observations
        if one.role in FAILURES
        and one.standing == "joined"
        and one.events
        and not is_of_slowness(one)
    ]
    own = [one for one in signs if any(stream_of(e) is Stream.SESSION for e in one.events)]
    has_spoken = any(stream_of(e) is Stream.SESSION for one in observations for e in one.events)
    return own if has_spoken else signs
