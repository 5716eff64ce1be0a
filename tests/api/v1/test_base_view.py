"""The base of all views: which credential is presented, which body is read, what is recorded."""

import base64
from collections.abc import Callable
from http import HTTPStatus
from io import BytesIO

import pytest
from django.core.handlers.asgi import ASGIRequest
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import FormParser, JSONParser
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from apps.api.v1.base_view import JSONAlone, OrganizationView, presented_token
from apps.api.v1.parsing import MAX_BYTES, BodyTooBig
from apps.api.v1.queries import check_body
from apps.tenancy.models import AuditEntry, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.clients import Asking, member, token


def basic(words: str) -> str:
    """Return the header of a name and a password."""
    return "Basic " + base64.b64encode(words.encode()).decode()


@pytest.mark.parametrize(
    ("header", "presented"),
    [
        ("Bearer flt_1", "flt_1"),
        ("  bearer   flt_1 ", "flt_1"),
        ("Bearer", ""),
        (basic("any:flt_1"), "flt_1"),
        (basic("any:flt:1"), "flt:1"),
        (basic("flt_1"), ""),
        ("basic %", ""),
        ("Basic /w==", ""),
        ("", None),
        ("Digest flt_1", None),
    ],
)
def test_what_the_header_presents_as_token(header: str, presented: str | None) -> None:
    assert presented_token(header) == presented


@pytest.mark.parametrize(
    ("content_type", "is_read"),
    [
        ("application/json", True),
        ("Application/JSON ; charset=utf-8", True),
        ("application/x-www-form-urlencoded", True),
        ("text/plain", False),
        ("", False),
    ],
)
def test_a_body_is_read_by_what_it_says_it_is(content_type: str, *, is_read: bool) -> None:
    request = Request(APIRequestFactory().generic("POST", "/", "{}", content_type=content_type))
    parsers = [JSONParser(), FormParser()]
    found = JSONAlone().select_parser(request, parsers)
    named = content_type.partition(";")[0].strip().lower()
    assert (found in parsers) is is_read
    assert getattr(found, "media_type", named) == named


def chunked(body: bytes) -> Request:
    """Return a request whose body came in chunks, as the server hands it on."""
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/",
        "headers": [(b"transfer-encoding", b"chunked"), (b"content-type", b"application/json")],
    }
    return OrganizationView().initialize_request(ASGIRequest(scope, BytesIO(body)))


def test_a_body_in_chunks_is_read_as_one_of_a_known_length() -> None:
    assert chunked(b'{"text": "seen"}').data == {"text": "seen"}
    assert chunked(b"").data == {}


def test_a_body_in_chunks_is_bounded_and_refused_where_nobody_reads_it() -> None:
    with pytest.raises(BodyTooBig):
        _ = chunked(b" " * (MAX_BYTES + 1)).data
    with pytest.raises(ValidationError, match="send none"):
        check_body(handler=chunked, request=chunked(b'{"text": "seen"}'))


@pytest.fixture
def own() -> Organization:
    """Of who asks."""
    return make.organization()


@pytest.fixture
def other() -> Organization:
    """One that who asks does not belong to."""
    return make.organization()


def acts(organization: Organization) -> list[str]:
    """Return what stands in an organization's record."""
    with organization_scope(organization.pk):
        own = AuditEntry.objects.for_organization(organization)
        return list(own.order_by("id").values_list("action", flat=True))


@pytest.mark.django_db
@pytest.mark.parametrize("make_asking", [member, token])
def test_asking_for_what_is_not_there_or_anothers_is_recorded_at_home(
    make_asking: Callable[[Organization], Asking], own: Organization, other: Organization
) -> None:
    asking = make_asking(own)
    before = len(acts(own))
    assert asking.get("sources/SRC-1/").status_code == HTTPStatus.NOT_FOUND
    elsewhere = asking.client.get(f"/api/v1/o/{other.slug}/sources/")
    assert elsewhere.status_code == HTTPStatus.NOT_FOUND

    assert acts(own)[before:] == ["access.refused"] * 2
    assert acts(other) == []


@pytest.mark.django_db
def test_what_nobody_signed_in_asks_for_is_recorded_nowhere(own: Organization) -> None:
    nobody = Asking(own, token(own).client.__class__())
    before = acts(own)
    assert nobody.get("sources/").status_code == HTTPStatus.NOT_FOUND
    assert acts(own) == before


@pytest.mark.django_db
def test_a_slip_of_who_may_ask_is_not_recorded_as_refused(own: Organization) -> None:
    asking = token(own)
    before = acts(own)
    assert asking.get("sources/", limit="0").status_code == HTTPStatus.BAD_REQUEST
    assert acts(own) == before


@pytest.mark.django_db
def test_head_takes_what_get_takes_and_a_method_that_is_not_there_is_told_first(
    own: Organization,
) -> None:
    asking = token(own)
    path = f"/api/v1/o/{own.slug}/clusters/"
    answers = [
        asking.client.head(f"{path}?limit=1"),
        asking.client.head(f"{path}?limits=1"),
        asking.client.post(f"{path}?limits=1"),
        asking.client.generic("TRACE", f"{path}?limits=1"),
    ]
    assert [each.status_code for each in answers] == [200, 400, 405, 405]
