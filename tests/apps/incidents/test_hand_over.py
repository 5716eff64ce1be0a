"""Hand-over: one holder at a time, each state by the side whose answer it is, nobody else."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest

from apps.fleet.models import ParticipationRole
from apps.incidents.correlation.incident_rows.incident_writer import merge
from apps.incidents.entries import HandOverEntry, StepEntry
from apps.incidents.lifecycle.hand_over import propose, set_ticket
from apps.incidents.lifecycle.resolution import resolve
from apps.incidents.models import Incident, IncidentStep, TimelineEntry
from apps.incidents.refusals import AlreadyHandled, BadStep, HandOverOpen, IncidentNotOpen
from apps.incidents.states import FOLLOWS
from apps.tenancy.access import NotFound
from apps.tenancy.models import MemberRole
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.handing_over import SENDERS, START, State, at, brought, hand, read, step
from tests.apps.incidents.leaving import leave
from tests.cast.incidents import Cast, actor, attempt_of, stop_of


def may(*, is_side: bool, is_next: bool) -> AbstractContextManager[Any]:
    """Return what is expected of a step by somebody."""
    if not is_side:
        return pytest.raises(NotFound)
    return nullcontext() if is_next else pytest.raises(AlreadyHandled)


@pytest.mark.parametrize("target", list(State))
@pytest.mark.parametrize("former", list(State))
@pytest.mark.parametrize("who", ["operator", "vendor", "tenant"])
def test_each_state_follows_by_the_side_whose_answer_it_is(
    who: str, former: State, target: State, cast: Cast, incident: Incident
) -> None:
    subject = brought(cast, incident, former)
    side = "operator" if target in SENDERS else "vendor"
    with may(is_side=who == side, is_next=former in FOLLOWS[target]):
        step(getattr(cast, who), incident, subject, target, 9)
    is_done = who == side and former in FOLLOWS[target]
    (found,) = read(cast.tenant, incident).hand_overs
    assert found.state == (target if is_done else former)


def test_before_any_hand_over_it_is_with_whom_the_first_action_asks(
    cast: Cast, incident: Incident
) -> None:
    for reader in (cast.operator, cast.tenant, cast.vendor):
        found = read(reader, incident)
        assert found.holder is not None
        assert (found.holder.id, found.held_since) == (cast.operator.pk, START)
        assert not found.is_handed_over


def test_it_moves_when_it_is_accepted_and_back_when_it_is_returned(
    cast: Cast, incident: Incident
) -> None:
    due = at(60)
    subject = hand(cast.operator, cast.vendor, incident, due_at=due)
    assert read(cast.tenant, incident).holder == read(cast.operator, incident).holder
    step(cast.vendor, incident, subject, State.ACCEPTED, 10)
    taken = read(cast.tenant, incident)
    assert taken.holder is not None
    assert (taken.holder.id, taken.held_since, taken.due_at) == (cast.vendor.pk, at(10), due)
    step(cast.vendor, incident, subject, State.RETURNED, 25)
    back = read(cast.tenant, incident)
    assert back.holder is not None
    assert (back.holder.id, back.held_since, back.due_at) == (cast.operator.pk, at(25), None)
    assert [(each.organization.id, each.since, each.until) for each in back.hands] == [
        (cast.operator.pk, START, at(10)),
        (cast.vendor.pk, at(10), at(25)),
        (cast.operator.pk, at(25), None),
    ]


def test_who_declined_leaves_it_where_it_was(cast: Cast, incident: Incident) -> None:
    subject = hand(cast.operator, cast.vendor, incident)
    step(cast.vendor, incident, subject, State.DECLINED)
    found = read(cast.vendor, incident)
    assert found.holder is not None
    assert found.holder.id == cast.operator.pk
    assert found.open_hand_over is None
    hand(cast.operator, cast.tenant, incident, 3)


def test_there_is_one_proposal_at_a_time_and_of_the_holder_alone(
    cast: Cast, incident: Incident
) -> None:
    hand(cast.operator, cast.vendor, incident)
    with pytest.raises(HandOverOpen):
        hand(cast.operator, cast.tenant, incident)
    with pytest.raises(NotFound):
        hand(cast.vendor, cast.operator, incident)


def test_what_was_handed_on_is_not_returned(cast: Cast, incident: Incident) -> None:
    first = brought(cast, incident, State.ACCEPTED)
    second = hand(cast.vendor, cast.tenant, incident, 5)
    with pytest.raises(HandOverOpen):
        step(cast.vendor, incident, first, State.RETURNED, 6)
    step(cast.tenant, incident, second, State.ACCEPTED, 7)
    with pytest.raises(AlreadyHandled):
        step(cast.vendor, incident, first, State.RETURNED, 8)
    step(cast.tenant, incident, second, State.RETURNED, 9)
    found = read(cast.operator, incident)
    assert found.holder is not None
    assert found.holder.id == cast.vendor.pk


def test_a_viewer_and_who_left_answer_nothing(cast: Cast, incident: Incident) -> None:
    subject = hand(cast.operator, cast.vendor, incident)
    with pytest.raises(NotFound):
        step(cast.vendor, incident, subject, State.ACCEPTED, role=MemberRole.VIEWER)
    leave(cast.vendor, cast, ParticipationRole.GPU_VENDOR)
    with pytest.raises(NotFound):
        step(cast.vendor, incident, subject, State.ACCEPTED)
    step(cast.operator, incident, subject, State.WITHDRAWN)
    with pytest.raises(BadStep, match="another party"):
        hand(cast.operator, cast.vendor, incident)


def test_who_leaves_the_cluster_has_it_no_more(cast: Cast, incident: Incident) -> None:
    brought(cast, incident, State.ACCEPTED)
    leave(cast.vendor, cast, ParticipationRole.GPU_VENDOR)
    found = read(cast.tenant, incident)
    assert found.holder is not None
    assert found.holder.id == cast.operator.pk
    hand(cast.operator, cast.tenant, incident, 20)


def test_of_a_resolved_incident_nothing_is_handed_over(cast: Cast, incident: Incident) -> None:
    subject = hand(cast.operator, cast.vendor, incident)
    with organization_scope(cast.tenant.pk):
        resolve(
            actor=actor(cast.tenant), incident=incident, entry=StepEntry(reason="fixed"), now=at(9)
        )
    with pytest.raises(IncidentNotOpen):
        step(cast.vendor, incident, subject, State.ACCEPTED, 10)
    with pytest.raises(IncidentNotOpen):
        hand(cast.operator, cast.tenant, incident, 11)
    (span,) = read(cast.vendor, incident).hands
    assert (span.since, span.until) == (START, at(9))


@pytest.mark.parametrize(
    ("field", "entry"),
    [
        ("reason", {"reason": ""}),
        ("reason", {"reason": "because"}),
        ("text", {"reason": "other"}),
        ("due_at", {"reason": "your-layer", "due_at": START}),
        ("ticket", {"reason": "your-layer", "ticket": "x" * 81}),
        ("ticket", {"reason": "your-layer", "ticket": "a\nb"}),
        ("to", {"reason": "your-layer", "to": "nobody"}),
    ],
)
def test_what_is_missing_is_named(
    field: str, entry: dict[str, Any], cast: Cast, incident: Incident
) -> None:
    given = HandOverEntry(**{"to": cast.vendor.slug, **entry})
    with organization_scope(cast.operator.pk), pytest.raises(BadStep) as refused:
        propose(actor=actor(cast.operator), incident=incident, entry=given, now=at(1))
    assert refused.value.field == field
    assert read(cast.operator, incident).hand_overs == ()


def test_ticket_numbers_are_of_the_two_sides_alone(cast: Cast, incident: Incident) -> None:
    subject = hand(cast.operator, cast.vendor, incident, ticket="OPS-17")
    with organization_scope(cast.vendor.pk):
        set_ticket(
            actor=actor(cast.vendor), incident=incident, subject=subject, ticket="RMA 4",
            now=at(5),
        )  # fmt: skip
    for reader in (cast.operator, cast.vendor):
        (found,) = read(reader, incident).hand_overs
        assert (found.sender_ticket, found.recipient_ticket) == ("OPS-17", "RMA 4")
    (found,) = read(cast.tenant, incident).hand_overs
    assert (found.sender_ticket, found.recipient_ticket) == ("", "")
    with organization_scope(cast.tenant.pk):
        assert not IncidentStep.objects.exclude(ticket="").exists()
        with pytest.raises(NotFound):
            set_ticket(
                actor=actor(cast.tenant), incident=incident, subject=subject, ticket="x",
                now=at(6),
            )  # fmt: skip


def test_all_parties_read_of_it_on_the_timeline(cast: Cast, incident: Incident) -> None:
    brought(cast, incident, State.RETURNED)
    for reader in (cast.operator, cast.tenant, cast.vendor):
        with organization_scope(reader.pk):
            told = TimelineEntry.objects.filter(incident=incident, kind="hand-over")
            titles = [each.title for each in told.order_by("id")]
        assert len(titles) == 3
        assert "proposed to hand the incident over" in titles[0]
        assert "took the incident over" in titles[1]
        assert "gave the incident back" in titles[2]


def test_an_incident_that_another_one_takes_over_takes_its_hand_overs_along(
    cast: Cast, incident: Incident
) -> None:
    brought(cast, incident, State.ACCEPTED)
    other = stop_of(cast, attempt_of(cast, cast.tenant))
    subject = hand(cast.operator, cast.tenant, other)
    step(cast.tenant, other, subject, State.DECLINED)
    with organization_scope(*cast.ids):
        merge(loser=Incident.objects.get(pk=incident.pk), into=other)
    found = read(cast.vendor, other)
    assert found.holder is not None
    assert found.holder.id == cast.vendor.pk
    assert [each.state for each in found.hand_overs] == [State.DECLINED, State.ACCEPTED]
    hand(cast.vendor, cast.operator, other, 20)
