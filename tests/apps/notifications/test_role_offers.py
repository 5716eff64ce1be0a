"""An offered part is told by letter to those who can answer it, once, in their language."""

from datetime import timedelta
from typing import Any

from apps.fleet.models import ParticipationRole, ProposalKind
from apps.fleet.parties.cross_party_acts import ActContext
from apps.fleet.parties.role_proposals import ProposedRole, propose
from apps.notifications.models import Delivery
from apps.notifications.occasions import role_offers
from apps.tenancy.access import Actor, Right
from apps.tenancy.models import MemberRole
from apps.tenancy.scope import organization_scope
from tests.apps.notifications.email.sent_emails import send
from tests.apps.notifications.receiving import mail_server, person
from tests.apps.notifications.revised_incidents import NOW
from tests.cast.incidents import Cast


def offered(cast: Cast, part: ParticipationRole, *, slug: str, minutes: int = 0) -> None:
    """Offer a part to whom the slug names, some time later, and tell of it."""
    at = NOW + timedelta(minutes=minutes)
    rights = frozenset({Right.READ, Right.MANAGE})
    actor = Actor(organization=cast.operator, rights=rights)
    wish = ProposedRole(kind=ProposalKind.OFFER, slug=slug, part=part)
    with organization_scope(cast.operator.pk):
        told = ActContext(actor=actor, now=at)
        row, is_new = propose(actor=actor, cluster=cast.cluster, wish=wish, context=told)
        assert is_new
        role_offers.tell(proposal=row, now=at)


def test_admins_who_can_be_written_to_read_of_it_in_their_language(
    cast: Cast, settings: Any
) -> None:
    slug = cast.stranger.slug
    person(cast.stranger, "viewer", MemberRole.VIEWER)
    person(cast.operator, "oleg", MemberRole.ADMIN)
    unsure = person(cast.stranger, "unsure", MemberRole.ADMIN)
    unsure.confirmed_email = ""
    unsure.save()
    admin = person(cast.stranger, "admin", MemberRole.ADMIN)
    with mail_server(settings) as box:
        offered(cast, ParticipationRole.PLATFORM, slug=slug)
        send(NOW)
        offered(cast, ParticipationRole.TENANT, slug=slug, minutes=5)
        send(NOW + timedelta(minutes=5))
        assert len(box.subjects) == 1
        assert f"{cast.operator.name} offers you a part in {cast.cluster.name}" in box.subjects[0]

        admin.language = "ko"
        admin.save()
        offered(cast, ParticipationRole.GPU_VENDOR, slug=slug, minutes=90)
        send(NOW + timedelta(minutes=90))
        assert "제안" in box.subjects[1]
        assert len(box.subjects) == 2


def test_an_offer_to_nobody_is_told_to_nobody(cast: Cast, settings: Any) -> None:
    with mail_server(settings) as box:
        offered(cast, ParticipationRole.PLATFORM, slug="no-such-party")
        send(NOW)
        assert box.subjects == []
    assert not Delivery.objects.exists()
