"""POST /v1/logs: what is refused, and how who sent it is told."""

from collections.abc import Sequence
from typing import Any

import orjson
import pytest
from django.conf import LazySettings
from hypothesis import HealthCheck, given
from hypothesis import settings as tries
from hypothesis import strategies as st

from apps.telemetry.formats.otlp.otlp_log_messages import RESPONSE, STATUS
from apps.telemetry.models import Batch
from apps.tenancy.scope import organization_scope
from tests.api.receivers.otlp.log_requests import (
    JSON,
    NODE,
    PROTOBUF,
    Document,
    document,
    packed,
    push,
    record,
    send,
    streams,
)
from tests.cast import make
from tests.cast.pushes import Cast, cast, token

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> Cast:
    """A cluster and its parties."""
    return cast()


def test_what_cannot_be_kept_is_counted_and_the_rest_is(people: Cast) -> None:
    said = document(record("good"), record(None))

    answer = push(people, said)
    packed_answer = send(people.token(people.operator), packed(said), PROTOBUF)

    assert answer.json() == {
        "partialSuccess": {"rejectedLogRecords": "1", "errorMessage": "a record has no body"}
    }
    told = RESPONSE.FromString(packed_answer.content).partial_success
    assert told.rejected_log_records == 1


@pytest.mark.parametrize("said", [{}, {"resourceLogs": []}, document()])
def test_nothing_to_keep_is_no_fault(people: Cast, said: Document) -> None:
    assert push(people, said).status_code == 200
    with organization_scope(people.operator.pk):
        assert not Batch.objects.exists()


def test_lines_of_a_foreign_cluster_are_refused_beside_good_ones(people: Cast) -> None:
    mine = document(record("mine"))
    foreign = document(record("foreign"), resource={**NODE, "k8s.cluster.name": "elsewhere"})
    both = {"resourceLogs": mine["resourceLogs"] + foreign["resourceLogs"]}

    refused, taken = push(people, foreign), push(people, both)
    renamed = push(people, foreign, f"?cluster={people.cluster.slug}")

    assert (refused.status_code, refused.json()["code"]) == (404, 5)
    assert taken.json()["partialSuccess"]["rejectedLogRecords"] == "1"
    assert renamed.json() == {}
    assert sorted(line for _, lines in streams(people) for line in lines) == ["foreign", "mine"]


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"\x0a\xff", PROTOBUF),
        (b"[]", JSON),
        (b"{", JSON),
        (b'{"resourceLogs": 7}', JSON),
        (b'{"resourceLogs": [{"scopeLogs": [{"logRecords": [{"timeUnixNano": -1}]}]}]}', JSON),
        (b"{}", "text/plain"),
    ],
)
def test_refusals_are_told_as_the_protocol_tells_them(
    people: Cast, body: bytes, content_type: str
) -> None:
    answer = send(people.token(people.operator), body, content_type)

    assert answer.status_code in {400, 415}
    if content_type == PROTOBUF:
        assert answer["Content-Type"] == PROTOBUF
        assert STATUS.FromString(answer.content).code == 3
    else:
        assert answer["Content-Type"] == JSON
        assert answer.json()["code"] == 3
        assert answer.json()["message"]


def test_who_may_not_send_is_told_so(people: Cast) -> None:
    body = packed(document(record("x")))

    answer = send("flt_nobody", body, PROTOBUF)

    assert (answer.status_code, STATUS.FromString(answer.content).code) == (401, 16)
    assert answer["WWW-Authenticate"]


def test_over_the_quota_it_is_tried_again_later(people: Cast, settings: LazySettings) -> None:
    settings.PORTAL_MAX_PENDING_BYTES = 1
    said = document(record("some text"))
    push(people, said)

    answer = push(people, document(record("more text")))

    assert (answer.status_code, answer.json()["code"]) == (429, 8)
    assert int(answer["Retry-After"]) > 0


def test_a_body_that_unfolds_beyond_bounds_is_refused(people: Cast) -> None:
    empty = b"\x0a\x00" * 2_000_000

    assert send(people.token(people.operator), empty, PROTOBUF).status_code == 413
    nested: Sequence[Any] = []
    for _ in range(200):
        nested = [nested]
    deep = orjson.dumps(document(record("x"))).replace(b'"x"', orjson.dumps(nested))
    assert send(people.token(people.operator), deep, JSON).status_code == 400


def test_a_token_for_many_clusters_has_to_name_one(people: Cast) -> None:
    many = token(people.operator, people.cluster, make.cluster())

    assert send(many, packed(document(record("x"))), PROTOBUF).status_code == 400
    named = send(many, packed(document(record("x"))), PROTOBUF, f"?cluster={people.cluster.slug}")
    assert named.status_code == 200


@tries(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(body=st.binary(max_size=200))
def test_no_bytes_make_it_fail(people: Cast, body: bytes) -> None:
    for content_type in (PROTOBUF, JSON):
        answer = send(people.token(people.operator), body, content_type)
        assert answer.status_code in {200, 400, 413, 415}
