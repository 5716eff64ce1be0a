"""What a stranger, another provider or a changed answer may not do with a sign-in by SAML."""

import base64
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import xmlsec
from django.core.cache import cache
from django.test import Client
from lxml import etree

from apps.tenancy.models import Organization, User
from apps.tenancy.single_sign_on.saml.strict_xml import Unreadable, parse, the_assertion
from tests.cast import make
from tests.cast.saml_provider import (
    ALICE,
    A,
    Request,
    SamlProvider,
    Told,
    encoded,
    request_of,
    sign,
)
from tests.cast.saml_world import bring, saml_provider
from tests.cast.wrapped_signatures import WRAPPINGS
from tests.web.sign_in.through_provider import acts, lead, said

pytestmark = pytest.mark.sweep

ISSUER = "https://login.aurora.example/saml"
IN = {**ALICE, "groups": ["gpu-oncall"]}
Prove = Callable[[SamlProvider, Request], Any]


@pytest.fixture
def provider() -> SamlProvider:
    """Whom the organization trusts."""
    return SamlProvider(issuer=ISSUER)


@pytest.fixture
def saml_code(aurora: Organization, provider: SamlProvider) -> str:
    """What stands in its link."""
    cache.clear()
    return saml_provider(organization=aurora, metadata=provider.metadata())


def is_signed_in(client: Client) -> bool:
    """Whether somebody is."""
    return "_auth_user_id" in client.session


def refused(code: str, make_answer: Callable[[Request], Any]) -> str:
    """Come back with an answer, be refused, and return what is said; nobody is made of it."""
    client, before = Client(), User.objects.count()
    answer = bring(client, code, make_answer(request_of(lead(client, code))))
    assert answer.status_code == 403
    assert not is_signed_in(client)
    assert User.objects.count() == before
    return said(answer)


def test_what_behaves_is_let_in(provider: SamlProvider, saml_code: str) -> None:
    client = Client()
    asked = request_of(lead(client, saml_code))
    bring(client, saml_code, provider.answer(asked, told=Told(attributes=IN)))
    assert is_signed_in(client)


@pytest.mark.parametrize("wrap", WRAPPINGS)
def test_a_signature_that_is_wrapped_proves_nothing(
    provider: SamlProvider, saml_code: str, wrap: Callable[[Any], Any]
) -> None:
    def wrapped(asked: Request) -> Any:
        root = provider.answer(asked, told=Told(attributes=IN))
        sign(root, root, provider.key)  # the answer, too: some wrap that
        wrap_of_it = wrap(root)
        # Neither signature nor key is asked for: the arrangement alone is refused.
        with pytest.raises(Unreadable):
            the_assertion(parse(etree.tostring(wrap_of_it)))
        return wrap_of_it

    assert "proves nothing here" in refused(saml_code, wrapped)


def test_an_answer_that_is_signed_too_is_let_in(provider: SamlProvider, saml_code: str) -> None:
    client = Client()
    root = provider.answer(request_of(lead(client, saml_code)), told=Told(attributes=IN))
    sign(root, root, provider.key)
    bring(client, saml_code, root)
    assert is_signed_in(client)


def _changed(provider: SamlProvider, asked: Request) -> Any:
    root = provider.answer(asked, told=Told(attributes={**ALICE, "groups": ["others"]}))
    for each in root.iter(f"{{{A}}}AttributeValue"):
        each.text = each.text.replace("others", "gpu-admins")
    return root


def _unsigned(provider: SamlProvider, asked: Request) -> Any:
    root = provider.answer(asked, told=Told(attributes=IN))
    signature = next(root.iter("{*}Signature"))
    signature.getparent().remove(signature)
    return root


def _only_the_answer_is_signed(provider: SamlProvider, asked: Request) -> Any:
    root = _unsigned(provider, asked)
    sign(root, root, provider.key)
    return root


def _by_another_key(provider: SamlProvider, asked: Request) -> Any:
    return SamlProvider(issuer=provider.issuer).answer(asked, told=Told(attributes=IN))


