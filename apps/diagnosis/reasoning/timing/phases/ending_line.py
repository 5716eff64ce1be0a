"""The line that tells how the attempt ended."""

from collections.abc import Iterable, Sequence

from apps.diagnosis.model import EndState, Event, Observation
from apps.diagnosis.reasoning.timing.phases.signs import end_said, exited
from apps.diagnosis.reasoning.timing.phases.words import (
    ACCOUNTING,
    FINISHES,
    RESULTS,
    SIGNALS,
    STATES,
    STEPS,
)


def told_by(*, observations: Sequence[Observation], end_state: EndState) -> Event | None:
    """Return the line that tells of this end, None where none does."""
    said = [e for one in observations if end_said(one) is end_state for e in one.events]
    if end_state is EndState.FINISHED:
        said += [e for one in observations if _is_good_end(one) for e in one.events]
    if end_state is EndState.CANCELLED:
        said = said or _events(observations, SIGNALS)
    said = said or [
        event
        for event in _events(observations, ACCOUNTING)
        if STATES.get(event.fields.get("state", "")) is end_state
    ]
    if end_state is EndState.FINISHED:
        said = said or _events(observations, RESULTS) or _events(observations, STEPS)
        return max(said, key=lambda one: one.order_key, default=None)
    return min(said, key=lambda one: one.order_key, default=None)


def _is_good_end(one: Observation) -> bool:
    return one.sign in FINISHES or exited(one)


def _events(observations: Iterable[Observation], signs: frozenset[str]) -> list[Event]:
    return [event for one in observations if one.sign in signs for event in one.events]
