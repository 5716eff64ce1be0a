"""Signing in by SAML, as the person's browser goes."""

import re
import sys
from pathlib import Path

import pytest
import requests
from django.test import Client

from apps.tenancy.models import IdentityProvider, MemberRole, Organization, User
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.saml_provider import ALICE, SamlProvider, Told, request_of
from tests.cast.saml_world import bring, saml_provider
from tests.live.serving import free_port, served
from tests.web.sign_in.through_provider import acts, confirm, lead, role_here, said

ISSUER = "https://login.aurora.example/saml"


@pytest.fixture
def provider() -> SamlProvider:
    """Whom the organization trusts."""
    return SamlProvider(issuer=ISSUER)


@pytest.fixture
def saml_code(aurora: Organization, provider: SamlProvider) -> str:
    """What stands in its link."""
    return saml_provider(organization=aurora, metadata=provider.metadata())


def told(*groups: str, **other: str) -> Told:
    """Return what the provider says of Alice."""
    return Told(attributes={**ALICE, "groups": list(groups)}, **other)  # type: ignore[arg-type]


def come(client: Client, code: str, provider: SamlProvider, *groups: str) -> object:
    """Go to the provider, sign in there, come back."""
    asked = request_of(lead(client, code))
    return bring(client, code, provider.answer(asked, told=told(*groups)))


def test_a_group_lets_somebody_in_with_its_role(
    provider: SamlProvider, aurora: Organization, saml_code: str
) -> None:
    client = Client()

    come(client, saml_code, provider, "others", "gpu-oncall")

    assert client.get("/o/aurora/").status_code == 200
    assert role_here(aurora, "alice-7") == "responder"
    user = User.objects.get(username="alice@aurora.example")
    assert (user.first_name, user.has_usable_password()) == ("Alice Kim", False)
    assert ("member.joined", "alice@aurora.example responder") in acts(aurora)
    assert ("sign_in.done", "") in acts(aurora)


def test_who_lost_the_groups_is_no_member_any_more_and_its_sessions_end(
    provider: SamlProvider, aurora: Organization, saml_code: str
) -> None:
    client = Client()
    come(client, saml_code, provider, "gpu-admins")

    answer = come(Client(), saml_code, provider, "others")

    assert "None of your groups has access here." in said(answer)
    assert role_here(aurora, "alice-7") == ""
    assert client.get("/o/aurora/").status_code == 302


def test_no_account_is_taken_over_by_its_mail_address(
    provider: SamlProvider, aurora: Organization, saml_code: str
) -> None:
    mine = make.user(organization=aurora, name="alice")
    User.objects.filter(pk=mine.pk).update(email="Alice@Aurora.example")
    other = make.organization("northwind")
    theirs = make.user(organization=other, name="bob")
    User.objects.filter(pk=theirs.pk).update(email="bob@aurora.example")

    assert "has your mail address already" in said(
        come(Client(), saml_code, provider, "gpu-oncall")
    )

    client = Client()
    asked = request_of(lead(client, saml_code))
    bob = Told(
        subject="bob-1",
        attributes={"mail": ["bob@aurora.example"], "groups": ["gpu-oncall"]},
    )
    bring(client, saml_code, provider.answer(asked, told=bob))
    assert client.session["_auth_user_id"] != str(theirs.pk)
    assert client.get("/o/northwind/").status_code == 404


def test_a_member_connects_the_account_from_its_page(
    provider: SamlProvider, aurora: Organization, saml_code: str
) -> None:
    person = make.user(organization=aurora, role=MemberRole.RESPONDER)
    client = Client()
    client.post("/sign-in/", {"username": person.username, "password": make.PASSWORD})
    confirm(client)
    asked = request_of(lead(client, saml_code, connect="1"))
    bring(client, saml_code, provider.answer(asked, told=told()))

    through = Client()
    come(through, saml_code, provider, "gpu-oncall")

    assert through.session["_auth_user_id"] == str(person.pk)
    assert ("identity.connected", person.username) in acts(aurora)


def test_a_required_second_factor_is_asked_for_here_too(
    provider: SamlProvider, aurora: Organization, saml_code: str
) -> None:
    Organization.objects.filter(pk=aurora.pk).update(requires_second_factor=True)
    client = Client()

    come(client, saml_code, provider, "gpu-oncall")

    assert client.get("/o/aurora/").status_code == 403


def test_an_address_counts_only_where_an_admin_vouches_for_the_provider_or_it_does_itself(
    provider: SamlProvider, aurora: Organization, saml_code: str
) -> None:
    with organization_scope(aurora.pk):
        IdentityProvider.objects.for_organization(aurora).update(vouches_for_addresses=False)
    refused = come(Client(), saml_code, provider, "gpu-oncall")
    assert "doesn't say that your mail address is verified" in said(refused)

    client = Client()
    asked = request_of(lead(client, saml_code))
    says = Told(attributes={**ALICE, "email_verified": ["true"], "groups": ["gpu-oncall"]})
    bring(client, saml_code, provider.answer(asked, told=says))
    assert client.get("/o/aurora/").status_code == 200


def test_the_portal_publishes_what_a_provider_asks_for(
    provider: SamlProvider, aurora: Organization, saml_code: str
) -> None:
    address = f"/sign-in/with/{saml_code}/saml/metadata/"

    told_of = Client().get(address).content.decode()

    assert f'entityID="http://127.0.0.1:8000{address}"' in told_of
    assert f'Location="http://127.0.0.1:8000/sign-in/with/{saml_code}/saml/"' in told_of
    assert 'WantAssertionsSigned="true"' in told_of
    assert Client().get(f"/sign-in/with/{saml_code[:-1]}x/saml/metadata/").status_code == 404


def test_who_breaks_off_at_the_provider_reads_so(
    provider: SamlProvider, aurora: Organization, saml_code: str
) -> None:
    client = Client()
    asked = request_of(lead(client, saml_code))
    answer = provider.answer(asked)
    for each in answer.findall("{*}Assertion"):
        answer.remove(each)
    code = answer.find("{*}Status/{*}StatusCode")
    code.set("Value", "urn:oasis:names:tc:SAML:2.0:status:Responder")

    assert "broken off at the provider" in said(bring(client, saml_code, answer))


def test_a_provider_that_is_a_program_of_its_own_signs_people_in(
    aurora: Organization, tmp_path: Path
) -> None:
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    command = (sys.executable, "-m", "tests.cast.saml_server", str(port))
    with served(command=command, log=tmp_path / "provider.log", ready=base):
        metadata = requests.get(f"{base}/metadata", timeout=5).text
        code = saml_provider(organization=aurora, metadata=metadata)
        client, groups = Client(), ["gpu-admins"]
        requests.put(f"{base}/groups", json=groups, timeout=5).raise_for_status()
        page = requests.get(lead(client, code).replace("localhost", "127.0.0.1"), timeout=5).text
    (answer,) = re.findall(r'name="SAMLResponse" value="([^"]+)"', page)

    bring(client, code, answer)

    assert client.get("/o/aurora/").status_code == 200
    assert role_here(aurora, "alice-7") == "admin"
