"""Steps of people → hand-overs as they stand, and in whose hands an incident was when. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.incidents.models import IncidentStep
from apps.incidents.states import OPEN_STATES, HandOverState, ResolutionState, StepKind


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldingSpan:
    """From when to when an organization had it. No end: it still has it."""

    organization_id: int
    since: datetime
    until: datetime | None


def of_kind(steps: Sequence[IncidentStep], kind: StepKind) -> dict[str, list[IncidentStep]]:
    """Return subject → its steps in order, the subject that began first first."""
    found: dict[str, list[IncidentStep]] = {}
    for step in steps:
        if step.kind == kind:
            found.setdefault(step.subject, []).append(step)
    return found


def open_hand_over(steps: Sequence[IncidentStep]) -> IncidentStep | None:
    """Return the last step of the hand-over that waits for an answer."""
    last = [each[-1] for each in of_kind(steps, StepKind.HAND_OVER).values()]
    return next((step for step in last if step.state in OPEN_STATES), None)


def last_move(
    steps: Sequence[IncidentStep], *, present: Collection[int] | None = None
) -> IncidentStep | None:
    """Return the step by which the holder has it; None before any, and when that one has left."""
    moves = [step for step in steps if holder_after(step) is not None]
    if not moves or (present is not None and holder_after(moves[-1]) not in present):
        return None
    return moves[-1]


def holder_after(step: IncidentStep) -> int | None:
    """Return into whose hands a step puts it; None for one that moves nothing."""
    if step.kind != StepKind.HAND_OVER:
        return None
    if step.state == HandOverState.ACCEPTED:
        return step.recipient_id
    return step.sender_id if step.state == HandOverState.RETURNED else None


def stretches(
    steps: Sequence[IncidentStep],
    *,
    since: datetime,
    default_id: int,
    ended_at: datetime | None = None,
) -> list[HoldingSpan]:
    """Return in whose hands it was, from `since` on; while it was resolved in nobody's.

    Before the first hand-over whoever handed it over had it, else the default.
    """
    first = next((step for step in steps if holder_after(step) is not None), None)
    holder = first.sender_id if first is not None and first.sender_id else default_id
    found: list[HoldingSpan] = []
    start: datetime | None = since
    for step in steps:
        after = holder_after(step)
        is_closed = step.kind == StepKind.RESOLUTION and step.state == ResolutionState.RESOLVED
        is_opened = step.kind == StepKind.RESOLUTION and step.state == ResolutionState.REOPENED
        if (after is not None and after != holder) or is_closed:
            _close(found, holder, start, step.created_at)
            holder, start = after or holder, None if is_closed else step.created_at
        elif is_opened and start is None:
            start = step.created_at
    if start is not None:
        _close(found, holder, start, ended_at)
    return found


def _close(
    found: list[HoldingSpan], holder: int, start: datetime | None, until: datetime | None
) -> None:
    if start is None or (until is not None and until <= start):
        return
    former = found[-1] if found else None
    if former and former.organization_id == holder and former.until == start:
        found[-1] = HoldingSpan(organization_id=holder, since=former.since, until=until)
    else:
        found.append(HoldingSpan(organization_id=holder, since=start, until=until))
