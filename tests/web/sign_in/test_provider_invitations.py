"""Invitations that are followed by signing in through the organization's provider."""

import pytest
from django.test import Client
from django.utils import timezone

from apps.tenancy.models import Invitation, MemberRole, Organization, User
from apps.tenancy.people import invitations
from apps.tenancy.people.invitations import InvitationWish
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.identity_provider import ProviderServer
from tests.web.sign_in.through_provider import come, role_here, said

ALICE = "alice@aurora.example"


def invited(
    organization: Organization, role: MemberRole, email: str = "Alice@Aurora.example"
) -> tuple[str, Invitation]:
    """Invite an address; return the code of the link and the row."""
    with organization_scope(organization.pk):
        issued = invitations.issue(
            organization=organization,
            wish=InvitationWish(role=role, email=email),
            invited_by="command",
            now=timezone.now(),  # noqa: TID251  it is followed now
        )
    return issued.code, issued.invitation


def admin_of_aurora() -> Client:
    """Return an admin's browser."""
    client = Client()
    client.force_login(User.objects.get(username="local-admin"))
    return client


def test_an_invited_address_becomes_a_member_with_the_invited_role_and_stays_one(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    link, _ = invited(aurora, MemberRole.RESPONDER)

    client = Client()
    assert come(client, server, code, groups=["others"]).status_code == 302
    assert role_here(aurora) == "responder"
    assert Client().get(f"/join/{link}/").status_code == 404  # it is used up

    assert come(Client(), server, code, groups=["others"]).status_code == 302
    assert role_here(aurora) == "responder"
    assert client.get("/o/aurora/").status_code == 200


def test_the_higher_of_invitation_and_groups_counts(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    invited(aurora, MemberRole.RESPONDER)

    come(Client(), server, code, groups=["gpu-admins"])
    assert role_here(aurora) == "admin"

    come(Client(), server, code, groups=[])
    assert role_here(aurora) == "responder"


def test_an_invitation_of_another_address_organization_or_time_gives_nothing(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    invited(aurora, MemberRole.ADMIN, "bob@aurora.example")
    invited(make.organization("northwind"), MemberRole.ADMIN)
    _, revoked = invited(aurora, MemberRole.ADMIN)
    with organization_scope(aurora.pk):
        own = Invitation.objects.for_organization(aurora).filter(pk=revoked.pk)
        own.update(revoked_at=make.AT)

    assert "None of your groups" in said(come(Client(), server, code, groups=["others"]))
    assert not User.objects.filter(email=ALICE).exists()


def test_a_link_that_sets_a_persons_password_is_no_invitation_of_its_address(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    person = make.user(organization=aurora, role=MemberRole.ADMIN)
    with organization_scope(aurora.pk):
        invitations.issue(
            organization=aurora,
            wish=InvitationWish(role=MemberRole.ADMIN, email=ALICE),
            invited_by="command",
            now=timezone.now(),  # noqa: TID251  it could be followed now
            user=person,
        )

    assert "None of your groups" in said(come(Client(), server, code, groups=["others"]))


def test_what_an_admin_says_later_counts_instead_of_the_invitation(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    invited(aurora, MemberRole.ADMIN)
    come(Client(), server, code, groups=["others"])
    page = f"/o/aurora/settings/members/{ALICE}/"

    admin_of_aurora().post(f"{page}role/", {"role": "viewer"})
    come(Client(), server, code, groups=["others"])
    assert role_here(aurora) == "viewer"

    admin_of_aurora().post(f"{page}remove/")
    assert "Your access was ended here." in said(come(Client(), server, code, groups=["others"]))
    admin_of_aurora().post("/o/aurora/settings/single-sign-on/let-in/", {"username": ALICE})
    assert "None of your groups" in said(come(Client(), server, code, groups=["others"]))


def test_a_member_uses_no_invitation_up(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    come(Client(), server, code, groups=["gpu-oncall"])
    link, _ = invited(aurora, MemberRole.ADMIN)

    come(Client(), server, code, groups=["gpu-oncall"])

    assert role_here(aurora) == "responder"
    assert Client().get(f"/join/{link}/").status_code == 200


def test_the_link_offers_the_provider_to_addresses_of_its_domains_only(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    link, _ = invited(aurora, MemberRole.VIEWER)
    elsewhere, _ = invited(aurora, MemberRole.VIEWER, "alice@example.org")

    assert f"/sign-in/with/{code}/" in said(Client().get(f"/join/{link}/"))
    assert f"/sign-in/with/{code}/" not in said(Client().get(f"/join/{elsewhere}/"))


@pytest.mark.parametrize("groups", [["others"], ["gpu-oncall"]])
def test_whom_the_groups_let_manage_no_more_comes_back_by_no_link_of_before(
    server: ProviderServer, aurora: Organization, code: str, groups: list[str]
) -> None:
    alice = Client()
    come(alice, server, code, groups=["gpu-admins"])
    for email in ("", ALICE):  # one link kept as text, one that waits for the own address
        wish = {"role": "admin", "email": email}
        assert alice.post("/o/aurora/settings/invitations/", wish).status_code == 201

    come(Client(), server, code, groups=groups)
    come(Client(), server, code, groups=groups)

    assert role_here(aurora) in {"", "responder"}
    with organization_scope(aurora.pk):
        kept = Invitation.objects.for_organization(aurora).filter(used_at=None, revoked_at=None)
        assert not kept.exists()
