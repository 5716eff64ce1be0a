"""The operator takes a tenant's word for hosts, over REST and on its page; nobody else can."""

import pytest
from django.test import Client

from apps.fleet.models import Participation
from apps.tenancy.models import AuditEntry, MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast

pytestmark = pytest.mark.django_db


def asked(cast: Cast, by: Organization, *, agreed: bool = True) -> int:
    """Ask for it with a token of an organization, and return the status."""
    answer = Client().post(
        f"/api/v1/o/{by.slug}/clusters/{cast.cluster.slug}/hosts-agreement/",
        {"organization": cast.tenant.slug, "part": "tenant", "agreed": agreed},
        content_type="application/json",
        headers={"Authorization": f"Bearer {make.token(organization=by)}"},
    )
    return answer.status_code


def is_agreed(cast: Cast) -> bool:
    """Say whether the tenant's word counts."""
    with organization_scope(cast.tenant.pk):
        return Participation.objects.get(organization=cast.tenant).hosts_agreed_at is not None


def by_page(cast: Cast, by: Organization) -> int:
    """Press the button as an admin of an organization, and return the status."""
    client = Client()
    client.force_login(make.user(organization=by, role=MemberRole.ADMIN))
    answer = client.post(
        f"/o/{by.slug}/settings/clusters/{cast.cluster.slug}/hosts-agreement/",
        {"slug": cast.tenant.slug, "part": "tenant", "agreed": "yes"},
    )
    return answer.status_code


def test_the_operators_admin_agrees_on_the_page(cast: Cast) -> None:
    assert by_page(cast, cast.operator) == 302
    assert is_agreed(cast)


def test_the_tenant_and_others_do_not_agree_to_it_themselves(cast: Cast) -> None:
    for who in (cast.tenant, cast.other_tenant, cast.vendor, cast.stranger):
        assert by_page(cast, who) == 404
        assert asked(cast, who) == 404

    assert not is_agreed(cast)


def test_a_token_does_not_agree_as_it_manages_nothing(cast: Cast) -> None:
    assert asked(cast, cast.operator) == 404
    assert not is_agreed(cast)


def test_both_sides_records_tell_of_it(cast: Cast) -> None:
    by_page(cast, cast.operator)
    by_page(cast, cast.operator)

    for who in (cast.operator, cast.tenant):
        with organization_scope(who.pk):
            rows = AuditEntry.objects.filter(action="participation.hosts_agreed")
            assert [row.subject for row in rows] == [
                f"{cast.cluster.slug} tenant {cast.tenant.slug}"
            ]
