"""Beside step 5: logs that end while the session makes steps. Nothing in them says that it stopped,
and what it told before was lived through.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from apps.diagnosis.input_values import is_whole_number
from apps.diagnosis.model import (
    Coverage,
    CoverageState,
    EndState,
    Event,
    FirstStopper,
    Missing,
    Observation,
    Reading,
    Role,
    SessionFacts,
    Stream,
    Verdict,
    VerdictStatus,
    statement,
)

FAILURES = frozenset({Role.CASCADE, Role.CONFIRMATION, Role.INITIATING})
OPEN = frozenset({EndState.UNKNOWN, EndState.RUNNING})
# Other ranks may still print the step that they had done when one failed.
WENT_ON_AFTER, WENT_ON_LINES = timedelta(seconds=30), 10
# So few lines may stand below the last step of a log that ends while steps are made.
MOST_BELOW = 3
TELLING = "scheduler-log"
# PyTorch prints this before each line of an exception that nobody caught, the interpreter from
# there.
UNCAUGHT, TOP = "rank_prefix", "<module>"
STANDING, BECAUSE = "survived", statement("session-went-on")


def last_steps(
    *,
    observations: Sequence[Observation],
    facts: SessionFacts,
    steps: frozenset[str],
    names_end: Callable[[Observation], bool],
    first: FirstStopper | None = None,
) -> tuple[Event, ...]:
    """Return the last step of each log of a session that lived through all that it told and of
    whose end nothing tells, none for others.

    `steps` are the signs of a step, `names_end` says whether a line tells of an end, `first` is who
    stopped first, if anybody did.
    """
    is_over = (facts.state or EndState.UNKNOWN) not in OPEN or facts.ended_at is not None
    if is_over or facts.has_more or first is not None:
        return ()
    standing = [one for one in observations if one.standing == "joined"]
    last = _last_steps(standing, steps)
    failures = [one for one in standing if one.role in FAILURES]
    is_gone_on = all(_is_survived(one, last) for one in failures)
    is_told = any(names_end(one) for one in standing)
    return tuple(last.values()) if is_gone_on and not is_told else ()


def lived_through(
    *, observations: Sequence[Observation], steps: Sequence[Event]
) -> list[Observation]:
    """Return the observations; where `steps` came after them none says why the session stopped."""
    return [
        replace(one, standing=STANDING, because=BECAUSE)
        if steps and one.role in FAILURES and one.standing == "joined"
        else one
        for one in observations
    ]


def at_the_end(
    *, steps: Sequence[Event], readings: Sequence[Reading], verdict: Verdict
) -> Event | None:
    """Return the latest of `steps` where all logs end with one, None where something else is said
    below them, or what metrics show is the answer.
    """
    ends = _last_lines(readings)
    if verdict.status is not VerdictStatus.UNKNOWN or not all(_is_open(one, ends) for one in steps):
        return None
    dated = [one for one in steps if one.line.at is not None]
    return max(dated or steps, key=lambda one: (one.line.at, one.order_key), default=None)


def missing(*, coverage: Sequence[Coverage]) -> tuple[Missing, ...]:
    """Return what would tell whether such a session still runs."""
    one = Missing(source=TELLING, hosts=(), held_by="platform", would=statement("says-if-running"))
    states = {one.source: one.state for one in coverage}
    return () if states.get(TELLING) is CoverageState.PRESENT else (one,)


def _last_steps(observations: Iterable[Observation], steps: frozenset[str]) -> dict[str, Event]:
    """Return the last step of each log that has any."""
    last: dict[str, Event] = {}
    for one in observations:
        for event in one.events if one.sign in steps else ():
            source, number = event.order_key
            if source not in last or number > last[source].line.number:
                last[source] = event
    return last


def _last_lines(readings: Sequence[Reading]) -> dict[str, int]:
    last: dict[str, int] = {}
    for reading in readings:
        for extent in reading.extents:
            source = reading.origin.source
            last[source] = max(last.get(source, 0), extent.last_number)
    return last


def _is_open(step: Event, ends: Mapping[str, int]) -> bool:
    """Say whether a log ends at a step that is not the last one of all."""
    source, number = step.order_key
    done, total = step.fields.get("iteration", ""), step.fields.get("total", "")
    is_last = is_whole_number(done) and done == total
    return not is_last and ends.get(source, number) - number <= MOST_BELOW


def _is_survived(one: Observation, last: Mapping[str, Event]) -> bool:
    return bool(one.events) and all(_is_behind(event, last) for event in one.events)


def _is_behind(event: Event, last: Mapping[str, Event]) -> bool:
    """Say whether steps followed in the log of the session that tells of a failure."""
    step = last.get(event.line.origin.source)
    if event.line.dialect == UNCAUGHT or event.fields.get("outermost") == TOP:
        return False  # a program whose output waits in a buffer prints its last steps below it
    is_session = (event.line.origin.stream or event.line.stream) in {Stream.SESSION, None}
    if step is None or not is_session:
        return False
    if event.line.at is not None and step.line.at is not None:
        return step.line.at - event.line.at >= WENT_ON_AFTER
    return step.line.number - event.line.number >= WENT_ON_LINES
