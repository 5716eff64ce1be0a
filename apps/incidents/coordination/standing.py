"""Steps and opinions of an incident → how it stands among its parties, as one of them reads it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings

from apps.incidents.coordination.hand_overs import holder_after, last_move, of_kind, stretches
from apps.incidents.coordination.values import (
    ActionProgress,
    Coordination,
    HandOverView,
    HandSpan,
    PartyStance,
    ResolutionView,
    StepView,
    VerdictStanding,
)
from apps.incidents.models import Feedback, Incident, IncidentStep
from apps.incidents.states import (
    ActionState,
    HandOverState,
    IncidentStatus,
    Judgement,
    ResolutionState,
    StepKind,
)
from apps.tenancy.values import OrganizationName

NAMED = frozenset({"likely", "possible"})  # verdicts that name a layer


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRows:
    """What one organization reads of the work on an incident."""

    incident: Incident  # as it faces the reader
    reader_id: int
    named: Mapping[int, OrganizationName]
    steps: Sequence[IncidentStep]
    opinions: Sequence[Feedback]
    default_holder_id: int
    blamed: Collection[int]  # those of the known parties that answer for the layer
    is_left_to_operator: bool  # nobody took the layer
    present: Collection[int] | None  # who takes part now; None: nobody asked


def coordination_of(rows: ReadRows) -> Coordination:
    """Return how the incident stands for its reader."""
    incident, steps = rows.incident, rows.steps
    move = last_move(steps, present=rows.present)
    holder_id = (holder_after(move) if move else None) or rows.default_holder_id
    is_open = incident.status == IncidentStatus.OPEN
    spans = stretches(
        steps,
        since=incident.detected_at,
        default_id=rows.default_holder_id,
        ended_at=None if is_open else incident.resolved_at,
    )
    held = [each for each in spans if each.organization_id == holder_id]
    is_accepted = move is not None and move.state == HandOverState.ACCEPTED
    return Coordination(
        holder=rows.named.get(holder_id),
        held_since=held[-1].since if held else incident.detected_at,
        due_at=_due_at(steps, move) if move is not None and is_accepted else None,
        moved_by=move.subject if move is not None else "",
        hands=tuple(
            HandSpan(
                organization=rows.named[each.organization_id], since=each.since, until=each.until
            )
            for each in spans
            if each.organization_id in rows.named
        ),
        hand_overs=tuple(
            _hand_over(subject, found, rows)
            for subject, found in of_kind(steps, StepKind.HAND_OVER).items()
        ),
        resolutions=tuple(
            _resolution(subject, found, rows)
            for subject, found in of_kind(steps, StepKind.RESOLUTION).items()
        ),
        actions={
            subject: _progress(found[-1], rows)
            for subject, found in of_kind(steps, StepKind.ACTION).items()
        },
        verdict=verdict_of(rows),
        step_count=len(steps),
    )


def _due_at(steps: Sequence[IncidentStep], move: IncidentStep) -> datetime | None:
    found = of_kind(steps, StepKind.HAND_OVER)[move.subject]
    return found[0].due_at


def _step(step: IncidentStep, rows: ReadRows) -> StepView:
    return StepView(
        organization=rows.named[step.organization_id],
        author_name=step.author_name,
        state=step.state,
        reason=step.reason,
        note=step.note,
        at=step.created_at,
    )


def _hand_over(subject: str, found: Sequence[IncidentStep], rows: ReadRows) -> HandOverView:
    first = found[0]
    sender_id, recipient_id = first.sender_id or 0, first.recipient_id or 0
    tickets: dict[int, str] = {}
    for step in of_kind(rows.steps, StepKind.TICKET).get(subject, ()):
        tickets[step.organization_id] = step.ticket
    return HandOverView(
        id=subject,
        state=HandOverState(found[-1].state),
        sender=rows.named[sender_id],
        recipient=rows.named[recipient_id],
        due_at=first.due_at,
        sender_ticket=tickets.get(sender_id, ""),
        recipient_ticket=tickets.get(recipient_id, ""),
        steps=tuple(_step(step, rows) for step in found),
    )


def _resolution(subject: str, found: Sequence[IncidentStep], rows: ReadRows) -> ResolutionView:
    first, last = found[0], found[-1]
    # Whatever resolved or reopened the incident since has settled what was proposed before.
    is_settled = any(
        step.kind == StepKind.RESOLUTION
        and step.number > last.number
        and step.state in {ResolutionState.RESOLVED, ResolutionState.REOPENED}
        for step in rows.steps
    )
    return ResolutionView(
        id=subject,
        state=last.state,
        reason=first.reason,
        proposer=rows.named[first.organization_id],
        is_open=last.state == ResolutionState.PROPOSED and not is_settled,
        steps=tuple(_step(step, rows) for step in found),
    )


def _progress(last: IncidentStep, rows: ReadRows) -> ActionProgress:
    is_own = last.organization_id == rows.reader_id
    return ActionProgress(
        state=ActionState(last.state),
        reason=last.reason,
        organization=rows.named[last.organization_id],
        author_name=last.author_name if is_own else "",  # others read which party it was
        note=last.note,
        at=last.created_at,
    )


def verdict_of(rows: ReadRows) -> VerdictStanding:
    """Return where the verdict stands for its reader."""
    incident = rows.incident
    said = (incident.layer, incident.cause)
    return VerdictStanding(
        is_named=incident.verdict_status in NAMED,
        blamed=tuple(rows.named[each] for each in sorted(rows.blamed)),
        is_left_to_operator=rows.is_left_to_operator,
        reply_until=_reply_until(incident),
        stances=tuple(
            PartyStance(
                organization=rows.named[each.organization_id],
                is_right=each.judgement == Judgement.RIGHT,
                layer=each.actual_layer,
                cause=each.actual_cause,
                is_blamed=each.organization_id in rows.blamed,
                is_of_earlier=(each.layer, each.cause) != said,
                at=each.created_at,
            )
            for each in rows.opinions
        ),
    )


def _reply_until(incident: Incident) -> datetime | None:
    if incident.settled_at is None:
        return None
    since = max(incident.settled_at, incident.verdict_at or incident.settled_at)
    return since + timedelta(days=settings.PORTAL_REPLY_DAYS)
