"""What an observation tells of an end: said, overcome, behind the closing word, of a failure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from apps.diagnosis.input_values import is_whole_number
from apps.diagnosis.model import EndState, Event, Layer, Observation, Role, Severity, Stream
from apps.diagnosis.reasoning.timing.phases.words import (
    BEGINNINGS,
    COUNTS_ALL,
    ENDED_WELL,
    ENDS,
    EXIT_CODES,
    FINISHES,
    PLANNED,
    REASONS,
    RESULTS,
    SIGNALS,
    SLOWNESS,
    STEPS,
)

# Words that tell of a failure even where no cause is known.
GRAVE = frozenset({Severity.ERROR, Severity.FATAL})
OBEYED = frozenset({"-15", "143"})
FAILURES = frozenset({Role.CASCADE, Role.CONFIRMATION, Role.INITIATING})


# A process that still fails in this time before the last step may be of the same attempt.
LATE_FAILURE = timedelta(seconds=5)
STEP_OF = re.compile(r"\bstep[ :=]{1,3}\d{1,9} ?/ ?\d", re.ASCII | re.IGNORECASE)
EPOCH = re.compile(r"\bepochs?\b", re.ASCII | re.IGNORECASE)


def latest_steps(observations: Sequence[Observation]) -> dict[str, Event]:
    """Return per source the last line that told of a step or result, or that it began."""
    latest: dict[str, Event] = {}
    for one in observations:
        if one.sign not in STEPS | RESULTS | BEGINNINGS:
            continue
        for event in one.events:
            known = latest.setdefault(event.line.origin.source, event)
            if event.line.number > known.line.number:
                latest[event.line.origin.source] = event
    return latest


def is_last_step(event: Event) -> bool:
    """Say whether a line tells of the last of all steps, or of a result."""
    if event.signature in RESULTS:
        return True
    iteration, total = event.fields.get("iteration", ""), event.fields.get("total", "")
    if iteration != total or not is_whole_number(iteration):
        return False
    return event.signature in COUNTS_ALL or _counts_steps(event.line.text)


def _counts_steps(text: str) -> bool:
    """Say whether a line counts the steps of the session: not its epochs', nor files or batches."""
    return STEP_OF.search(text) is not None and EPOCH.search(text) is None


def last_steps(observations: Sequence[Observation]) -> dict[str, int]:
    """Return per source that told of its own end, or came to its last step, the line of that."""
    ends = {
        event.line.origin.source
        for one in observations
        if one.sign in FINISHES or exited(one)
        for event in one.events
    }
    latest = latest_steps(observations).items()
    ends |= {source for source, event in latest if is_last_step(event)}
    steps: dict[str, int] = {}
    for one in observations:
        for event in one.events if one.sign in STEPS | RESULTS else ():
            source, number = event.order_key
            if source in ends:
                steps[source] = max(number, steps.get(source, 0))
    return _until_the_last_start(observations, steps) | steps


def _until_the_last_start(
    observations: Sequence[Observation], steps: Mapping[str, int]
) -> dict[str, int]:
    """Return how far logs without steps tell of what came before the others went on: those that
    make steps had failed, too, and came to their last one since.
    """
    told = [one for each in observations for one in each.events]
    ends = [when for e in told if e.order_key in steps.items() and (when := _printed(e))]
    failed = [e for e in told if e.role in FAILURES and e.severity in GRAVE]
    failed = [e for e in failed if e.line.origin.source in steps]
    if not ends or not failed or not all(is_overcome(e, steps) for e in failed):
        return {}
    return {
        e.line.origin.source: e.line.number + 1
        for e in sorted(told, key=lambda one: one.order_key)
        if e.line.origin.source not in steps
        and (when := _printed(e))
        and when < min(ends) - LATE_FAILURE
    }


def _printed(event: Event) -> datetime | None:
    """Return what the clock of a line shows, in whatever zone: logs of a session share one."""
    at = event.line.local_at or event.line.at
    return at.replace(tzinfo=None) if at else None


def is_overcome(event: Event, went_on: Mapping[str, int]) -> bool:
    """Say whether steps followed: another attempt lived through what ended the one before."""
    return event.line.number < went_on.get(event.line.origin.source, 0)


def first_lines(observations: Iterable[Observation]) -> dict[str, int]:
    """Return per source where the first of these observations stands."""
    first: dict[str, int] = {}
    for one in observations:
        for event in one.events:
            source, number = event.order_key
            first[source] = min(number, first.get(source, number))
    return first


def is_behind(event: Event, closed: Mapping[str, int]) -> bool:
    """Say whether the program had said its closing word before."""
    source, number = event.order_key
    return source in closed and number > closed[source]


def has_obeyed(event: Event) -> bool:
    """Say whether a process left by the signal that tells it to end."""
    return event.fields.get("exitcode") in OBEYED


def stream_of(event: Event) -> Stream | None:
    """Return of which kind of log a line is."""
    return event.line.origin.stream or event.line.stream


def is_of_slowness(one: Observation) -> bool:
    """Say whether an observation tells of a slow member, not of a failed one."""
    return one.layer is Layer.STRAGGLER or one.sign in SLOWNESS


def tells_failure(one: Observation, *, is_running: bool) -> bool:
    """Say whether an observation tells of a failure even where no cause is known."""
    if one.role is Role.CASCADE:
        return any(stream_of(e) is not Stream.KERNEL for e in one.events)
    # While it runs, a grave word of its own is the first that is heard of its failure.
    is_grave = any(
        e.severity in GRAVE
        and stream_of(e) in {Stream.SESSION, None}
        and one.role is Role.INITIATING
        for e in one.events
    )
    return is_running and is_grave


def end_said(one: Observation) -> EndState | None:
    """Return the end that an observation names, None for none."""
    return ENDS.get(one.sign) or REASONS.get(one.fields.get("reason", ""))


def end_named(one: Observation) -> bool:
    """Say whether an observation tells that the attempt ended, in whatever way."""
    return end_said(one) is not None or exited(one) or one.sign in FINISHES | SIGNALS


def exited(one: Observation) -> bool:
    """Say whether a line tells that the program came to a good end."""
    if (
        one.fields.get("reason") in ENDED_WELL
        or one.fields.get("result") == "SUCCESS"
        or (one.sign in EXIT_CODES and one.fields.get("code") == "0")
    ):
        return True
    return one.sign in PLANNED and "sigterm" not in one.fields.get("why", "").lower()
