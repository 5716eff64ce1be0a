"""Hand-overs of these tests: proposed, answered, and brought to a state."""

from datetime import datetime, timedelta
from typing import Any

from apps.incidents.coordination.values import Coordination
from apps.incidents.entries import HandOverEntry, StepEntry
from apps.incidents.lifecycle.hand_over import answer, propose
from apps.incidents.models import Incident
from apps.incidents.projection.access import access_incident
from apps.incidents.projection.headers import read_header
from apps.incidents.states import HandOverState
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, actor

State = HandOverState
START = make.AT + timedelta(minutes=1)  # when the incident of the cast was detected
# What it takes to bring a proposal of the operator's to the vendor into each state.
WAYS: dict[State, tuple[State, ...]] = {
    State.PROPOSED: (),
    State.INFORMATION_NEEDED: (State.INFORMATION_NEEDED,),
    State.ACCEPTED: (State.ACCEPTED,),
    State.DECLINED: (State.DECLINED,),
    State.WITHDRAWN: (State.WITHDRAWN,),
    State.RETURNED: (State.ACCEPTED, State.RETURNED),
}
SENDERS = {State.PROPOSED, State.WITHDRAWN}
REASONED = {State.DECLINED, State.RETURNED}


def at(minutes: float) -> datetime:
    """Return a time after the incident was detected."""
    return START + timedelta(minutes=minutes)


def entry_for(state: State) -> StepEntry:
    """Return what is entered with a step into a state."""
    return StepEntry(reason="not-ours" if state in REASONED else "", text="because of this")


def hand(
    sender: Organization,
    recipient: Organization,
    incident: Incident,
    minutes: float = 1,
    **more: Any,
) -> str:
    """Propose to hand the incident over."""
    entry = HandOverEntry(to=recipient.slug, reason="your-layer", **more)
    with organization_scope(sender.pk):
        found = access_incident(actor=actor(sender), public_id=incident.public_id)
        return propose(actor=actor(sender), incident=found, entry=entry, now=at(minutes))


def step(
    who: Organization,
    incident: Incident,
    subject: str,
    state: State,
    minutes: float = 2,
    role: MemberRole = MemberRole.RESPONDER,
) -> None:
    """Let somebody bring a hand-over into a state."""
    with organization_scope(who.pk):
        asking = actor(who, role)
        found = access_incident(actor=asking, public_id=incident.public_id)
        answer(
            actor=asking, incident=found, subject=subject, state=state, entry=entry_for(state),
            now=at(minutes),
        )  # fmt: skip


def read(who: Organization, incident: Incident) -> Coordination:
    """Return how it stands for somebody."""
    with organization_scope(who.pk):
        found = access_incident(actor=actor(who), public_id=incident.public_id)
        return read_header(actor=actor(who), incident=found).coordination


def brought(cast: Cast, incident: Incident, state: State) -> str:
    """Bring a hand-over from the operator to the vendor into a state."""
    subject = hand(cast.operator, cast.vendor, incident)
    for number, each in enumerate(WAYS[state], 2):
        who = cast.operator if each in SENDERS else cast.vendor
        step(who, incident, subject, each, number)
    return subject
