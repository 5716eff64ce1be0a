"""POST /v1/logs: what becomes of the records that OpenTelemetry's collectors and exporters send."""

import gzip
from typing import Any

import orjson
import pytest

from apps.telemetry.models import Event, LogStream
from apps.tenancy.scope import organization_scope
from tests.api.receivers.otlp.log_requests import (
    AT,
    JSON,
    PROTOBUF,
    XID,
    Document,
    document,
    packed,
    push,
    record,
    send,
    streams,
)
from tests.cast.pushes import Cast, cast, drain_all

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> Cast:
    """A cluster and its parties."""
    return cast()


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


def test_a_bad_byte_costs_one_letter_and_not_the_body(people: Cast) -> None:
    body = packed(document(record("a XXXX b"))).replace(b"XXXX", b"\xff\xfe\x00X")

    assert send(people.token(people.operator), body, PROTOBUF).status_code == 200

    ((_, lines),) = streams(people)
    assert lines == ["a \ufffd\ufffdX b"]


def test_other_organizations_find_none_of_it(people: Cast) -> None:
    push(people, document(record("only the operator's")))
    drain_all(people.operator, people.other)
    with organization_scope(people.other.pk):
        assert not LogStream.objects.exists()


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
