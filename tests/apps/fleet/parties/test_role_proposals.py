"""Parts in a cluster, offered, accepted and declined: who sees what, before and after."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction

from apps.fleet.models import (
    Participation,
    ParticipationRole,
    PartProposal,
    ProposalKind,
    ProposalState,
)
from apps.fleet.parties.cross_party_acts import ActContext
from apps.fleet.parties.role_proposals import (
    LASTS,
    OPEN_AT_MOST,
    BadProposal,
    HasPart,
    LacksPart,
    OwnOffer,
    OwnPart,
    ProposedRole,
    SlugBad,
    TooManyOpen,
    accept,
    access_made,
    access_received,
    decline,
    propose,
    take_back,
)
from apps.tenancy.access import NotFound
from apps.tenancy.scope import organization_scope
from tests.apps.fleet.parties.proposals import (
    admin,
    answered,
    clusters_of,
    offered,
    record_of,
    told,
)
from tests.cast import make
from tests.cast.incidents import Cast

pytestmark = pytest.mark.django_db


def test_nothing_is_seen_before_the_other_side_agrees_and_all_at_once_after(cast: Cast) -> None:
    row = offered(cast, cast.stranger.slug)

    assert clusters_of(cast.stranger) == []
    answered(row, cast.stranger)
    assert clusters_of(cast.stranger) == [cast.cluster]
    with organization_scope(cast.stranger.pk):
        part = Participation.objects.get()
        assert (part.part, part.layers, part.since) == (ParticipationRole.PLATFORM, [], make.AT)
    with pytest.raises(NotFound):
        answered(row, cast.stranger)  # once


def test_a_slug_that_nobody_has_looks_like_one_that_waits(cast: Cast) -> None:
    known, unknown = offered(cast, cast.stranger.slug), offered(cast, "no-such-party")
    by = admin(cast.operator)
    with organization_scope(cast.operator.pk):
        seen = [
            (each.state, each.part, each.layers, each.kind, each.expires_at)
            for each in access_made(actor=by)
        ]

    assert seen[0] == seen[1]
    assert known.recipient == cast.stranger
    assert unknown.recipient is None


def test_only_sender_and_recipient_see_a_proposal_and_only_the_sender_may_write_it(
    cast: Cast,
) -> None:
    row = offered(cast, cast.stranger.slug)
    for other in (cast.tenant, cast.vendor, cast.other_tenant):
        with organization_scope(other.pk):
            assert not PartProposal.objects.exists()
    with organization_scope(cast.stranger.pk):
        rows = PartProposal.objects.filter(pk=row.pk)
        assert rows.exists()
        assert rows.update(state=ProposalState.ACCEPTED) == 0
        with pytest.raises(DatabaseError, match="row-level security"), transaction.atomic():
            PartProposal.objects.create(
                organization=cast.operator,
                public_id="PRO-FORGED",
                cluster=cast.cluster,
                kind=ProposalKind.OFFER,
                part=ParticipationRole.OPERATOR,
                slug=cast.stranger.slug,
                recipient=cast.stranger,
                state=ProposalState.OPEN,
                created_at=make.AT,
                expires_at=make.AT + LASTS,
            )


def test_both_records_tell_it_and_neither_names_a_person_of_the_other(cast: Cast) -> None:
    row = offered(cast, cast.stranger.slug)
    answered(row, cast.stranger)
    subject = f"{cast.cluster.slug} platform {cast.stranger.slug}"
    operators, strangers = record_of(cast.operator), record_of(cast.stranger)

    assert [each[:2] for each in operators] == [
        ("participation.offered", subject),
        ("participation.accepted", subject),
    ]
    assert [each[:2] for each in strangers] == [each[:2] for each in operators]
    assert operators[1][2:] == (f"organization:{cast.stranger.slug}", None)
    assert strangers[0][2:] == (f"organization:{cast.operator.slug}", None)
    assert strangers[1][2].startswith("user:")
    assert strangers[1][3] == "192.0.2.7"


@pytest.mark.parametrize(
    ("kind", "slug", "part", "refusal"),
    [
        (ProposalKind.OFFER, "no slug", ParticipationRole.TENANT, SlugBad),
        (ProposalKind.OFFER, "TENANT", ParticipationRole.TENANT, HasPart),
        (ProposalKind.WITHDRAWAL, "TENANT", ParticipationRole.PLATFORM, LacksPart),
        (ProposalKind.WITHDRAWAL, "no-such-party", ParticipationRole.PLATFORM, LacksPart),
        (ProposalKind.WITHDRAWAL, "OPERATOR", ParticipationRole.OPERATOR, OwnPart),
        (ProposalKind.OFFER, "OPERATOR", ParticipationRole.PLATFORM, OwnOffer),
    ],
)
def test_what_can_not_be_proposed(
    cast: Cast, kind: ProposalKind, slug: str, part: ParticipationRole, refusal: type[BadProposal]
) -> None:
    slugs = {"TENANT": cast.tenant.slug, "OPERATOR": cast.operator.slug}
    with pytest.raises(refusal):
        offered(cast, slugs.get(slug, slug), part, kind)
    assert record_of(cast.operator) == []


@pytest.mark.parametrize("who", ["tenant", "vendor", "stranger"])
def test_who_does_not_run_the_cluster_offers_nothing(cast: Cast, who: str) -> None:
    by = admin(getattr(cast, who))
    wish = ProposedRole(kind=ProposalKind.OFFER, slug="anyone", part=ParticipationRole.OPERATOR)
    with organization_scope(by.organization.pk), pytest.raises(NotFound):
        propose(actor=by, cluster=cast.cluster, wish=wish, context=told(by))


def test_asking_again_renews_and_many_that_wait_are_too_many(cast: Cast) -> None:
    first = offered(cast, cast.stranger.slug)
    assert offered(cast, cast.stranger.slug).pk == first.pk
    assert len(record_of(cast.stranger)) == 1
    with organization_scope(cast.operator.pk):
        PartProposal.objects.bulk_create(
            PartProposal(
                organization=cast.operator,
                public_id=f"PRO-{number}",
                cluster=cast.cluster,
                kind=ProposalKind.OFFER,
                part=ParticipationRole.TENANT,
                slug=f"party-{number}",
                state=ProposalState.OPEN,
                created_at=make.AT,
                expires_at=make.AT + LASTS,
            )
            for number in range(OPEN_AT_MOST - 1)
        )
    with pytest.raises(TooManyOpen):
        offered(cast, "one-more")


def test_nobody_agrees_to_other_layers_than_were_read(cast: Cast) -> None:
    read = offered(cast, cast.stranger.slug)
    other = offered(cast, cast.stranger.slug, layers=["gpu", "network"])
    with pytest.raises(NotFound):
        answered(read, cast.stranger)
    assert [each[0] for each in record_of(cast.stranger)] == ["participation.offered"] * 2
    answered(other, cast.stranger)
    with organization_scope(cast.stranger.pk):
        assert Participation.objects.get().layers == ["gpu", "network"]


def test_a_proposal_ends_when_it_is_declined_taken_back_or_too_old(cast: Cast) -> None:
    declined, back, old = (
        offered(cast, cast.stranger.slug, part)
        for part in (
            ParticipationRole.TENANT,
            ParticipationRole.PLATFORM,
            ParticipationRole.GPU_VENDOR,
        )
    )
    stranger, operator = admin(cast.stranger), admin(cast.operator)
    with organization_scope(cast.stranger.pk):
        decline(actor=stranger, public_id=declined.public_id, context=told(stranger))
    with organization_scope(cast.operator.pk):
        assert take_back(actor=operator, public_id=back.public_id, context=told(operator))
        assert not take_back(actor=operator, public_id=back.public_id, context=told(operator))
    with organization_scope(cast.stranger.pk):
        assert list(access_received(actor=stranger, now=make.AT)) == [old]
        late = ActContext(actor=stranger, now=make.AT + LASTS + timedelta(seconds=1))
        for row in (declined, back, old):
            with pytest.raises(NotFound):
                accept(actor=stranger, public_id=row.public_id, context=late)
    assert clusters_of(cast.stranger) == []