def _with_the_key_in_it(provider: SamlProvider, asked: Request) -> Any:
    """A stranger's signature, with the stranger's certificate beside it."""
    stranger = SamlProvider(issuer=provider.issuer)
    root = stranger.answer(asked, told=Told(attributes=IN))
    (certificate,) = etree.fromstring(stranger.metadata().encode()).iter("{*}KeyInfo")
    next(root.iter("{*}Signature")).append(certificate)
    return root


def _weakly(provider: SamlProvider, asked: Request) -> Any:
    root = _unsigned(provider, asked)
    weak = {"method": xmlsec.Transform.RSA_SHA1, "digest": xmlsec.Transform.SHA1}
    sign(root, root.find("{*}Assertion"), provider.key, **weak)
    return root


def _comment_in_the_name(provider: SamlProvider, asked: Request) -> Any:
    text = etree.tostring(provider.answer(asked, told=Told(subject="alice-7.mallory")))
    return base64.b64encode(text.replace(b"alice-7.", b"alice-7<!-- -->.")).decode()


def _elements_in_the_name(provider: SamlProvider, asked: Request) -> Any:
    def nest(root: Any) -> None:
        etree.SubElement(next(root.iter(f"{{{A}}}NameID")), f"{{{A}}}X").text = "7"

    return provider.answer(asked, told=Told(attributes=IN), before=nest)


@pytest.mark.parametrize(
    "forge",
    [
        _changed,
        _unsigned,
        _only_the_answer_is_signed,
        _by_another_key,
        _with_the_key_in_it,
        _weakly,
        _comment_in_the_name,
        _elements_in_the_name,
    ],
)
def test_what_the_providers_key_did_not_sign_just_so_proves_nothing(
    provider: SamlProvider, saml_code: str, forge: Prove
) -> None:
    assert "proves nothing here" in refused(saml_code, lambda asked: forge(provider, asked))


@pytest.mark.parametrize(
    "wrong",
    [
        {"audience": "https://other.example/metadata"},
        {"audience": None},
        {"recipient": "https://other.example/saml"},
        {"destination": "https://other.example/saml"},
        {"issuer": "https://login.example.org"},
        {"lasts": timedelta(minutes=-2)},
        {"begins": timedelta(minutes=2)},
        {"subject": ""},
        {"subject": "x" * 256},
        {"subject_format": "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"},
    ],
)
def test_an_assertion_that_is_not_of_here_and_now_proves_nothing(
    provider: SamlProvider, saml_code: str, wrong: dict[str, Any]
) -> None:
    told = Told(attributes=IN, **wrong)
    assert "proves nothing here" in refused(
        saml_code, lambda asked: provider.answer(asked, told=told)
    )


def test_a_clock_that_is_ahead_by_less_than_a_minute_lets_in(
    provider: SamlProvider, saml_code: str
) -> None:
    client, ahead = Client(), Told(attributes=IN, begins=timedelta(seconds=40))
    asked = request_of(lead(client, saml_code))
    bring(client, saml_code, provider.answer(asked, told=ahead))
    assert is_signed_in(client)


@pytest.mark.parametrize("answers", [None, "_made-up"])
def test_an_answer_that_nobody_asked_for_opens_nothing(
    provider: SamlProvider, saml_code: str, answers: str | None
) -> None:
    told = Told(attributes=IN, in_response_to=answers)
    words = refused(saml_code, lambda asked: provider.answer(asked, told=told))
    assert "did not begin here" in words or "began in another browser" in words


def test_an_answer_counts_once_and_in_the_browser_that_asked(
    provider: SamlProvider, saml_code: str
) -> None:
    client, stranger = Client(), Client()
    lead(stranger, saml_code)
    answer = provider.answer(request_of(lead(client, saml_code)), told=Told(attributes=IN))
    text = encoded(answer)

    stolen = bring(stranger, saml_code, text)
    assert "began in another browser" in said(stolen)
    assert not is_signed_in(stranger)

    again = bring(client, saml_code, text)
    assert "was used already" in said(again)
    assert not is_signed_in(client)


