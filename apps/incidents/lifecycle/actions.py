"""Take an action of an incident, say that it is done, or refuse it."""

from datetime import datetime

from apps.diagnosis.model import statement_of
from apps.incidents.coordination.action_ids import action_id
from apps.incidents.coordination.hand_overs import of_kind
from apps.incidents.entries import Audience, StepEntry
from apps.incidents.lifecycle.steps import (
    check_entry,
    check_text,
    locked,
    write_step,
    write_words,
)
from apps.incidents.lifecycle.telling import tell, who_acts
from apps.incidents.models import Incident
from apps.incidents.projection.access import present_parties, require_part
from apps.incidents.projection.headers import read_header
from apps.incidents.refusals import AlreadyHandled, BadStep, IncidentNotOpen
from apps.incidents.states import (
    ACTION_FOLLOWS,
    ACTION_REASONS,
    ActionState,
    IncidentKind,
    IncidentStatus,
    StepKind,
)
from apps.incidents.words.steps import action_fact, some_action_fact
from apps.tenancy.access import Actor, NotFound


def set_action(
    *,
    actor: Actor,
    incident: Incident,
    subject: str,
    state: ActionState,
    entry: StepEntry,
    now: datetime,
) -> None:
    """Say how far an action is. Only a party that is asked for it may.

    Raises NotFound, AlreadyHandled where it has gone on meanwhile, IncidentNotOpen and BadStep.
    """
    require_part(actor=actor, incident=incident)
    if state == ActionState.REFUSED:
        check_entry(entry, reasons=ACTION_REASONS)
    elif entry.reason:
        raise BadStep("reason", "only who refuses an action says why")
    check_text(entry, is_needed=False)
    with locked(actor=actor, incident=incident) as held:
        header = read_header(actor=actor, incident=held.row)
        asked = {action_id(each): each for each in header.actions}.get(subject)
        if asked is None or all(not party.is_reader for party in header.asked(asked["owner"])):
            raise NotFound(owner_id=incident.organization_id)
        if held.row.status != IncidentStatus.OPEN:
            raise IncidentNotOpen
        found = of_kind(held.steps, StepKind.ACTION).get(subject)
        former = ActionState(found[-1].state) if found else ActionState.OPEN
        if former not in ACTION_FOLLOWS[state]:
            raise AlreadyHandled
        everybody = Audience(all_parties=True)
        note = write_words(actor=actor, incident=incident, entry=entry, audience=everybody, now=now)
        write_step(
            actor=actor, held=held, kind=StepKind.ACTION, subject=subject, state=state,
            entry=entry, note=note, now=now,
            audience=present_parties(incident=incident, organization_id=actor.organization.pk),
        )  # fmt: skip
        # Of what several tenants share each reads the actions of its own session.
        is_alike = held.row.kind != IncidentKind.SHARED
        who, what = (
            who_acts(organization=actor.organization.name, person=""),
            statement_of(asked["statement"]),
        )
        told = (
            action_fact(state=state, who=who, what=what, reason=entry.reason)
            if is_alike
            else some_action_fact(state=state, who=who, reason=entry.reason)
        )
        tell(actor=actor, incident=incident, kind="action", told=told, now=now)
