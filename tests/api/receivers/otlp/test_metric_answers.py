"""POST /v1/metrics: what is refused, and how who sent it is told."""

import gzip

import orjson
import pytest
from django.conf import LazySettings
from google.protobuf import json_format
from hypothesis import HealthCheck, given
from hypothesis import settings as tries
from hypothesis import strategies as st

from apps.telemetry.formats.otlp.otlp_messages import REQUEST, RESPONSE
from tests.api.receivers.otlp.metric_requests import (
    CUMULATIVE,
    DELTA,
    JSON,
    document,
    kept,
    point,
    push,
    total,
)
from tests.api.receivers.writing import V1, export
from tests.apps.telemetry.samples.windows import drained, sources, waiting
from tests.cast.pushes import Cast, cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> Cast:
    """A cluster and its parties."""
    return cast()


def test_points_that_can_not_be_kept_are_told_and_the_others_stay(people: Cast) -> None:
    said = document(
        total("rdma.errors", [point(7)], CUMULATIVE),
        total("queue.length", [point(-2)], DELTA, grows=False),
        {"name": "", "gauge": {"dataPoints": [point(1)]}},
    )

    answer = push(people, said)

    assert answer.status_code == 200
    told = answer.json()["partialSuccess"]
    assert told["rejectedDataPoints"] == "2"
    assert "increments" in told["errorMessage"]
    assert kept(people) == {"rdma_errors_total": [(10, 7)]}


@pytest.mark.parametrize("coding", ["identity", "gzip"])
def test_protobuf_is_answered_as_protobuf(people: Cast, coding: str) -> None:
    request = json_format.ParseDict(
        document({"name": "a", "gauge": {"dataPoints": [point(1), point(2, 9)]}}),
        REQUEST(),
        ignore_unknown_fields=True,
    )
    plain = request.SerializeToString()
    body = gzip.compress(plain) if coding == "gzip" else plain

    answer = export(people.token(people.operator), body, Content_Encoding=coding)

    assert (answer.status_code, answer["Content-Type"]) == (200, V1)
    response = RESPONSE()
    response.ParseFromString(answer.content)
    assert not response.HasField("partial_success")
    assert kept(people) == {"a": [(10, 1), (9, 2)]}


@pytest.mark.parametrize(
    ("body", "content_type", "coding", "status"),
    [
        (b"{}", "text/plain", "", 415),
        (b"{}", JSON, "zstd", 400),
        (b"{", JSON, "", 400),
        (b"[]", JSON, "", 400),
        (b'{"resourceMetrics": 5}', JSON, "", 400),
        (b'{"resourceMetrics": [[1]]}', JSON, "", 400),
        (b"[" * 100_000, JSON, "", 400),
        (b"\xff\xff", V1, "", 400),
        (gzip.compress(b"\0" * 9_000_000, mtime=0), V1, "gzip", 413),
        (gzip.compress(b"\x0a\x00" * 2_000_000, mtime=0), V1, "gzip", 413),
        (gzip.compress(b'{"a":[' + b'{"b":1},' * 250_000 + b"{}]}", mtime=0), JSON, "gzip", 413),
        (gzip.compress(b'{"a":[' + b'{"b" :1},' * 250_000 + b"{}]}", mtime=0), JSON, "gzip", 413),
        (gzip.compress(b'{"a":[' + b"[]," * 250_000 + b"[]]}", mtime=0), JSON, "gzip", 413),
        (b"not packed", V1, "gzip", 400),
        (b"{}", JSON, "", 200),
    ],
)
def test_refusals(people: Cast, body: bytes, content_type: str, coding: str, status: int) -> None:
    answer = export(
        people.token(people.operator), body, content_type=content_type, Content_Encoding=coding
    )

    assert answer.status_code == status, answer.content
    assert sources(people.operator) == []


def test_over_quota_is_later(people: Cast, settings: LazySettings) -> None:
    settings.PORTAL_MAX_PENDING_BYTES = 10
    answers = [
        push(people, document({"name": "a", "gauge": {"dataPoints": [point(ago)]}}))
        for ago in (1, 2)
    ]

    assert [answer.status_code for answer in answers] == [200, 429]
    assert int(answers[1]["Retry-After"]) > 0


@tries(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_garbage_is_never_an_error_of_ours(people: Cast, data: st.DataObject) -> None:
    said = document(total("steps", [point(2, 30, a="b")], DELTA))
    request = json_format.ParseDict(said, REQUEST(), ignore_unknown_fields=True)
    is_json = data.draw(st.booleans())
    good = bytearray(orjson.dumps(said) if is_json else request.SerializeToString())
    for _ in range(data.draw(st.integers(0, 4))):
        good[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))

    answer = export(
        people.token(people.operator), bytes(good), content_type=JSON if is_json else V1
    )

    assert answer.status_code in {200, 400}
    drained(people.operator)
    assert waiting(people.operator) == []
