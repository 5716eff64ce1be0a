"""What parties do to work on an incident together. All of it needs the actor's scope."""

from datetime import datetime

from django.http import HttpRequest

from apps.incidents.entries import HandOverEntry, StepEntry
from apps.incidents.facade.acts import note_act
from apps.incidents.facade.incident_row import row_of
from apps.incidents.lifecycle import actions, hand_over, resolution
from apps.incidents.projection.header_values import IncidentFacts
from apps.incidents.states import ActionState, HandOverState, ResolutionState
from apps.tenancy.access import Actor


def propose_hand_over(
    *, actor: Actor, incident: IncidentFacts, entry: HandOverEntry, now: datetime
) -> str:
    """Propose to hand it over to another party; return the hand-over's id.

    Raises NotFound for who does not have it, HandOverOpen, IncidentNotOpen and BadStep.
    """
    return hand_over.propose(actor=actor, incident=row_of(incident), entry=entry, now=now)


def answer_hand_over(
    *,
    actor: Actor,
    incident: IncidentFacts,
    subject: str,
    state: HandOverState,
    entry: StepEntry,
    now: datetime,
) -> None:
    """Bring a hand-over into its next state; raise AlreadyHandled where it had its answer."""
    hand_over.answer(
        actor=actor, incident=row_of(incident), subject=subject, state=state, entry=entry, now=now
    )


def set_ticket(
    *, actor: Actor, incident: IncidentFacts, subject: str, ticket: str, now: datetime
) -> None:
    """Keep the own ticket number of a hand-over; empty: none."""
    hand_over.set_ticket(
        actor=actor, incident=row_of(incident), subject=subject, ticket=ticket, now=now
    )


def note_hand_over(
    *,
    actor: Actor,
    incident: IncidentFacts,
    subject: str,
    action: str,
    request: HttpRequest,
    now: datetime,
) -> None:
    """Append an act on a hand-over to the records of both sides and of the incident's owner."""
    sides = hand_over.sides_of(actor=actor, incident=row_of(incident), subject=subject)
    note_act(
        actor=actor, incident=incident, action=action, detail=subject, others=sides,
        request=request, now=now,
    )  # fmt: skip


def propose_resolution(
    *, actor: Actor, incident: IncidentFacts, entry: StepEntry, now: datetime
) -> str:
    """Propose to resolve it to its owner; return the proposal's id."""
    return resolution.propose_resolution(
        actor=actor, incident=row_of(incident), entry=entry, now=now
    )


def answer_resolution(
    *,
    actor: Actor,
    incident: IncidentFacts,
    subject: str,
    state: ResolutionState,
    entry: StepEntry,
    now: datetime,
) -> None:
    """Resolve as proposed, decline that, or take one's own proposal back."""
    resolution.answer_proposal(
        actor=actor, incident=row_of(incident), subject=subject, state=state, entry=entry, now=now
    )


def set_action(
    *,
    actor: Actor,
    incident: IncidentFacts,
    subject: str,
    state: ActionState,
    entry: StepEntry,
    now: datetime,
) -> None:
    """Say how far an action is that the actor's organization is asked for."""
    actions.set_action(
        actor=actor, incident=row_of(incident), subject=subject, state=state, entry=entry, now=now
    )
