"""Resolve takes a reason and a right; who lacks the right proposes, and the owner answers."""

from contextlib import AbstractContextManager, nullcontext
from datetime import datetime, timedelta
from typing import Any

import pytest

from apps.incidents.coordination.action_ids import action_id
from apps.incidents.coordination.values import Coordination
from apps.incidents.entries import StepEntry
from apps.incidents.lifecycle.actions import set_action
from apps.incidents.lifecycle.resolution import (
    answer_proposal,
    propose_resolution,
    reopen,
    resolve,
)
from apps.incidents.models import Annotation, Incident, TimelineEntry
from apps.incidents.projection.access import access_incident
from apps.incidents.projection.headers import read_header
from apps.incidents.refusals import (
    AlreadyHandled,
    BadStep,
    IncidentNotOpen,
    ResolutionProposed,
)
from apps.incidents.states import (
    ACTION_FOLLOWS,
    RESOLVE_REASONS,
    ActionState,
    IncidentStatus,
    ResolutionState,
)
from apps.tenancy.access import NotFound
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, actor

FIXED = StepEntry(reason="fixed")
State = ResolutionState
# What it takes to bring an action into each state.
WAYS = {
    ActionState.OPEN: (),
    ActionState.TAKEN: (ActionState.TAKEN,),
    ActionState.DONE: (ActionState.DONE,),
    ActionState.REFUSED: (ActionState.REFUSED,),
}


def at(minutes: float) -> datetime:
    """Return a time after the incident was detected."""
    return make.AT + timedelta(minutes=1 + minutes)


def read(who: Organization, incident: Incident) -> tuple[str, Coordination]:
    """Return the status and how it stands for somebody."""
    with organization_scope(who.pk):
        found = access_incident(actor=actor(who), public_id=incident.public_id)
        header = read_header(actor=actor(who), incident=found)
        return header.incident.status, header.coordination


def proposed(who: Organization, incident: Incident, minutes: float = 1) -> str:
    """Propose to resolve it."""
    with organization_scope(who.pk):
        return propose_resolution(actor=actor(who), incident=incident, entry=FIXED, now=at(minutes))


def answered(
    who: Organization, incident: Incident, subject: str, state: State, minutes: float = 2
) -> None:
    """Answer a proposal."""
    entry = StepEntry(text="not yet" if state == State.DECLINED else "")
    with organization_scope(who.pk):
        answer_proposal(
            actor=actor(who), incident=incident, subject=subject, state=state, entry=entry,
            now=at(minutes),
        )  # fmt: skip


@pytest.mark.parametrize("reason", RESOLVE_REASONS)
def test_why_it_is_resolved_is_read_by_all(reason: str, cast: Cast, incident: Incident) -> None:
    entry = StepEntry(reason=reason, text="a new cable")
    with organization_scope(cast.tenant.pk):
        resolve(actor=actor(cast.tenant), incident=incident, entry=entry, now=at(1))
    for reader in (cast.operator, cast.vendor):
        status, found = read(reader, incident)
        (resolution,) = found.resolutions
        assert (status, resolution.reason) == (IncidentStatus.RESOLVED, reason)
        with organization_scope(reader.pk):
            note = Annotation.objects.get(public_id=resolution.steps[0].note)
            assert note.text == "a new cable"
            assert TimelineEntry.objects.filter(incident=incident, kind="resolved").exists()


@pytest.mark.parametrize(
    ("field", "entry"),
    [
        ("reason", StepEntry()),
        ("reason", StepEntry(reason="fixd")),
        ("text", StepEntry(reason="other")),
        ("text", StepEntry(reason="fixed", text="x" * 10_001)),
    ],
)
def test_nothing_is_resolved_or_proposed_without_a_reason(
    field: str, entry: StepEntry, cast: Cast, incident: Incident
) -> None:
    for who, do in ((cast.tenant, resolve), (cast.operator, propose_resolution)):
        with organization_scope(who.pk), pytest.raises(BadStep) as refused:
            do(actor=actor(who), incident=incident, entry=entry, now=at(1))
        assert refused.value.field == field
    assert read(cast.vendor, incident)[0] == IncidentStatus.OPEN


@pytest.mark.parametrize("entry", [StepEntry(), FIXED])
def test_nothing_is_reopened_without_a_reason_for_that(
    entry: StepEntry, cast: Cast, incident: Incident
) -> None:
    with organization_scope(cast.tenant.pk):
        resolve(actor=actor(cast.tenant), incident=incident, entry=FIXED, now=at(1))
    with organization_scope(cast.vendor.pk), pytest.raises(BadStep, match="came-back"):
        reopen(actor=actor(cast.vendor), incident=incident, entry=entry, now=at(2))


def test_a_proposal_is_resolved_by_the_owner_with_its_reason(
    cast: Cast, incident: Incident
) -> None:
    subject = proposed(cast.operator, incident)
    assert [each.id for each in read(cast.tenant, incident)[1].open_resolutions] == [subject]
    answered(cast.tenant, incident, subject, State.RESOLVED)
    status, found = read(cast.operator, incident)
    assert (status, found.open_resolutions) == (IncidentStatus.RESOLVED, ())
    assert [each.reason for each in found.resolutions] == ["fixed"]
    with pytest.raises(AlreadyHandled):
        answered(cast.tenant, incident, subject, State.RESOLVED, 3)


