"""Addresses of which a provider doesn't say whether they are verified, and issuers of everybody."""

from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from apps.tenancy.models import IdentityProvider, MailDomain, MemberRole, Organization
from apps.tenancy.scope import organization_scope
from apps.tenancy.single_sign_on import vouched_identity
from tests.cast import make
from tests.cast.identity_provider import CLIENT, SECRET, ProviderServer
from tests.web.sign_in.through_provider import come, said

IN = {"groups": ["gpu-oncall"]}
TAB = "/o/aurora/settings/single-sign-on/"


def silent(server: ProviderServer) -> None:
    """Let the provider leave out whether an address is verified, as Entra ID does."""
    server.bends["claims"] = lambda claims: {
        name: value for name, value in claims.items() if name != "email_verified"
    }


def vouch(organization: Organization) -> None:
    """Let an admin say that its provider answers for addresses."""
    with organization_scope(organization.pk):
        IdentityProvider.objects.for_organization(organization).update(vouches_for_addresses=True)


def is_in(client: Client) -> bool:
    """Whether somebody is signed in."""
    return "_auth_user_id" in client.session


def test_an_address_of_which_nothing_is_said_counts_only_where_an_admin_vouches(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    silent(server)
    assert "mail address is verified" in said(come(Client(), server, code, **IN))

    vouch(aurora)
    client = Client()
    come(client, server, code, **IN)
    assert is_in(client)


@pytest.mark.parametrize("said_of_it", [False, "false", "true", None, 0])
def test_what_a_provider_says_of_an_address_counts_whatever_an_admin_vouches(
    server: ProviderServer, aurora: Organization, code: str, said_of_it: Any
) -> None:
    vouch(aurora)
    answer = come(Client(), server, code, email_verified=said_of_it, **IN)
    assert "mail address is verified" in said(answer)


def test_userinfo_that_calls_the_address_unverified_is_heard(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    silent(server)
    vouch(aurora)
    server.userinfo = {"email": "alice@aurora.example", "email_verified": False}
    assert "mail address is verified" in said(come(Client(), server, code, **IN))


def test_an_admin_vouches_for_no_domain_of_others(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    silent(server)
    vouch(aurora)
    answer = come(Client(), server, code, email="alice@northwind.example", **IN)
    assert "of no confirmed domain" in said(answer)


def test_it_is_closed_until_an_admin_with_a_confirmed_domain_opens_it(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    admin = Client()
    admin.force_login(make.user(organization=aurora, role=MemberRole.ADMIN))
    form = {
        "issuer": server.issuer,
        "client_id": CLIENT,
        "secret": SECRET,
        "groups": "gpu-oncall = responder",
        "group_claim": "groups",
        "networks": "127.0.0.0/8",
        "is_enabled": "1",
        "vouches_for_addresses": "1",
    }
    with organization_scope(aurora.pk):
        own = IdentityProvider.objects.for_organization(aurora)
        assert not own.get().vouches_for_addresses
        MailDomain.objects.for_organization(aurora).update(confirmed_at=None)

    refused = admin.post(TAB, form)
    assert "once a mail domain of yours is confirmed" in said(refused)
    call_command("mail_domain", "aurora", "aurora.example")
    admin.post(TAB, form)

    with organization_scope(aurora.pk):
        assert own.get().vouches_for_addresses


@pytest.mark.parametrize(
    ("tenant", "is_let_in"),
    [("aurora.example", True), ("Aurora.Example", True), ("other.example", False), (None, False)],
)
def test_an_issuer_of_everybody_has_to_say_that_the_domain_manages_the_account(
    server: ProviderServer,
    code: str,
    tenant: str | None,
    monkeypatch: pytest.MonkeyPatch,
    *,
    is_let_in: bool,
) -> None:
    everybody = frozenset({server.issuer})
    monkeypatch.setattr(vouched_identity, "ISSUERS_OF_EVERYBODY", everybody)
    claims = {"hd": tenant} if tenant else {}
    client = Client()

    answer = come(client, server, code, **IN, **claims)

    assert is_in(client) == is_let_in
    assert ("is not managed by your organization" in said(answer)) != is_let_in
