"""An admin sets the organization's provider up; its domain counts once it is confirmed."""

from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from apps.tenancy.credentials import unseal
from apps.tenancy.models import IdentityProvider, MailDomain, MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.identity_provider import CLIENT, SECRET, ProviderServer, serving
from tests.web.settings.audited_deeds import deeds_of

PAGE = "/o/aurora/settings/single-sign-on/"


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    """What answers as a provider."""
    yield from serving()


@pytest.fixture
def organization(db: None) -> Organization:
    """Whose settings they are."""
    return make.organization("aurora")


@pytest.fixture
def admin(organization: Organization) -> Client:
    """Who may change them."""
    client = Client()
    client.force_login(make.user(organization=organization, role=MemberRole.ADMIN))
    return client


def form(server: ProviderServer, **other: str) -> dict[str, str]:
    """Return what an admin types."""
    return {
        "issuer": server.issuer,
        "client_id": CLIENT,
        "secret": SECRET,
        "groups": "gpu-oncall = responder\ngpu-admins=Admin\n",
        "role_without_group": "",
        "group_claim": "groups",
        "networks": "127.0.0.0/8",
        "is_enabled": "1",
        **other,
    }


def kept(organization: Organization) -> IdentityProvider | None:
    """Return the row."""
    with organization_scope(organization.pk):
        return IdentityProvider.objects.for_organization(organization).first()


def test_a_provider_that_answers_is_kept_with_its_secret_sealed(
    server: ProviderServer, organization: Organization, admin: Client
) -> None:
    answer = admin.post(PAGE, form(server))

    row = kept(organization)
    assert answer.status_code == 302
    assert row is not None
    assert row.role_by_group == {"gpu-oncall": "responder", "gpu-admins": "admin"}
    assert unseal(sealed=row.secret) == SECRET
    page = admin.get(PAGE).content.decode()
    assert SECRET not in page
    assert f"http://127.0.0.1:8000/sign-in/with/aurora.{row.public_id}/callback/" in page
    assert "identity_provider.made" in deeds_of(organization)


def test_the_secret_stays_for_its_issuer_and_goes_to_no_other(
    server: ProviderServer, organization: Organization, admin: Client
) -> None:
    admin.post(PAGE, form(server))

    same = admin.post(PAGE, form(server, secret="", scopes="groups"))
    other = admin.post(PAGE, form(server, secret="", issuer="https://other.example"))

    row = kept(organization)
    assert (same.status_code, other.status_code) == (302, 422)
    assert row is not None
    assert (row.issuer, row.scopes) == (server.issuer, "groups")
    assert "Enter the client secret for this issuer." in other.content.decode()


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"issuer": "http://169.254.169.254/latest"}, "may not reach this address"),
        ({"issuer": "http://127.0.0.1:8080", "networks": ""}, "may not reach this address"),
        ({"issuer": "http://login.example.org", "networks": ""}, "Write https"),
        ({"issuer": "javascript:alert(1)"}, "may not reach this address"),
        ({"groups": "gpu-oncall = root"}, "a role is viewer, responder or admin"),
        ({"groups": "", "role_without_group": ""}, "Nobody would get in"),
        ({"networks": "everywhere"}, "is no network like"),
        ({"client_id": ""}, "This is needed."),
    ],
)
def test_what_cant_be_used_is_said_beside_its_field_and_nothing_is_kept(
    server: ProviderServer,
    organization: Organization,
    admin: Client,
    typed: dict[str, str],
    words: str,
) -> None:
    answer = admin.post(PAGE, form(server, **typed))

    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert SECRET not in answer.content.decode()
    assert kept(organization) is None


def test_what_calls_itself_another_issuer_is_not_kept(
    server: ProviderServer, organization: Organization, admin: Client
) -> None:
    server.bends["/.well-known/openid-configuration"] = lambda told: {**told, "issuer": "x"}

    answer = admin.post(PAGE, form(server))

    assert "calls itself another issuer" in answer.content.decode()
    assert kept(organization) is None


@pytest.mark.parametrize("role", [MemberRole.VIEWER, MemberRole.RESPONDER])
def test_only_admins_see_and_change_it(
    server: ProviderServer, organization: Organization, role: MemberRole
) -> None:
    client = Client()
    client.force_login(make.user(organization=organization, role=role))

    answers = [client.get(PAGE), client.post(PAGE, form(server))]
    answers += [client.post(f"{PAGE}{each}/") for each in ("remove", "domains", "let-in")]

    assert {answer.status_code for answer in answers} == {404}
    assert kept(organization) is None


def test_a_domain_counts_once_the_operator_confirmed_it_and_for_one_alone(
    organization: Organization, admin: Client
) -> None:
    other = make.organization("northwind")
    admin.post(f"{PAGE}domains/", {"domain": " @Aurora.Example. "})
    assert "Not confirmed yet" in admin.get(PAGE).content.decode()

    call_command("mail_domain", "aurora", "aurora.example")
    assert "Not confirmed yet" not in admin.get(PAGE).content.decode()

    with pytest.raises(CommandError, match="is confirmed for aurora"):
        call_command("mail_domain", "northwind", "AURORA.example")
    with organization_scope(other.pk):
        assert not MailDomain.objects.for_organization(other).exists()
    admin.post(f"{PAGE}domains/remove/", {"domain": "aurora.example"})
    call_command("mail_domain", "northwind", "aurora.example")


def test_asking_for_anothers_domain_says_nothing_about_it(organization: Organization) -> None:
    make.organization("northwind")
    call_command("mail_domain", "northwind", "northwind.example")
    client = Client()
    client.force_login(make.user(organization=organization, role=MemberRole.ADMIN))

    said = []
    for domain in ("northwind.example", "nobodys77.example"):
        client.post(f"{PAGE}domains/", {"domain": domain})
        said.append(client.get(PAGE).content.decode().replace(domain, "it"))
        client.post(f"{PAGE}domains/remove/", {"domain": domain})

    assert said[0].count("Not confirmed yet") == said[1].count("Not confirmed yet") == 1


@pytest.mark.parametrize("domain", ["localhost", "a b.example", "-x.example", "x" * 300, ""])
def test_what_is_no_domain_is_refused(
    organization: Organization, admin: Client, domain: str
) -> None:
    answer = admin.post(f"{PAGE}domains/", {"domain": domain})

    assert answer.status_code == 422
