"""Agreements from the first proposal to the last act: what each side can do, and when."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from apps.sharing import agreement_acts as acts
from apps.sharing.agreements import access_agreement, access_agreements, versions_of
from apps.sharing.models import Agreement, AgreementAct, AgreementVersion, PseudonymKey
from apps.sharing.states import VersionState, in_force, states_of
from apps.sharing.terms import BadTerms, Level, SharingRule
from apps.tenancy.access import NotFound
from apps.tenancy.models import AuditEntry, MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.agreements import admin_of, agreed, proposed
from tests.cast.incidents import Cast, actor, assemble

LATER = make.AT + timedelta(hours=1)
METRICS = SharingRule(data="metrics:gpu", level=Level.FULL)


@pytest.fixture
def cast(db: None) -> Cast:
    return assemble()


def states(agreement: Agreement, reader: Organization, now: datetime = LATER) -> list[VersionState]:
    with organization_scope(reader.pk):
        versions = versions_of(agreements=[agreement])[agreement.pk]
    return list(states_of(versions=versions, now=now).values())


def do(
    act: Callable[..., None], by: Organization, agreement: Agreement, number: int, **more: str
) -> None:
    told = admin_of(by, now=LATER)
    with organization_scope(by.pk):
        act(actor=told.actor, agreement=agreement, number=number, context=told, **more)


def test_what_one_side_proposes_holds_once_the_other_signs(cast: Cast) -> None:
    made = proposed(cast.operator, cast.tenant, cast.cluster, preset="joint-operations")
    assert states(made, cast.tenant) == [VersionState.PROPOSED]

    do(acts.sign, cast.tenant, made, 1)

    assert states(made, cast.operator) == states(made, cast.tenant) == [VersionState.IN_FORCE]
    with organization_scope(cast.tenant.pk):
        (version,) = versions_of(agreements=[made])[made.pk]
        reader = actor(cast.tenant, MemberRole.VIEWER)
        assert access_agreement(actor=reader, public_id=made.public_id).pk == made.pk
    assert version.in_force_at == LATER
    assert [act.organization_id for act in version.acts] == [cast.tenant.pk]


@pytest.mark.parametrize(
    ("act", "who", "state"),
    [
        (acts.sign, "counterpart", VersionState.IN_FORCE),
        (acts.sign, "proposer", None),
        (acts.decline, "counterpart", VersionState.DECLINED),
        (acts.decline, "proposer", None),
        (acts.take_back, "proposer", VersionState.TAKEN_BACK),
        (acts.take_back, "counterpart", None),
        (acts.revoke, "proposer", None),
        (acts.revoke, "counterpart", None),
    ],
)
def test_what_a_side_may_do_with_a_proposal(
    cast: Cast, act: Callable[..., None], who: str, state: VersionState | None
) -> None:
    made = proposed(cast.operator, cast.tenant, cast.cluster, terms={cast.operator.slug: [METRICS]})
    by = cast.operator if who == "proposer" else cast.tenant
    more = {"reason": "no longer"} if act is acts.revoke else {}

    if state is None:
        with pytest.raises(acts.NotNow):
            do(act, by, made, 1, **more)
        assert states(made, by) == [VersionState.PROPOSED]
    else:
        do(act, by, made, 1, **more)
        assert states(made, by) == [state]


@pytest.mark.parametrize("act", [acts.sign, acts.decline, acts.take_back])
def test_what_was_answered_is_not_answered_again(cast: Cast, act: Callable[..., None]) -> None:
    made = agreed(cast.operator, cast.tenant, cast.cluster, preset="open-book")

    for by in (cast.operator, cast.tenant):
        with pytest.raises(acts.NotNow):
            do(act, by, made, 1)


def test_an_answer_with_other_terms_closes_the_first_and_waits_itself(cast: Cast) -> None:
    made = proposed(cast.operator, cast.tenant, cast.cluster, preset="open-book")

    same = proposed(cast.tenant, cast.operator, cast.cluster, preset="joint-operations")

    assert same.pk == made.pk
    assert states(made, cast.operator) == [VersionState.COUNTERED, VersionState.PROPOSED]
    with pytest.raises(acts.NotNow):
        do(acts.sign, cast.tenant, made, 1)
    do(acts.sign, cast.operator, made, 2)
    assert states(made, cast.operator) == [VersionState.COUNTERED, VersionState.IN_FORCE]


def test_a_new_version_leaves_the_old_one_in_force_until_it_is_signed(cast: Cast) -> None:
    made = agreed(cast.operator, cast.tenant, cast.cluster, preset="open-book")

    proposed(cast.operator, cast.tenant, cast.cluster, preset="closed", now=LATER)
    assert states(made, cast.tenant) == [VersionState.IN_FORCE, VersionState.PROPOSED]
    do(acts.sign, cast.tenant, made, 2)

    assert states(made, cast.tenant) == [VersionState.SUPERSEDED, VersionState.IN_FORCE]


def test_a_second_proposal_of_one_side_replaces_its_first(cast: Cast) -> None:
    made = proposed(cast.operator, cast.tenant, cast.cluster, preset="open-book")
    proposed(cast.operator, cast.tenant, cast.cluster, preset="closed")

    assert states(made, cast.tenant) == [VersionState.REPLACED, VersionState.PROPOSED]


@pytest.mark.parametrize("who", ["operator", "tenant"])
def test_either_side_ends_it_alone_and_says_why(cast: Cast, who: str) -> None:
    made = agreed(cast.operator, cast.tenant, cast.cluster, preset="open-book")
    by: Organization = getattr(cast, who)

    with pytest.raises(BadTerms, match="say why"):
        do(acts.revoke, by, made, 1, reason=" ")
    do(acts.revoke, by, made, 1, reason="contract ended")

    assert states(made, cast.tenant) == [VersionState.REVOKED]
    with pytest.raises(acts.NotNow):
        do(acts.revoke, by, made, 1, reason="again")


def test_it_ends_at_its_day_and_a_proposal_lapses_after_thirty(cast: Cast) -> None:
    until = make.AT + timedelta(days=7)
    made = agreed(cast.operator, cast.tenant, cast.cluster, preset="open-book", until=until)
    waiting = proposed(cast.operator, cast.vendor, cast.cluster, preset="open-book")

    before, after = until - timedelta(seconds=1), until
    assert states(made, cast.tenant, before) == [VersionState.IN_FORCE]
    assert states(made, cast.tenant, after) == [VersionState.EXPIRED]
    assert states(waiting, cast.vendor, make.AT + acts.LASTS) == [VersionState.LAPSED]


def test_what_would_be_over_is_not_signed_and_ends_nothing(cast: Cast) -> None:
    made = agreed(cast.operator, cast.tenant, cast.cluster, preset="open-book")
    until = make.AT + timedelta(minutes=1)
    proposed(cast.operator, cast.tenant, cast.cluster, preset="open-book", until=until)

    with pytest.raises(acts.NotNow):
        do(acts.sign, cast.tenant, made, 2)

    assert states(made, cast.tenant) == [VersionState.IN_FORCE, VersionState.LAPSED]


def test_one_side_does_not_use_up_the_room_of_the_other(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acts, "VERSIONS_AT_MOST", 2)
    made = proposed(cast.tenant, cast.operator, cast.cluster, preset="closed")
    proposed(cast.tenant, cast.operator, cast.cluster, preset="closed")

    with pytest.raises(BadTerms, match="no more are kept"):
        proposed(cast.tenant, cast.operator, cast.cluster, preset="closed")
    proposed(cast.operator, cast.tenant, cast.cluster, preset="closed")

    assert len(states(made, cast.tenant)) == 3


def test_terms_end_in_the_future(cast: Cast) -> None:
    with pytest.raises(BadTerms, match="in the past"):
        proposed(cast.operator, cast.tenant, cast.cluster, preset="closed", until=make.AT)


def test_a_tenant_can_t_propose_to_a_tenant_beside_it_nor_to_a_stranger(cast: Cast) -> None:
    for other in (cast.other_tenant, cast.stranger, cast.tenant):
        with pytest.raises(NotFound):
            proposed(cast.tenant, other, cast.cluster, preset="open-book")


@pytest.mark.parametrize("role", [MemberRole.VIEWER, MemberRole.RESPONDER])
def test_only_admins_act(cast: Cast, role: MemberRole) -> None:
    made = proposed(cast.operator, cast.tenant, cast.cluster, preset="open-book")
    told = admin_of(cast.tenant)
    weak = actor(cast.tenant, role)
    wish = acts.Proposal(counterpart=cast.operator.slug, preset="closed")

    with organization_scope(cast.tenant.pk):
        with pytest.raises(NotFound):
            acts.propose(actor=weak, cluster=cast.cluster, proposal=wish, context=told)
        for act in (acts.sign, acts.decline, acts.take_back):
            with pytest.raises(NotFound):
                act(actor=weak, agreement=made, number=1, context=told)
        with pytest.raises(NotFound):
            acts.revoke(actor=weak, agreement=made, number=1, reason="x", context=told)


def test_a_third_party_learns_nothing_of_it(cast: Cast) -> None:
    made = agreed(cast.operator, cast.tenant, cast.cluster, preset="open-book")

    for third in (cast.vendor, cast.other_tenant, cast.stranger):
        with organization_scope(third.pk):
            reader = actor(third, MemberRole.ADMIN)
            assert list(access_agreements(actor=reader)) == []
            assert not AgreementVersion.objects.exists()
            assert not AgreementAct.objects.exists()
            with pytest.raises(NotFound):
                access_agreement(actor=reader, public_id=made.public_id)


def test_a_side_reads_the_other_s_rows_and_never_its_key(cast: Cast) -> None:
    made = agreed(cast.operator, cast.tenant, cast.cluster, preset="open-book")

    with organization_scope(cast.tenant.pk):
        keys = PseudonymKey.objects.filter(agreement=made)
        assert [key.organization_id for key in keys] == [cast.tenant.pk]


@pytest.mark.parametrize("model", [Agreement, AgreementVersion, AgreementAct])
def test_what_was_written_is_not_changed(cast: Cast, model: Any) -> None:
    agreed(cast.operator, cast.tenant, cast.cluster, preset="open-book")

    with organization_scope(cast.operator.pk, cast.tenant.pk):
        rows = model.objects.all()
        with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
            rows.update(id=0)
        with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
            rows._raw_delete("default")


def test_both_sides_records_hold_the_acts_and_only_one_names_the_person(cast: Cast) -> None:
    made = agreed(cast.operator, cast.tenant, cast.cluster, preset="open-book")

    for own, other in ((cast.operator, cast.tenant), (cast.tenant, cast.operator)):
        with organization_scope(own.pk):
            rows = AuditEntry.objects.for_organization(own).filter(action__startswith="agreement.")
            told = {row.action: row.actor for row in rows.order_by("sequence")}
        assert list(told) == ["agreement.proposed", "agreement.signed"]
        assert f"organization:{other.slug}" in told.values()
    assert made.public_id.startswith("AGR-")


def test_what_was_not_read_is_not_answered(cast: Cast) -> None:
    proposed(cast.operator, cast.tenant, cast.cluster, preset="open-book")
    proposed(cast.operator, cast.tenant, cast.cluster, preset="closed")
    told = admin_of(cast.tenant)
    wish = acts.Proposal(counterpart=cast.operator.slug, preset="closed", former=1)

    with organization_scope(cast.tenant.pk), pytest.raises(acts.NotNow):
        acts.propose(actor=told.actor, cluster=cast.cluster, proposal=wish, context=told)


@pytest.mark.django_db(transaction=True)
def test_of_a_signature_and_a_taking_back_at_once_one_holds() -> None:
    cast = assemble()
    made = proposed(cast.operator, cast.tenant, cast.cluster, preset="open-book")

    def one(act: Callable[..., None], by: Organization) -> bool:
        try:
            do(act, by, made, 1)
        except acts.NotNow:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(max_workers=2) as pool:
        signed = pool.submit(one, acts.sign, cast.tenant)
        back = pool.submit(one, acts.take_back, cast.operator)

    assert [signed.result(), back.result()].count(True) == 1
    assert len(states(made, cast.tenant)) == 1


def test_in_force_is_none_without_versions() -> None:
    assert in_force(versions=[], now=LATER) is None
