"""POST /v1/logs: what OpenTelemetry's collectors and exporters send, and what they are told."""

import gzip
from collections.abc import Mapping, Sequence
from typing import Any

import orjson
import pytest
from django.conf import LazySettings
from django.test import Client
from google.protobuf import json_format
from hypothesis import HealthCheck, given
from hypothesis import settings as tries
from hypothesis import strategies as st

from apps.telemetry.formats.otlp.otlp_log_messages import JSON_REQUEST, RESPONSE, STATUS
from apps.telemetry.logs.raw_lines import lines_of
from apps.telemetry.models import Batch, Event, LogChunk, LogStream
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.pushes import NOW, Answer, Cast, cast, drain_all, token

pytestmark = pytest.mark.django_db
JSON, PROTOBUF = "application/json", "application/x-protobuf"
AT = int(NOW.timestamp()) * 1_000_000_000
NODE = {"host.name": "gpu017.example.com", "stream": "kernel"}
XID = "NVRM: Xid (PCI:0000:18:00): 79, pid=1234, GPU has fallen off the bus."
Document = dict[str, Any]


@pytest.fixture
def people() -> Cast:
    """A cluster and its parties."""
    return cast()


def value(said: object) -> Document:
    """Return a value as the protocol's JSON has it."""
    if isinstance(said, Mapping):
        return {"kvlistValue": {"values": attributes(said)}}
    if isinstance(said, list):
        return {"arrayValue": {"values": [value(each) for each in said]}}
    kinds = {str: "stringValue", bool: "boolValue", int: "intValue", float: "doubleValue"}
    return {kinds[type(said)]: said}


def attributes(said: Mapping[str, object]) -> list[Document]:
    """Return attributes."""
    return [{"key": key, "value": value(each)} for key, each in said.items()]


def record(body: object, *, ago: int = 10, observed: int | None = None, **said: Any) -> Document:
    """Return a record some seconds old; without an age it carries no time."""
    made: Document = {"attributes": attributes(said), "severityText": "INFO", "flags": 1}
    if body is not None:
        made["body"] = value(body)
    if ago:
        made["timeUnixNano"] = str(AT - ago * 1_000_000_000)
    if observed is not None:
        made["observedTimeUnixNano"] = str(AT - observed * 1_000_000_000)
    return made


def document(*records: Document, resource: Mapping[str, object] = NODE) -> Document:
    """Return a request of one resource."""
    scope = {"scope": {"name": "filelog"}, "logRecords": list(records)}
    return {
        "resourceLogs": [{"resource": {"attributes": attributes(resource)}, "scopeLogs": [scope]}]
    }


def packed(said: Document) -> bytes:
    """Return a request as protobuf."""
    made = json_format.ParseDict(said, JSON_REQUEST(), ignore_unknown_fields=True)
    serialized: bytes = made.SerializeToString()
    return serialized


def send(credential: str, body: bytes, content_type: str, query: str = "", **more: str) -> Answer:
    """Export a body."""
    headers = {"Authorization": f"Bearer {credential}", **more}
    client = Client(raise_request_exception=False)
    return client.post(f"/v1/logs{query}", body, content_type=content_type, headers=headers)


def push(people: Cast, said: Document, query: str = "") -> Answer:
    """Export as the operator's collector, as JSON."""
    return send(people.token(people.operator), orjson.dumps(said), JSON, query)


def streams(people: Cast) -> list[tuple[LogStream, list[str]]]:
    """Interpret everything of the operator; return its streams with their lines."""
    drain_all(people.operator)
    with organization_scope(people.operator.pk):
        found = []
        for stream in LogStream.objects.order_by("id"):
            chunks = LogChunk.objects.filter(stream=stream).order_by("first_number")
            lines = [line.text for c in chunks for line in lines_of(chunk=c, stream=stream)]
            found.append((stream, lines))
        return found


@pytest.mark.parametrize("coding", ["json", "protobuf", "gzip"])
def test_records_become_lines_of_the_host_that_the_resource_names(
    people: Cast, coding: str
) -> None:
    said = document(record(XID), record("a second line", ago=5))
    more = {"Content-Encoding": "gzip"} if coding == "gzip" else {}
    body = orjson.dumps(said) if coding == "json" else packed(said)
    body = gzip.compress(body) if coding == "gzip" else body
    kind = JSON if coding == "json" else PROTOBUF

    answer = send(people.token(people.operator), body, kind, **more)

    told = b"{}" if coding == "json" else b""
    assert (answer.status_code, answer["Content-Type"], answer.content) == (200, kind, told)
    ((stream, lines),) = streams(people)
    assert (stream.kind, stream.host) == ("kernel", "gpu017.example.com")
    assert lines == [XID, "a second line"]
    with organization_scope(people.operator.pk):
        (event,) = Event.objects.all()
        assert (event.body["fields"]["xid"], event.at) == ("79", stream.first_at)


