"""What a provider, a stranger or another organization's provider may not do with a sign-in."""

import base64
import json
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
import pytest
from django.core.cache import cache
from django.test import Client

from apps.tenancy.models import MailDomain, MemberRole, Membership, Organization, User
from apps.tenancy.scope import organization_scope
from apps.tenancy.single_sign_on import provider_http
from tests.cast import identity_provider, make
from tests.cast.identity_provider import SECRET, ProviderServer, new_key
from tests.web.sign_in.through_provider import ALICE, acts, come, lead, said

pytestmark = pytest.mark.sweep

IN = {"groups": ["gpu-oncall"]}


def is_signed_in(client: Client) -> bool:
    """Whether somebody is."""
    return "_auth_user_id" in client.session


def refused(server: ProviderServer, code: str, **claims: Any) -> str:
    """Come back, be refused, and return what is said; nobody is made of it."""
    client, before = Client(), User.objects.count()
    answer = come(client, server, code, **{**IN, **claims})
    assert answer.status_code == 403
    assert not is_signed_in(client)
    assert User.objects.count() == before
    return said(answer)


def test_what_behaves_is_let_in(server: ProviderServer, code: str) -> None:
    client = Client()
    come(client, server, code, **IN)
    assert is_signed_in(client)


@pytest.mark.parametrize(
    "wrong",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"iss": "https://login.example.org"},
        {"aud": "another-client"},
        {"aud": ["faultline", "another-client"]},
        {"azp": "another-client"},
        {"exp": int(time.time()) - 3600},
        {"exp": "never"},
        {"iat": int(time.time()) + 3600},
        {"sub": ""},
        {"sub": 7},
        {"sub": "x" * 256},
        {"sub": "a\x00b"},
    ],
)
def test_a_token_that_is_not_of_this_sign_in_proves_nothing(
    server: ProviderServer, code: str, wrong: dict[str, Any]
) -> None:
    server.bends["claims"] = lambda claims: {**claims, **wrong}
    assert "proves nothing here" in refused(server, code)


@pytest.mark.parametrize("name", ["nonce", "sub", "exp", "iat", "aud", "iss"])
def test_a_token_without_what_it_has_to_say_proves_nothing(
    server: ProviderServer, code: str, name: str
) -> None:
    server.bends["claims"] = lambda claims: {key: claims[key] for key in claims if key != name}
    assert "proves nothing here" in refused(server, code)


