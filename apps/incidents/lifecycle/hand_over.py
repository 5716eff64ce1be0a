"""Hand an incident over to another party, and answer that."""

from datetime import datetime

from apps.diagnosis.model import Statement, statement
from apps.diagnosis.spelling import meant
from apps.incidents.coordination.hand_overs import (
    holder_after,
    last_move,
    of_kind,
    open_hand_over,
)
from apps.incidents.entries import Audience, HandOverEntry, StepEntry
from apps.incidents.lifecycle.steps import (
    LockedIncident,
    check_entry,
    check_text,
    locked,
    new_subject,
    write_step,
    write_words,
)
from apps.incidents.lifecycle.telling import actor_fact, tell
from apps.incidents.models import Incident, IncidentStep
from apps.incidents.models.steps import TICKET_LIMIT
from apps.incidents.projection.access import require_part
from apps.incidents.projection.annotations import party_ids
from apps.incidents.projection.incident_work import default_holder
from apps.incidents.refusals import AlreadyHandled, BadStep, HandOverOpen, IncidentNotOpen
from apps.incidents.states import (
    BY_RECIPIENT,
    FOLLOWS,
    HAND_OVER_REASONS,
    REFUSAL_REASONS,
    HandOverState,
    IncidentStatus,
    StepKind,
)
from apps.incidents.words.steps import hand_over_fact
from apps.tenancy.access import Actor, NotFound
from apps.tenancy.lookups import parties_of
from apps.tenancy.models import Organization

ASKING = {HandOverState.INFORMATION_NEEDED, HandOverState.PROPOSED}  # with words alone
REFUSING = {HandOverState.DECLINED, HandOverState.RETURNED}


def propose(*, actor: Actor, incident: Incident, entry: HandOverEntry, now: datetime) -> str:
    """Propose to hand the incident over; return the id of the hand-over.

    Only who has it can. Raises NotFound, HandOverOpen, IncidentNotOpen and BadStep.
    """
    require_part(actor=actor, incident=incident)
    recipient_id = _recipient(actor=actor, incident=incident, entry=entry, now=now)
    sender_id = actor.organization.pk
    with locked(actor=actor, incident=incident) as held:
        _require_open(held)
        if holder_of(held) != sender_id:
            raise NotFound(owner_id=incident.organization_id)
        if open_hand_over(held.steps) is not None:
            raise HandOverOpen
        subject = new_subject("HND")
        write_step(
            actor=actor, held=held, kind=StepKind.HAND_OVER, subject=subject,
            state=HandOverState.PROPOSED, entry=entry,
            audience=held.audience(sender_id, recipient_id), note=_words(actor, incident, entry,
            entry.to, now), sides=(sender_id, recipient_id), due_at=entry.due_at, now=now,
        )  # fmt: skip
        if entry.ticket.strip():
            _write_ticket(actor, held, subject, (sender_id, recipient_id), entry.ticket, now)
        told = hand_over_fact(
            state=HandOverState.PROPOSED,
            who=actor_fact(actor),
            to=_named(recipient_id),
            reason=entry.reason,
            is_first=True,
        )
        audience = held.audience(sender_id, recipient_id)
        tell(actor=actor, incident=incident, kind="hand-over", told=told, audience=audience,
             now=now)  # fmt: skip
    return subject


def answer(
    *,
    actor: Actor,
    incident: Incident,
    subject: str,
    state: HandOverState,
    entry: StepEntry,
    now: datetime,
) -> None:
    """Bring a hand-over into its next state.

    Raises NotFound for who is not the side whose answer it is, AlreadyHandled where it has had its
    answer, IncidentNotOpen, HandOverOpen and BadStep.
    """
    require_part(actor=actor, incident=incident)
    _check(entry, state)
    with locked(actor=actor, incident=incident) as held:
        first, last = _found(held, subject, actor)
        side = first.recipient_id if state in BY_RECIPIENT else first.sender_id
        if side != actor.organization.pk:
            raise NotFound(owner_id=incident.organization_id)
        _require_open(held)
        if last.state not in FOLLOWS[state]:
            raise AlreadyHandled
        if state == HandOverState.RETURNED:
            _require_held(held, subject)
        sides = (first.sender_id or 0, first.recipient_id or 0)
        other = sides[0] if side == sides[1] else sides[1]
        is_present = other in _present(held)
        note = _words(actor, incident, entry, _slug(other) if is_present else "", now)
        audience = held.audience(*sides)
        write_step(
            actor=actor, held=held, kind=StepKind.HAND_OVER, subject=subject, state=state,
            entry=entry, audience=audience, note=note, sides=sides, now=now,
        )  # fmt: skip
        told = hand_over_fact(
            state=state, who=actor_fact(actor), to=_named(other), reason=entry.reason
        )
        tell(actor=actor, incident=incident, kind="hand-over", told=told, audience=audience,
             now=now)  # fmt: skip


