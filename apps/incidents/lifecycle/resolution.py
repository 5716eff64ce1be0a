"""Resolve an incident, propose that, and open it again: each with a reason."""

from dataclasses import dataclass
from datetime import datetime

from apps.fleet.models import ParticipationRole
from apps.fleet.parties.participants import answered_layers
from apps.incidents.coordination.hand_overs import of_kind
from apps.incidents.entries import Audience, StepEntry
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
from apps.incidents.projection.access import (
    IncidentPart,
    part_of,
    present_parties,
    require_part,
)
from apps.incidents.projection.rights import answers_for
from apps.incidents.refusals import (
    AlreadyHandled,
    BadStep,
    IncidentNotOpen,
    ResolutionProposed,
)
from apps.incidents.states import (
    REOPEN_REASONS,
    RESOLVE_REASONS,
    IncidentStatus,
    ResolutionState,
    StepKind,
)
from apps.incidents.threads import live
from apps.incidents.words.steps import resolution_fact
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope

ENDED = {ResolutionState.RESOLVED, ResolutionState.REOPENED}


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedActs:
    """What an actor may do with an incident beside reading it."""

    may_act: bool
    may_resolve: bool


def resolve(*, actor: Actor, incident: Incident, entry: StepEntry, now: datetime) -> None:
    """Close the incident. Only its owner may, or who answers for the layer that is blamed."""
    require_part(actor=actor, incident=incident)
    _require_right(actor, incident)
    check_entry(entry, reasons=RESOLVE_REASONS)
    with locked(actor=actor, incident=incident) as held:
        _close(actor, incident, held, new_subject("RES"), entry, now)


def reopen(*, actor: Actor, incident: Incident, entry: StepEntry, now: datetime) -> None:
    """Open a resolved incident again. Any party may."""
    require_part(actor=actor, incident=incident)
    check_entry(entry, reasons=REOPEN_REASONS)
    with locked(actor=actor, incident=incident) as held:
        _move(held, IncidentStatus.RESOLVED, IncidentStatus.OPEN, actor=actor, at=None)
        _write(
            actor, incident, held, new_subject("RES"), ResolutionState.REOPENED, entry,
            kind="reopened", now=now,
        )  # fmt: skip


def propose_resolution(*, actor: Actor, incident: Incident, entry: StepEntry, now: datetime) -> str:
    """Propose to resolve the incident; return the proposal's id. Its owner resolves it itself."""
    require_part(actor=actor, incident=incident)
    if incident.organization_id == actor.organization.pk:
        raise BadStep("reason", "the incident is your organization's: resolve it")
    check_entry(entry, reasons=RESOLVE_REASONS)
    with locked(actor=actor, incident=incident) as held:
        if held.row.status != IncidentStatus.OPEN:
            raise IncidentNotOpen
        if any(_is_open(each, held) for each in _own(actor, held)):
            raise ResolutionProposed
        subject = new_subject("RES")
        _write(
            actor, incident, held, subject, ResolutionState.PROPOSED, entry, kind="resolution",
            now=now,
        )  # fmt: skip
    return subject


def answer_proposal(
    *,
    actor: Actor,
    incident: Incident,
    subject: str,
    state: ResolutionState,
    entry: StepEntry,
    now: datetime,
) -> None:
    """Resolve as proposed, decline it, or take one's own proposal back.

    Raises NotFound for who may not, AlreadyHandled where it has had its answer.
    """
    require_part(actor=actor, incident=incident)
    if entry.reason:
        raise BadStep("reason", "the proposal says it")
    check_text(entry, is_needed=state == ResolutionState.DECLINED)
    with locked(actor=actor, incident=incident) as held:
        found = of_kind(held.steps, StepKind.RESOLUTION).get(subject)
        if not found or not _reads(actor, found[0]):
            raise NotFound(owner_id=incident.organization_id)
        if state == ResolutionState.WITHDRAWN:
            if found[0].organization_id != actor.organization.pk:
                raise NotFound(owner_id=incident.organization_id)
        else:
            _require_right(actor, incident)
        if not _is_open(found, held):
            raise AlreadyHandled
        if state == ResolutionState.RESOLVED:
            because = StepEntry(reason=found[0].reason, text=entry.text)
            _close(actor, incident, held, subject, because, now)
            return
        _write(actor, incident, held, subject, state, entry, kind="resolution", now=now)


