"""Whether the session told of a failure before anybody ended it in order."""

from collections.abc import Sequence
from datetime import timedelta

from apps.diagnosis.model import EndState, Event, Observation, SessionFacts, Stream
from apps.diagnosis.reasoning.timing.phases.signs import (
    end_said,
    exited,
    first_lines,
    is_behind,
    is_of_slowness,
    is_overcome,
    last_steps,
    stream_of,
    tells_failure,
)
from apps.diagnosis.reasoning.timing.phases.words import FINISHES, SIGNALS
from apps.diagnosis.whole_names import says

# Noise of the ending itself begins at most this long before the line that names it.
BEFORE_END = timedelta(seconds=5)


def failed_before_end(*, observations: Sequence[Observation], facts: SessionFacts) -> bool:
    """Say whether the session told of a failure before anybody ended it in order."""
    if _ended_when_slow(observations) and not _reached_its_end(observations, facts):
        return True
    ends = [one.at for one in observations if end_said(one) and one.at is not None]
    end = min(ends, default=facts.ended_at)
    is_running = facts.state is EndState.RUNNING
    went_on = last_steps(observations)
    closing = [one for one in observations if one.sign in FINISHES or exited(one)]
    closed = first_lines(one for one in observations if one.sign in SIGNALS)
    closed |= dict(e.order_key for one in closing for e in one.events)
    closed_at = min((one.at for one in closing if one.at is not None), default=None)
    for one in observations:
        if not tells_failure(one, is_running=is_running):
            continue
        if is_running and not any(_is_its_own(e, facts) for e in one.events):
            continue  # it merely runs where something else failed
        if closed_at and one.at and one.at >= closed_at - BEFORE_END:
            continue
        if all(is_overcome(e, went_on) or is_behind(e, closed) for e in one.events):
            continue
        if end is None or one.at is None or one.at + one.error < end - BEFORE_END:
            return True
    return False


def _is_its_own(event: Event, facts: SessionFacts) -> bool:
    """Say whether a session printed a line itself, or its scheduler's line names it."""
    stream = stream_of(event)
    if stream is Stream.SCHEDULER:
        return any(says(text=event.line.text, name=name) for name in facts.names)
    return stream in {Stream.SESSION, None}


def _reached_its_end(observations: Sequence[Observation], facts: SessionFacts) -> bool:
    """Say whether it finished: nobody ended it, however slow it had become."""
    return facts.state is EndState.FINISHED or any(
        one.sign in FINISHES or exited(one) for one in observations
    )


def _ended_when_slow(observations: Sequence[Observation]) -> bool:
    """Say whether a person ended it, no scheduler's rule, after a member had become slow."""
    said = {state for one in observations if (state := end_said(one)) is not None}
    is_slow = any(
        is_of_slowness(one)
        and one.standing == "joined"
        and one.fields.get("rise", "large") == "large"
        for one in observations
    )
    return is_slow and said <= {EndState.CANCELLED}