def _segment(value: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def _unsigned(claims: dict[str, Any]) -> str:
    return f"{_segment({'alg': 'none', 'typ': 'JWT'})}.{_segment(claims)}."


def _by_another_key(claims: dict[str, Any]) -> str:
    return jwt.encode(claims, new_key(), algorithm="RS256", headers={"kid": "k1"})


def _by_the_client_secret(claims: dict[str, Any]) -> str:
    key = SECRET * 4
    return jwt.encode(claims, key, algorithm="HS256", headers={"kid": "k1"})


def _broken(claims: dict[str, Any]) -> str:
    head, _body, sign = _by_another_key(claims).split(".")
    return f"{head}.{_segment(claims)}.{sign}"


@pytest.mark.parametrize(
    "forge",
    [
        _unsigned,
        _by_another_key,
        _by_the_client_secret,
        _broken,
        lambda _claims: "no.token.at.all",
        lambda _claims: "",
        lambda _claims: None,
        lambda _claims: ["a"],
        lambda _claims: "x" * 70_000,
    ],
)
def test_a_token_that_the_providers_key_did_not_sign_proves_nothing(
    server: ProviderServer, code: str, forge: Callable[[dict[str, Any]], Any]
) -> None:
    server.bends["id_token"] = forge
    assert "proves nothing here" in refused(server, code)


def test_a_keyed_digest_with_the_public_key_in_it_proves_nothing(
    server: ProviderServer, code: str
) -> None:
    secret = base64.urlsafe_b64encode(b"k" * 64).rstrip(b"=").decode()
    server.bends["/keys"] = lambda _told: {
        "keys": [{"kty": "oct", "k": secret, "kid": "k1", "alg": "HS256"}]
    }
    server.bends["id_token"] = lambda claims: jwt.encode(
        claims, b"k" * 64, algorithm="HS256", headers={"kid": "k1"}
    )
    assert "proves nothing here" in refused(server, code)


def test_the_userinfo_of_another_subject_proves_nothing(server: ProviderServer, code: str) -> None:
    server.bends["claims"] = lambda claims: {
        name: claims[name] for name in claims if not name.startswith("email")
    }
    server.userinfo = {**ALICE, "sub": "mallory"}
    assert "proves nothing here" in refused(server, code)

    client, server.userinfo = Client(), {**ALICE, "sub": "alice"}
    come(client, server, code, **IN)
    assert is_signed_in(client)


@pytest.mark.parametrize(
    ("mail", "words"),
    [
        ({"email_verified": False}, "your mail address is verified"),
        ({"email_verified": "true"}, "your mail address is verified"),
        ({"email": None}, "your mail address is verified"),
        ({"email": "alice@northwind.example"}, "of no confirmed domain"),
        ({"email": "alice@aurora.example.northwind.example"}, "of no confirmed domain"),
        ({"email": "alice@sub.aurora.example"}, "of no confirmed domain"),
        ({"email": "aurora.example"}, "your mail address is verified"),
    ],
)
def test_an_address_that_the_provider_may_not_vouch_for_lets_nobody_in(
    server: ProviderServer, aurora: Organization, code: str, mail: dict[str, Any], words: str
) -> None:
    assert words in refused(server, code, **mail)
    assert any(action == "provider_sign_in.refused" for action, _ in acts(aurora))


def test_a_domain_that_waits_for_the_operator_does_not_count(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    with organization_scope(aurora.pk):
        MailDomain.objects.for_organization(aurora).update(confirmed_at=None)
    assert "of no confirmed domain" in refused(server, code)


def test_no_account_is_taken_over_by_its_mail_address(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    mine = make.user(organization=aurora, name="alice")
    User.objects.filter(pk=mine.pk).update(email="Alice@Aurora.example")
    other = make.organization("northwind")
    theirs = make.user(organization=other, name="alice@aurora.example")
    User.objects.filter(pk=theirs.pk).update(email="bob@aurora.example")

    assert "has your mail address already" in refused(server, code)

    client = Client()
    come(client, server, code, sub="bob", email="bob@aurora.example", **IN)
    made = User.objects.get(pk=client.session["_auth_user_id"])
    assert made.pk != theirs.pk
    assert client.get("/o/northwind/").status_code == 404


def test_an_account_of_several_organizations_is_not_opened_by_one_of_their_providers(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    come(Client(), server, code, **IN)
    other = make.organization("northwind")
    with organization_scope(other.pk):
        Membership.objects.create(
            organization=other,
            user=User.objects.get(username="alice@aurora.example"),
            role=MemberRole.VIEWER,
        )

    words = refused(server, code)

    assert "signs in with its password" in words
    assert "northwind" not in words.lower()


def test_a_way_back_counts_once_in_the_browser_that_began_and_at_its_provider(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    other = identity_provider.provider(
        organization=make.organization("northwind"), issuer=server.issuer
    )
    client = Client()
    back = server.approve(lead(client, code), **{**ALICE, **IN})

    stranger = Client().get(back)
    elsewhere = client.get(back.replace(code, other))
    made_up = client.get(back.replace("state=", "state=x"))
    assert [each.status_code for each in (stranger, elsewhere, made_up)] == [403, 403, 403]
    assert "/token" not in [path for path, _form, _credential in server.asked]

    assert client.get(back).status_code == 302
    client.post("/sign-out/")
    assert client.get(back).status_code == 403
    assert not is_signed_in(client)


def test_an_answer_that_names_another_issuer_is_not_exchanged(
    server: ProviderServer, code: str
) -> None:
    client = Client()
    back = server.approve(lead(client, code), **{**ALICE, **IN})

    answer = client.get(f"{back}&{urlencode({'iss': 'https://mallory.example'})}")

    assert answer.status_code == 403
    assert "/token" not in [path for path, _form, _credential in server.asked]


def test_nobody_is_led_on_without_the_forms_token_nor_out_of_the_portal(
    server: ProviderServer, code: str
) -> None:
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(f"/sign-in/with/{code}/").status_code == 403
    assert "refresh" not in said(strict.get(f"/sign-in/with/{code}/"))

    client = Client()
    target = lead(client, code, next="https://mallory.example/")
    answer = client.get(server.approve(target, **{**ALICE, **IN}))
    assert answer["Location"] == "/"
    asked = parse_qs(urlsplit(target).query)
    assert asked["code_challenge_method"] == ["S256"]
    assert asked["redirect_uri"] == [f"http://127.0.0.1:8000/sign-in/with/{code}/callback/"]


@pytest.mark.parametrize("path", ["/.well-known/openid-configuration", "/keys", "/token"])
@pytest.mark.parametrize(
    "told",
    [500, 302, b"[]", b"7", b"{", b"[" * 100_000, b"x" * 700_000, b""],
    ids=["error", "redirect", "list", "number", "broken", "deep", "endless", "empty"],
)
def test_an_answer_that_is_none_lets_nobody_in_and_is_not_repeated(
    server: ProviderServer,
    code: str,
    path: str,
    told: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    client = Client()
    back = server.approve(lead(client, code), **{**ALICE, **IN})
    server.bends[path] = lambda _told: told

    answer = client.get(back)

    assert answer.status_code == 403
    assert not is_signed_in(client)
    assert "xxxx" not in said(answer) + caplog.text


def drip(handler: Any) -> None:
    """Send a letter now and then, for ever."""
    handler.send_response(200)
    handler.end_headers()
    while not handler.server.hold.wait(0.05):
        handler.wfile.write(b" ")


def never(handler: Any) -> None:
    """Send nothing."""
    handler.server.hold.wait(20)


@pytest.mark.parametrize("bend", [drip, never])
def test_a_provider_that_never_ends_holds_nobody_for_long(
    server: ProviderServer,
    code: str,
    bend: Callable[[Any], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(provider_http, "EACH_SECONDS", 0.4)
    server.bends["/.well-known/openid-configuration"] = lambda _told: bend
    began = time.monotonic()

    answer = Client().post(f"/sign-in/with/{code}/")
    server.hold.set()

    assert "doesn't answer" in said(answer)
    assert time.monotonic() - began < 10


def test_a_secret_that_is_said_back_stands_nowhere(
    server: ProviderServer, aurora: Organization, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    client = Client()
    back = server.approve(lead(client, code), **{**ALICE, **IN})
    server.bends["/token"] = lambda _told: {"error": f"wrong secret {SECRET}", "access_token": 7}

    answer = client.get(back)

    assert answer.status_code == 403
    assert SECRET not in said(answer)
    assert SECRET not in caplog.text
    assert SECRET not in str(acts(aurora))


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]:9/keys",
        "http://10.0.0.1/keys",
        "file:///etc/passwd",
        "http://user:word@127.0.0.1/keys",
    ],
)
@pytest.mark.parametrize("name", ["jwks_uri", "token_endpoint"])
def test_a_provider_leads_the_portal_to_no_address_that_is_refused(
    server: ProviderServer, code: str, name: str, url: str
) -> None:
    client = Client()
    back = server.approve(lead(client, code), **{**ALICE, **IN})
    server.bends["/.well-known/openid-configuration"] = lambda told: {**told, name: url}

    assert client.get(back).status_code == 403


def test_the_portals_own_addresses_are_closed_unless_the_operator_opened_them(
    server: ProviderServer, code: str, settings: Any
) -> None:
    settings.PORTAL_OUTBOUND_NETWORKS = []

    answer = Client().post(f"/sign-in/with/{code}/")

    assert "may not reach the provider" in said(answer)
    assert server.asked == []


def test_too_many_groups_for_a_token_take_nobodys_access(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    client = Client()
    come(client, server, code, **IN)

    answer = come(Client(), server, code, groups=None, _claim_names={"groups": "src1"})

    assert "too many groups" in said(answer)
    assert client.get("/o/aurora/").status_code == 200


def test_beginnings_are_counted_for_each_network(server: ProviderServer, code: str) -> None:
    cache.clear()
    statuses = [Client().post(f"/sign-in/with/{code}/").status_code for _ in range(61)]

    assert (statuses[59], statuses[60]) == (200, 403)