def allowed_acts(*, actor: Actor, incident: Incident) -> AllowedActs:
    """Return what the actor may do with this incident. Needs its scope."""
    own = actor.organization
    if Right.ACT not in actor.rights:
        return AllowedActs(may_act=False, may_resolve=False)
    part = part_of(organization=own, incident=incident)
    return AllowedActs(
        may_act=part.is_present,
        may_resolve=part.is_present and _closes(own, incident, part),
    )


def _require_right(actor: Actor, incident: Incident) -> None:
    own = actor.organization
    if not _closes(own, incident, part_of(organization=own, incident=incident)):
        raise NotFound(owner_id=incident.organization_id)


def _closes(own: Organization, incident: Incident, part: IncidentPart) -> bool:
    if incident.organization_id == own.pk:
        return True
    # Who stays in the cluster without that part closes nothing any more.
    parts = part.party.parts if part.party else ()
    rows = [row for row in part.roles if row.part in parts]
    held = {row.part for row in rows}
    layers = {layer for row in rows if row.part != ParticipationRole.TENANT for layer in row.layers}
    return bool(held) and (
        incident.layer in answered_layers(parts=held, layers=layers)
        or (ParticipationRole.OPERATOR in held and _is_left_to(own, incident))
    )


def _is_left_to(organization: Organization, incident: Incident) -> bool:
    """Say whether an operator answers for the blamed layer, as no party took it."""
    own = [each for each in incident.parties if each["organization"] == organization.pk]
    return any(answers_for(each, incident=incident) for each in own)


def _close(
    actor: Actor,
    incident: Incident,
    held: LockedIncident,
    subject: str,
    entry: StepEntry,
    now: datetime,
) -> None:
    _move(held, IncidentStatus.OPEN, IncidentStatus.RESOLVED, actor=actor, at=now)
    _write(
        actor, incident, held, subject, ResolutionState.RESOLVED, entry, kind="resolved", now=now
    )


def _write(  # noqa: PLR0913  a step in all its circumstances
    actor: Actor,
    incident: Incident,
    held: LockedIncident,
    subject: str,
    state: ResolutionState,
    entry: StepEntry,
    *,
    kind: str,
    now: datetime,
) -> None:
    note = write_words(
        actor=actor, incident=incident, entry=entry, audience=Audience(all_parties=True), now=now
    )
    write_step(
        actor=actor, held=held, kind=StepKind.RESOLUTION, subject=subject, state=state,
        entry=entry, note=note, now=now,
        audience=present_parties(incident=incident, organization_id=actor.organization.pk),
    )  # fmt: skip
    told = resolution_fact(state=state, who=actor_fact(actor), reason=entry.reason)
    tell(actor=actor, incident=incident, kind=kind, told=told, now=now)


def _own(actor: Actor, held: LockedIncident) -> list[list[IncidentStep]]:
    found = of_kind(held.steps, StepKind.RESOLUTION).values()
    return [each for each in found if each[0].organization_id == actor.organization.pk]


def _is_open(found: list[IncidentStep], held: LockedIncident) -> bool:
    """Say whether a proposal waits for its answer: nothing resolved or reopened it since."""
    last = found[-1]
    since = [step for step in held.steps if step.number > last.number and step.state in ENDED]
    return last.state == ResolutionState.PROPOSED and not any(
        step.kind == StepKind.RESOLUTION for step in since
    )


def _reads(actor: Actor, step: IncidentStep) -> bool:
    return actor.organization.pk in {step.organization_id, *step.audience}


def _move(
    held: LockedIncident,
    former: IncidentStatus,
    status: IncidentStatus,
    *,
    actor: Actor,
    at: datetime | None,
) -> None:
    # The header is its owner's row: writing it takes a scope that holds the owner, too.
    with organization_scope(held.row.organization_id, actor.organization.pk):
        moved = Incident.objects.filter(pk=held.row.pk, status=former).update(
            status=status, resolved_at=at, touched_by_people=True
        )
    if not moved:
        raise AlreadyHandled
    # Every party reads whether it is open, also one that may not know who moved it.
    live.announce(incident=held.row, readers=[each["organization"] for each in held.row.parties])
