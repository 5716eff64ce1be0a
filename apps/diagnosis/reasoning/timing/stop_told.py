"""Whether anything says that the session stopped, or only that something in it failed.

A program may catch an exception, log it and go on; that looks like one that ended it, until the
launcher, the scheduler or another rank tells of the end, or the log falls silent.
"""

from collections.abc import Callable, Iterable, Sequence

from apps.diagnosis.model import EndState, Event, Mark, Observation, Role, SessionFacts, Stream
from apps.diagnosis.signatures.marks import marked

OVER = frozenset({*EndState} - {EndState.RUNNING, EndState.UNKNOWN})
FAILURES = frozenset({Role.CASCADE, Role.CONFIRMATION, Role.INITIATING})
RAISED = marked(Mark.EXCEPTION)
# Programs say these and compute on.
LIVED_WITH = marked(Mark.SURVIVABLE)
# PyTorch prints this before each line of an exception that nobody caught.
UNCAUGHT = "rank_prefix"


def is_stop_told(
    *,
    observations: Sequence[Observation],
    facts: SessionFacts,
    names_end: Callable[[Observation], bool],
) -> bool:
    """Say whether it is told that the session stopped, by anything but what programs survive.

    `names_end` says whether a line tells of the end of the attempt.
    """
    if facts.state in OVER or facts.ended_at is not None:
        return True
    standing = [one for one in observations if one.standing == "joined"]
    if any(names_end(one) for one in standing):
        return True
    told = list(_failures(standing))
    return not told or not all(may_be_survived(event=event) for event in told)


def may_be_survived(*, event: Event) -> bool:
    """Say whether a line tells of what its program may have met and gone on."""
    is_session = (event.line.origin.stream or event.line.stream) in {Stream.SESSION, None}
    # The last line of a traceback, whatever it speaks of.
    is_raised = event.signature in RAISED or "chain" in event.fields
    if is_raised and event.line.dialect == UNCAUGHT:
        return False
    return is_session and (is_raised or event.signature in LIVED_WITH)


def _failures(observations: Sequence[Observation]) -> Iterable[Event]:
    """Yield the lines that tell of a failure, but for findings: those only repeat lines."""
    for one in observations:
        if one.role in FAILURES and not one.sign.startswith("finding:"):
            yield from one.events