def test_a_proposal_that_is_declined_leaves_it_open(cast: Cast, incident: Incident) -> None:
    subject = proposed(cast.operator, incident)
    with pytest.raises(ResolutionProposed):
        proposed(cast.operator, incident)
    answered(cast.tenant, incident, subject, State.DECLINED)
    assert read(cast.operator, incident)[0] == IncidentStatus.OPEN
    with pytest.raises(AlreadyHandled):
        answered(cast.operator, incident, subject, State.WITHDRAWN, 3)
    proposed(cast.operator, incident, 4)


@pytest.mark.parametrize(
    ("who", "state", "expected"),
    [
        ("operator", State.RESOLVED, pytest.raises(NotFound)),
        ("operator", State.DECLINED, pytest.raises(NotFound)),
        ("operator", State.WITHDRAWN, nullcontext()),
        ("vendor", State.RESOLVED, nullcontext()),
        ("vendor", State.DECLINED, nullcontext()),
        ("vendor", State.WITHDRAWN, pytest.raises(NotFound)),
        ("tenant", State.WITHDRAWN, pytest.raises(NotFound)),
        ("other_tenant", State.DECLINED, pytest.raises(NotFound)),
    ],
)
def test_who_may_resolve_answers_and_who_proposed_takes_back(
    who: str, state: State, expected: AbstractContextManager[Any], cast: Cast, incident: Incident
) -> None:
    subject = proposed(cast.operator, incident)
    with expected:
        answered(getattr(cast, who), incident, subject, state)


def test_the_owner_proposes_nothing_to_itself(cast: Cast, incident: Incident) -> None:
    with pytest.raises(BadStep, match="resolve it"):
        proposed(cast.tenant, incident)


def test_what_was_proposed_lapses_when_it_is_resolved_otherwise(
    cast: Cast, incident: Incident
) -> None:
    subject = proposed(cast.operator, incident)
    with organization_scope(cast.tenant.pk):
        resolve(actor=actor(cast.tenant), incident=incident, entry=FIXED, now=at(2))
    with pytest.raises(IncidentNotOpen):
        proposed(cast.operator, incident, 3)
    with organization_scope(cast.vendor.pk):
        again = StepEntry(reason="came-back")
        reopen(actor=actor(cast.vendor), incident=incident, entry=again, now=at(4))
    assert read(cast.tenant, incident)[1].open_resolutions == ()
    with pytest.raises(AlreadyHandled):
        answered(cast.tenant, incident, subject, State.RESOLVED, 5)
    spans = read(cast.tenant, incident)[1].hands
    assert [(each.since, each.until) for each in spans] == [(at(0), at(2)), (at(4), None)]


def acted(
    who: Organization,
    incident: Incident,
    state: ActionState,
    minutes: float,
    role: MemberRole = MemberRole.RESPONDER,
) -> None:
    """Say how far the incident's only action is."""
    entry = StepEntry(reason="not-possible" if state == ActionState.REFUSED else "")
    with organization_scope(who.pk):
        asking = actor(who, role)
        found = access_incident(actor=asking, public_id=incident.public_id)
        set_action(
            actor=asking, incident=found, subject=action_id(found.actions[0]), state=state,
            entry=entry, now=at(minutes),
        )  # fmt: skip


@pytest.mark.parametrize("target", list(ActionState))
@pytest.mark.parametrize("former", list(ActionState))
def test_an_action_is_taken_done_and_refused_in_order(
    former: ActionState, target: ActionState, cast: Cast, incident: Incident
) -> None:
    for number, each in enumerate(WAYS[former], 1):
        acted(cast.operator, incident, each, number)
    is_next = former in ACTION_FOLLOWS[target]
    with nullcontext() if is_next else pytest.raises(AlreadyHandled):
        acted(cast.operator, incident, target, 5)
    found = read(cast.tenant, incident)[1].actions
    stood = target if is_next else former
    assert [each.state for each in found.values()] == [stood] * bool(is_next or WAYS[former])


def test_only_who_is_asked_acts_and_others_read_which_party_it_was(
    cast: Cast, incident: Incident
) -> None:
    for who in (cast.tenant, cast.vendor):
        with pytest.raises(NotFound):
            acted(who, incident, ActionState.TAKEN, 1)
    with pytest.raises(NotFound):
        acted(cast.operator, incident, ActionState.TAKEN, 1, MemberRole.VIEWER)
    acted(cast.operator, incident, ActionState.TAKEN, 2)
    (own,) = read(cast.operator, incident)[1].actions.values()
    (told,) = read(cast.vendor, incident)[1].actions.values()
    assert own.author_name
    assert told.author_name == ""
    assert told.organization == own.organization
    with organization_scope(cast.vendor.pk):
        (entry,) = TimelineEntry.objects.filter(incident=incident, kind="action")
    assert entry.title == f"{cast.operator.name} took an action on: Reboot the node"


def test_of_a_resolved_incident_no_action_is_taken(cast: Cast, incident: Incident) -> None:
    with organization_scope(cast.tenant.pk):
        resolve(actor=actor(cast.tenant), incident=incident, entry=FIXED, now=at(1))
    with pytest.raises(IncidentNotOpen):
        acted(cast.operator, incident, ActionState.TAKEN, 2)
