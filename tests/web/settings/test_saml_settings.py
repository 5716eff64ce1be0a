"""An admin sets a SAML provider up, by its metadata."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from django.core.management import call_command
from django.test import Client

from apps.tenancy.models import IdentityProvider, MemberRole, Organization, SignInProtocol
from apps.tenancy.scope import organization_scope
from apps.tenancy.single_sign_on import provider_settings
from apps.tenancy.single_sign_on.saml import toolkit
from tests.cast import make
from tests.cast.saml_provider import SamlProvider
from tests.web.settings.audited_deeds import deeds_of

PAGE = "/o/aurora/settings/single-sign-on/"
FORM = {"groups": "gpu-oncall = responder", "group_claim": "groups", "is_enabled": "1"}
ISSUER = "https://login.aurora.example/saml"


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


@pytest.fixture
def metadata() -> str:
    """What a provider publishes."""
    return SamlProvider(issuer=ISSUER).metadata()


@pytest.fixture
def served(metadata: str) -> Iterator[str]:
    """Where it publishes that."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(metadata.encode())

        def log_message(self, *_arguments: object) -> None:
            """Stay quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/metadata"
    server.shutdown()
    server.server_close()


def kept(organization: Organization) -> IdentityProvider | None:
    """Return the row."""
    with organization_scope(organization.pk):
        return IdentityProvider.objects.for_organization(organization).first()


def test_the_addresses_come_first_and_the_metadata_afterwards(
    organization: Organization, admin: Client, metadata: str
) -> None:
    admin.post(f"{PAGE}saml/", FORM)
    first = kept(organization)
    assert first is not None
    assert (first.protocol, first.is_enabled, first.issuer) == (SignInProtocol.SAML, False, "")
    page = admin.get(PAGE).content.decode()
    assert f"/sign-in/with/aurora.{first.public_id}/saml/metadata/" in page

    admin.post(f"{PAGE}saml/", {**FORM, "metadata": metadata})
    then = kept(organization)
    assert then is not None
    assert (then.public_id, then.is_enabled, then.issuer) == (first.public_id, True, ISSUER)
    assert then.sign_in_url == f"{ISSUER}/sso"
    assert then.certificates.count("BEGIN CERTIFICATE") == 1
    assert {"identity_provider.made", "identity_provider.changed"} <= set(deeds_of(organization))

    admin.post(f"{PAGE}saml/", {**FORM, "groups": "gpu-admins = admin"})
    last = kept(organization)
    assert last is not None
    assert (last.issuer, last.role_by_group) == (ISSUER, {"gpu-admins": "admin"})


def test_metadata_is_fetched_where_outbound_requests_may_go(
    organization: Organization, admin: Client, served: str
) -> None:
    closed = admin.post(f"{PAGE}saml/", {**FORM, "metadata_url": served})
    assert "The portal may not reach this address." in closed.content.decode()
    assert kept(organization) is None

    admin.post(f"{PAGE}saml/", {**FORM, "metadata_url": served, "networks": "127.0.0.0/8"})
    row = kept(organization)
    assert row is not None
    assert row.issuer == ISSUER


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<?xml", "<!DOCTYPE x><?xml"),
        ("IDPSSODescriptor", "SPSSODescriptor"),
        (f'entityID="{ISSUER}"', 'entityID=""'),
        ("bindings:HTTP-Redirect", "bindings:SOAP"),
        ('https://login.aurora.example/saml/sso"', 'javascript:alert(1)"'),
        ('https://login.aurora.example/saml/sso"', 'http://login.aurora.example/sso"'),
        ('use="signing"', 'use="encryption"'),
        ("X509Certificate>", "X509SKI>"),
        ("MII", "AAA"),
    ],
)
def test_what_is_no_metadata_of_a_provider_is_refused(
    organization: Organization, admin: Client, metadata: str, old: str, new: str
) -> None:
    assert old in metadata

    answer = admin.post(f"{PAGE}saml/", {**FORM, "metadata": metadata.replace(old, new)})

    assert answer.status_code == 422
    assert kept(organization) is None


def test_vouching_for_addresses_takes_a_confirmed_domain(
    organization: Organization, admin: Client, metadata: str
) -> None:
    form = {**FORM, "metadata": metadata, "vouches_for_addresses": "1"}

    early = admin.post(f"{PAGE}saml/", form)
    assert "once a mail domain of yours is confirmed" in early.content.decode()
    assert kept(organization) is None

    call_command("mail_domain", "aurora", "aurora.example")
    admin.post(f"{PAGE}saml/", form)
    row = kept(organization)
    assert row is not None
    assert row.vouches_for_addresses


@pytest.mark.parametrize("role", [MemberRole.VIEWER, MemberRole.RESPONDER])
def test_only_admins_change_it(organization: Organization, metadata: str, role: MemberRole) -> None:
    client = Client()
    client.force_login(make.user(organization=organization, role=role))

    assert client.post(f"{PAGE}saml/", {**FORM, "metadata": metadata}).status_code == 404
    assert kept(organization) is None


def test_without_the_libraries_the_page_says_what_to_install(
    organization: Organization, admin: Client, metadata: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin.post(f"{PAGE}saml/", {**FORM, "metadata": metadata})
    row = kept(organization)
    assert row is not None
    monkeypatch.setattr(toolkit, "is_installed", lambda: False)

    assert "pipx install &#x27;faultline[saml]&#x27;" in admin.get(PAGE).content.decode().replace(
        "'", "&#x27;"
    )
    answer = admin.post(f"{PAGE}saml/", {**FORM, "metadata": metadata})
    assert "SAML is not installed on this portal." in answer.content.decode()
    link = f"/sign-in/with/aurora.{row.public_id}/"
    assert "SAML is not installed" in Client().post(link).content.decode()
    assert Client().post(f"{link}saml/").status_code == 404
    assert Client().get(f"{link}saml/finish/").status_code == 404


def test_its_row_has_no_secret_to_seal_anew(organization: Organization, admin: Client) -> None:
    admin.post(f"{PAGE}saml/", FORM)

    with organization_scope(organization.pk):
        assert provider_settings.reseal_all(organization=organization) == 0