def set_ticket(
    *, actor: Actor, incident: Incident, subject: str, ticket: str, now: datetime
) -> None:
    """Keep the own ticket number of a hand-over; the other side alone reads it. Empty: none."""
    require_part(actor=actor, incident=incident)
    with locked(actor=actor, incident=incident) as held:
        first, _ = _found(held, subject, actor)
        sides = (first.sender_id or 0, first.recipient_id or 0)
        _write_ticket(actor, held, subject, sides, ticket, now)


def sides_of(*, actor: Actor, incident: Incident, subject: str) -> tuple[int, ...]:
    """Return both sides of a hand-over that the actor may read. Raises NotFound."""
    rows = IncidentStep.objects.filter(incident=incident, kind=StepKind.HAND_OVER, subject=subject)
    first = rows.order_by("number").first()
    if first is None:
        raise NotFound
    return (first.sender_id or 0, first.recipient_id or 0)


def holder_of(held: LockedIncident) -> int:
    """Return who has the incident, by all steps there are; who left the cluster has nothing."""
    move = last_move(held.steps, present=_present(held))
    after = holder_after(move) if move is not None else None
    return after or default_holder(incident=held.row, parties=held.row.parties)


def _present(held: LockedIncident) -> frozenset[int]:
    cluster_id = held.row.cluster_id
    if cluster_id is None:
        return frozenset({held.row.organization_id})
    return frozenset(parties_of(cluster_id=cluster_id))


def _recipient(*, actor: Actor, incident: Incident, entry: HandOverEntry, now: datetime) -> int:
    check_entry(entry, reasons=HAND_OVER_REASONS)
    _checked_ticket(entry.ticket)
    if entry.due_at is not None and entry.due_at <= now:
        raise BadStep("due_at", "a time that is still to come")
    known = party_ids(actor=actor, incident=incident)
    known.pop(actor.organization.slug, None)
    if entry.to not in known:
        hint = meant(word=entry.to, known=known)
        raise BadStep("to", f"another party of this incident that takes part now{hint}")
    return known[entry.to]


def _check(entry: StepEntry, state: HandOverState) -> None:
    if state in REFUSING:
        check_entry(entry, reasons=REFUSAL_REASONS)
        return
    if entry.reason:
        raise BadStep("reason", "only who declines or gives back says why")
    check_text(entry, is_needed=state in ASKING)


def _found(held: LockedIncident, subject: str, actor: Actor) -> tuple[IncidentStep, IncidentStep]:
    steps = of_kind(held.steps, StepKind.HAND_OVER).get(subject)
    if not steps or actor.organization.pk not in {steps[0].sender_id, steps[0].recipient_id}:
        raise NotFound(owner_id=held.row.organization_id)
    return steps[0], steps[-1]


def _require_open(held: LockedIncident) -> None:
    if held.row.status != IncidentStatus.OPEN:
        raise IncidentNotOpen


def _require_held(held: LockedIncident, subject: str) -> None:
    """Raise unless the incident is in somebody's hands by this hand-over, and stays there."""
    move = last_move(held.steps)
    if move is None or move.subject != subject:
        raise AlreadyHandled
    if open_hand_over(held.steps) is not None:
        raise HandOverOpen


def _write_ticket(
    actor: Actor,
    held: LockedIncident,
    subject: str,
    sides: tuple[int, int],
    ticket: str,
    now: datetime,
) -> None:
    write_step(
        actor=actor, held=held, kind=StepKind.TICKET, subject=subject, state="", entry=StepEntry(),
        audience=sides, sides=sides, ticket=_checked_ticket(ticket), now=now,
    )  # fmt: skip


def _checked_ticket(ticket: str) -> str:
    ticket = ticket.strip()
    if len(ticket) > TICKET_LIMIT or (ticket and not ticket.isprintable()):
        raise BadStep("ticket", f"one line of at most {TICKET_LIMIT} characters")
    return ticket


def _words(actor: Actor, incident: Incident, entry: StepEntry, reader: str, now: datetime) -> str:
    audience = Audience(organizations=(reader,) if reader else ())
    return write_words(actor=actor, incident=incident, entry=entry, audience=audience, now=now)


def _named(organization_id: int) -> Statement:
    return statement("organization", name=Organization.objects.get(pk=organization_id).name)


def _slug(organization_id: int) -> str:
    return Organization.objects.get(pk=organization_id).slug
