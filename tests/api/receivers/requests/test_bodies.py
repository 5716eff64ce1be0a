"""Bodies that are held as a whole: their coding, their bounds, and how OTLP's are refused."""

import gzip
import json

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from apps.api.receivers.otlp import requests as otlp
from apps.api.receivers.otlp.requests import JSON, PROTOBUF, body_of
from apps.api.receivers.requests.authentication import Push
from apps.api.receivers.requests.bodies import json_body, whole_body
from apps.api.receivers.requests.errors import NoToken, UnknownCluster, UnsupportedMedia, refused
from apps.fleet.models import Cluster
from apps.telemetry.formats.lines.complaints import NothingUsable, TooBig
from apps.telemetry.formats.otlp.otlp_log_messages import STATUS


def request(body: bytes, *, coding: str = "", content_type: str = JSON) -> HttpRequest:
    """Return a push of a body."""
    headers = {"Content-Encoding": coding} if coding else {}
    return RequestFactory().post("/", body, content_type=content_type, headers=headers)


@pytest.mark.parametrize("coding", ["gzip", "GZIP"])
def test_a_packed_body_is_unpacked(coding: str) -> None:
    packed = request(gzip.compress(b"{}"), coding=coding)
    assert json_body(packed) == b"{}"


@pytest.mark.parametrize("coding", ["", "identity", "Identity"])
def test_a_plain_body_is_read_as_it_is(coding: str) -> None:
    assert json_body(request(b"{}", coding=coding)) == b"{}"


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, gzip"])
def test_json_in_another_coding_is_refused_by_name(coding: str) -> None:
    with pytest.raises(NothingUsable, match=coding):
        json_body(request(b"{}", coding=coding))


def test_what_is_no_gzip_is_nothing_usable() -> None:
    with pytest.raises(NothingUsable):
        whole_body(request(b"{}", coding="gzip"))


@pytest.mark.parametrize(
    ("content_type", "is_json"), [(JSON, True), (f"{JSON}; charset=utf-8", True), (PROTOBUF, False)]
)
def test_otlp_comes_as_json_or_protobuf(content_type: str, *, is_json: bool) -> None:
    assert body_of(request(b"{}", content_type=content_type)) == (b"{}", is_json)


@pytest.mark.parametrize(
    ("content_type", "words"),
    [("text/plain", "send "), ("", "send "), ("application/grpc+proto", "gRPC is not taken")],
)
def test_otlp_in_another_form_is_told_which_is_taken(content_type: str, words: str) -> None:
    with pytest.raises(UnsupportedMedia, match=words):
        body_of(request(b"{}", content_type=content_type))


def test_otlp_may_unpack_to_the_limit_and_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(otlp, "LIMIT_BYTES", 1000)
    body_of(request(gzip.compress(b"x" * 1000), coding="gzip"))
    with pytest.raises(TooBig):
        body_of(request(gzip.compress(b"x" * 1001), coding="gzip"))


@otlp.otlp_receiver(lambda _: None)
def nothing(request: HttpRequest, push: Push) -> HttpResponse:
    """Never be reached without a token."""
    raise AssertionError


def test_otlp_is_refused_in_the_coding_of_the_request() -> None:
    plain, packed = (nothing(request(b"x", content_type=each)) for each in (JSON, PROTOBUF))
    assert (plain.status_code, plain["Content-Type"]) == (401, JSON)
    assert json.loads(plain.content)["code"] == 16
    assert (packed.status_code, packed["Content-Type"]) == (401, PROTOBUF)
    assert STATUS.FromString(packed.content).code == 16


@pytest.mark.parametrize(
    ("error", "status", "detail"),
    [
        (UnknownCluster(named="x"), 404, "There is no such cluster for this credential; this"),
        (NoToken(), 401, "No token was sent."),
        (type("Odd", (NothingUsable,), {})("no line"), 400, "no line"),
    ],
)
def test_a_refusal_says_what_to_do_or_the_errors_own_words(
    error: Exception, status: int, detail: str
) -> None:
    answer = refused(error)
    assert answer.status_code == status
    assert json.loads(answer.content)["detail"].startswith(detail)


def test_an_unknown_cluster_is_refused_with_those_that_the_token_writes_to() -> None:
    own = [Cluster(slug="meridian"), Cluster(slug="zenith")]
    near, far = (str(UnknownCluster(own, named=named)) for named in ("meridan", "elsewhere"))
    assert near.endswith("writes to: meridian, zenith; did you mean `meridian`?")
    assert far.endswith("writes to: meridian, zenith.")