def test_an_answer_that_let_somebody_in_lets_nobody_in_again(
    provider: SamlProvider, aurora: Organization, saml_code: str
) -> None:
    client = Client()
    answer = provider.answer(request_of(lead(client, saml_code)), told=Told(attributes=IN))
    bring(client, saml_code, answer)
    client.post("/sign-out/")

    assert "was used already" in said(bring(client, saml_code, answer))
    assert not is_signed_in(client)
    assert ("provider_sign_in.refused", "replayed") in acts(aurora)


def test_the_way_on_counts_once(provider: SamlProvider, saml_code: str) -> None:
    client = Client()
    answer = provider.answer(request_of(lead(client, saml_code)), told=Told(attributes=IN))
    led = Client().post(f"/sign-in/with/{saml_code}/saml/", {"SAMLResponse": encoded(answer)})
    client.get(led["Location"])
    client.post("/sign-out/")

    assert client.get(led["Location"]).status_code == 403
    assert not is_signed_in(client)


def test_one_organizations_provider_opens_nothing_of_another(
    provider: SamlProvider, aurora: Organization, saml_code: str
) -> None:
    northwind = make.organization("northwind")
    other = saml_provider(organization=northwind, metadata=SamlProvider(issuer=ISSUER).metadata())
    client = Client()
    asked = request_of(lead(client, other))

    answer = bring(client, other, provider.answer(asked, told=Told(attributes=IN)))

    assert "proves nothing here" in said(answer)
    # Nor does an answer for one link at another's, though both trust the same key.
    twin = saml_provider(organization=make.organization("corvus"), metadata=provider.metadata())
    mine = Client()
    for_mine = provider.answer(request_of(lead(mine, saml_code)), told=Told(attributes=IN))
    assert "proves nothing here" in said(bring(mine, twin, for_mine))


BOMB = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))


@pytest.mark.parametrize(
    "start",
    [
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd">',
        f'<!DOCTYPE x [<!ENTITY a0 "lol">{BOMB}]>',
        "<?xml-stylesheet href='http://127.0.0.1:9/x.xsl'?>",
        '<?xml version="1.0" encoding="UTF-7"?>',
        "<!-- -->",
    ],
)
def test_doctypes_entities_and_instructions_are_refused_before_they_are_read(
    provider: SamlProvider, saml_code: str, start: str
) -> None:
    def with_start(asked: Request) -> str:
        text = etree.tostring(provider.answer(asked, told=Told(attributes=IN)))
        return base64.b64encode(start.encode() + text).decode()

    assert "proves nothing here" in refused(saml_code, with_start)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "%%%",
        "AAAA",
        base64.b64encode(b"<a/>" * 9).decode(),
        "x" * 700_000,
        base64.b64encode("<a/>".encode("utf-16")).decode(),
        base64.b64encode(b"<a>" * 1000 + b"</a>" * 1000).decode(),
    ],
)
def test_what_is_no_answer_is_refused(saml_code: str, text: str) -> None:
    assert "proves nothing here" in refused(saml_code, lambda _asked: text)


def test_two_addresses_are_none(provider: SamlProvider, saml_code: str) -> None:
    mails = {"email": ["alice@aurora.example", "admin@aurora.example"], "groups": ["gpu-oncall"]}
    told = Told(attributes=mails)
    words = refused(saml_code, lambda asked: provider.answer(asked, told=told))
    assert "mail address is verified" in words


def test_too_many_groups_for_an_assertion_take_nobodys_access(
    provider: SamlProvider, saml_code: str
) -> None:
    link = "http://schemas.microsoft.com/claims/groups.link"
    told = Told(attributes={**ALICE, link: ["https://graph.example/groups"]})
    words = refused(saml_code, lambda asked: provider.answer(asked, told=told))
    assert "too many groups" in words


def test_answers_are_counted_for_each_network(saml_code: str) -> None:
    cache.clear()
    address = f"/sign-in/with/{saml_code}/saml/"
    ways = [Client().post(address, {"SAMLResponse": "AAAA"})["Location"] for _ in range(61)]

    assert ("refused=bad-assertion" in ways[59], "refused=too-many" in ways[60]) == (True, True)


def test_nothing_of_openid_connect_is_there_for_a_link_of_saml(saml_code: str) -> None:
    assert Client().get(f"/sign-in/with/{saml_code}/callback/?code=a&state=b").status_code == 404
