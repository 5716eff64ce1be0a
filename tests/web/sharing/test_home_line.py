"""The first page names the agreements that an admin has to look at; one that ends says so."""

from datetime import timedelta

from django.utils import timezone

from apps.sharing.models import Agreement
from apps.tenancy.models import MemberRole, Organization
from tests.cast.agreements import agreed, proposed
from tests.cast.clients import member
from tests.cast.incidents import Cast


def home(organization: Organization, role: MemberRole = MemberRole.ADMIN) -> str:
    """Return the first page as somebody reads it."""
    answer = member(organization, role).client.get(f"/o/{organization.slug}/")
    assert answer.status_code == 200
    return str(answer.content.decode())


def shown(organization: Organization, agreement: Agreement) -> str:
    """Return an agreement's page as a viewer reads it."""
    path = f"/o/{organization.slug}/sharing/agreements/{agreement.public_id}/"
    answer = member(organization, MemberRole.VIEWER).client.get(path)
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_a_proposal_is_named_to_the_admins_who_may_answer_it(cast: Cast) -> None:
    now = timezone.now()  # noqa: TID251  the page reads the clock, too
    made = proposed(cast.operator, cast.tenant, cast.cluster, preset="open-book", now=now)
    said = f"{cast.operator.name} proposes an agreement in {cast.cluster.name}"

    page = home(cast.tenant)
    assert said in page
    assert f"/o/{cast.tenant.slug}/sharing/agreements/{made.public_id}/" in page
    for reader in (cast.operator, cast.vendor, cast.other_tenant):
        assert said not in home(reader)
    assert said not in home(cast.tenant, MemberRole.RESPONDER)


def test_an_agreement_that_ends_within_a_week_is_named_to_both_sides(cast: Cast) -> None:
    now = timezone.now()  # noqa: TID251  the page reads the clock, too
    first, later = (
        agreed(
            cast.operator,
            other,
            cast.cluster,
            preset="open-book",
            now=now,
            until=now + timedelta(days=days),
        )
        for other, days in ((cast.tenant, 6), (cast.vendor, 8))
    )
    ends = f"in {cast.cluster.name} ends on"

    assert f"The agreement with {cast.operator.name} {ends}" in home(cast.tenant)
    assert f"The agreement with {cast.tenant.name} {ends}" in home(cast.operator)
    assert ends not in home(cast.vendor)
    assert ends in shown(cast.tenant, first)
    assert ends not in shown(cast.vendor, later)
