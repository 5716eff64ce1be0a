"""Whether anything says that the session stopped, or only that something in it failed.

A program may catch an exception, log it and go on; that looks like one that ended it, until the
launcher, the scheduler or another rank tells of the end, or the log falls silent.
"""

from collections.abc import Iterable, Sequence

from apps.diagnosis.model import EndState, Event, Observation, Role, SessionFacts, Stream
from apps.diagnosis.reasoning.phases import end_named

OVER = frozenset({*EndState} - {EndState.RUNNING, EndState.UNKNOWN})
BEGINNINGS = frozenset({Role.INITIATING, Role.CONFIRMATION})
RAISED = "py-exception-final"
# PyTorch prints this before each line of an exception that nobody caught.
UNCAUGHT = "rank_prefix"


def is_stop_told(*, observations: Sequence[Observation], facts: SessionFacts) -> bool:
    """Say whether it is told that the session stopped, by anything but an exception that may have
    been caught.
    """
    if facts.state in OVER or facts.ended_at is not None:
        return True
    standing = [one for one in observations if one.standing == "joined"]
    if any(one.role is Role.CASCADE or end_named(one) for one in standing):
        return True
    told = list(_beginnings(standing))
    return not told or not all(_may_be_caught(event) for event in told)


def _beginnings(observations: Sequence[Observation]) -> Iterable[Event]:
    """Yield the lines that tell of a failure, but for findings: those only repeat lines."""
    for one in observations:
        if one.role in BEGINNINGS and not one.sign.startswith("finding:"):
            yield from one.events


def _may_be_caught(event: Event) -> bool:
    """Say whether a line ends a traceback that its program may have printed and gone on."""
    is_session = (event.line.origin.stream or event.line.stream) in {Stream.SESSION, None}
    is_raised = event.signature == RAISED or "chain" in event.fields
    return is_session and is_raised and event.line.dialect != UNCAUGHT