def test_a_journal_entry_stays_whole_and_is_read_as_one(people: Cast) -> None:
    entry = {
        "MESSAGE": XID,
        "_HOSTNAME": "gpu018",
        "_TRANSPORT": "kernel",
        "__REALTIME_TIMESTAMP": str((AT - 10_000_000_000) // 1000),
        "PRIORITY": "3",
    }

    assert push(people, document(record(entry), resource={})).status_code == 200

    streams(people)
    with organization_scope(people.operator.pk):
        (event,) = Event.objects.all()
    assert (event.host, event.body["stream"]) == ("gpu018", "kernel")


def test_labels_are_what_names_a_place_and_no_ids_of_traces(people: Cast) -> None:
    resource = {
        "service.name": "trainer",
        "k8s.node.name": "gpu003",
        "host.name": "otel-agent-x7",
        "k8s.pod.name": "trainer-3",
        "process.pid": 4711,
        "telemetry.sdk.language": "python",
    }
    one = record("step 1", session="run-7", rank=3, method="GET")
    other = record("step 2", ago=9, session="run-7", rank=3)
    other |= {"traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b174"}

    assert push(people, document(one, other, resource=resource)).status_code == 200

    ((stream, lines),) = streams(people)
    assert lines == ["step 1", "step 2"]
    assert stream.labels == {
        "host": "gpu003",
        "host_name": "otel-agent-x7",
        "k8s_pod_name": "trainer-3",
        "rank": "3",
        "service_name": "trainer",
        "session": "run-7",
    }


def test_a_record_without_its_own_time_has_the_time_it_was_observed(people: Cast) -> None:
    said = document(record("observed", ago=0, observed=3), record("never timed", ago=0))

    assert push(people, said).status_code == 200

    found = {tuple(lines): stream for stream, lines in streams(people)}
    assert found["observed",].is_ordered_by_stamp
    assert not found["never timed",].is_ordered_by_stamp


def test_the_same_export_twice_is_one(people: Cast) -> None:
    said = document(record("once"), record("and again\nwith a second line", ago=5))

    assert push(people, said).status_code == 200
    assert push(people, said).status_code == 200
    later = document(*said["resourceLogs"][0]["scopeLogs"][0]["logRecords"], record("new", ago=1))
    assert push(people, later).status_code == 200

    ((_, lines),) = streams(people)
    assert lines == ["once", "and again", "with a second line", "new"]


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


def test_a_bad_byte_costs_one_letter_and_not_the_body(people: Cast) -> None:
    body = packed(document(record("a XXXX b"))).replace(b"XXXX", b"\xff\xfe\x00X")

    assert send(people.token(people.operator), body, PROTOBUF).status_code == 200

    ((_, lines),) = streams(people)
    assert lines == ["a \ufffd\ufffdX b"]


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


def test_other_organizations_find_none_of_it(people: Cast) -> None:
    push(people, document(record("only the operator's")))
    drain_all(people.operator, people.other)
    with organization_scope(people.other.pk):
        assert not LogStream.objects.exists()


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


WHY = "RuntimeError: CUDA error: uncorrectable ECC error encountered"
TRACE = f'Traceback (most recent call last):\n  File "t.py", line 5, in step\n{WHY}\n'
RAISED: dict[str, Any] = {
    "exception.type": "RuntimeError",
    "exception.message": WHY.partition(": ")[2],
    "exception.stacktrace": TRACE,
}


@pytest.mark.parametrize(
    ("said", "lines"),
    [
        (record("it failed", **RAISED), ["it failed", *TRACE.split("\n")[:-1]]),
        (record(None, **RAISED), TRACE.split("\n")[:-1]),
        (record(f"it failed\n{TRACE}", **RAISED), ["it failed", *TRACE.split("\n")[:-1]]),
        (
            record("it failed", **dict[str, Any]({"exception.type": "RuntimeError"})),
            ["it failed", "RuntimeError"],
        ),
        (
            record(
                "it failed", err={"type": "Error", "message": WHY, "stack": f"Error: {WHY}\n at"}
            ),
            ["it failed", f"Error: {WHY}", " at"],
        ),
    ],
    ids=["Python", "no body", "said in the body, too", "no trace", "pino"],
)
def test_an_exception_in_attributes_stands_below_its_message(
    people: Cast, said: Document, lines: list[str]
) -> None:
    assert push(people, document(said, resource={"host.name": "gpu017"})).status_code == 200
    drain_all(people.operator)
    ((_, kept),) = streams(people)
    assert kept == lines
    with organization_scope(people.operator.pk):
        is_told = Event.objects.filter(signature="cuda-ecc").exists()
    assert is_told == any(WHY in line for line in lines)
