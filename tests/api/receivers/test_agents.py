"""What log agents really send arrives as the same event, whichever of them an operator runs."""

from base64 import b64encode

import pytest

from apps.telemetry.models import Event, LogStream
from apps.tenancy.scope import organization_scope
from tests.api.receivers.agents import (
    KERNEL,
    Sent,
    fluent_bit_http,
    loki_json,
    loki_protobuf,
    send,
    vector_http,
)
from tests.cast.pushes import Cast, cast, drain_all

pytestmark = pytest.mark.django_db
LABELS = {"stream": "kernel", "host": "gpu017", "job": "journal"}
PRINTED = '{host="gpu017", job="journal", stream="kernel"}'
QUERY = "stream=kernel&host=gpu017"
AGENTS = {
    "alloy": loki_protobuf(PRINTED, KERNEL, agent="Alloy/v1.11.0 (linux; deb)"),
    "promtail": loki_protobuf(PRINTED, KERNEL, agent="promtail/2.9.10"),
    "vector-loki-snappy": loki_protobuf(PRINTED, KERNEL, agent="Vector/0.49.0"),
    "vector-loki-plain": loki_json(LABELS, KERNEL, agent="Vector/0.49.0"),
    "fluent-bit-loki": loki_json(LABELS, KERNEL, agent="Fluent-Bit"),
    "fluent-bit-json": fluent_bit_http(KERNEL, form="json", query=QUERY),
    "fluent-bit-lines": fluent_bit_http(KERNEL, form="json_lines", query=QUERY),
    "vector-json": vector_http(KERNEL, form="json", query=QUERY),
    "vector-lines": vector_http(KERNEL, form="ndjson", query=QUERY),
}


@pytest.fixture
def people() -> Cast:
    """A cluster and its parties."""
    return cast()


def kept(people: Cast) -> tuple[list[LogStream], list[Event]]:
    """Interpret everything of the operator; return its streams and events of faults."""
    drain_all(people.operator)
    with organization_scope(people.operator.pk):
        found = Event.objects.filter(role="initiating").order_by("at", "id")
        return list(LogStream.objects.order_by("id")), list(found)


@pytest.mark.parametrize("sent", AGENTS.values(), ids=list(AGENTS))
def test_an_xid_of_the_kernel_is_read(people: Cast, sent: Sent) -> None:
    answer = send(sent, token=people.token(people.operator))

    assert answer.status_code == (204 if "loki" in sent.path else 200)
    (stream,), events = kept(people)
    assert (stream.kind, stream.host, stream.line_count) == ("kernel", "gpu017", 2)
    (event,) = [each for each in events if each.body["fields"].get("xid") == "79"]
    assert (event.host, event.at is None) == ("gpu017", False)


@pytest.mark.parametrize("sent", AGENTS.values(), ids=list(AGENTS))
def test_sent_again_after_a_lost_answer_it_is_known(people: Cast, sent: Sent) -> None:
    for _ in range(2):
        send(sent, token=people.token(people.operator))

    streams, events = kept(people)
    assert [stream.line_count for stream in streams] == [2]
    assert len([each for each in events if each.body["fields"].get("xid") == "79"]) == 1


def test_the_token_may_be_the_password_of_basic(people: Cast) -> None:
    basic = b64encode(f"faultline:{people.token(people.operator)}".encode()).decode()

    assert send(AGENTS["fluent-bit-loki"], token="", basic=basic).status_code == 204


@pytest.mark.parametrize("body", [b'["a", "b"]', b'[{"a": 1}, 2]', b"[1,", b"[not json]", b"[]"])
def test_what_only_looks_like_an_array_of_records_stays_text(people: Cast, body: bytes) -> None:
    sent = Sent(
        path=f"/api/v1/logs?{QUERY}", body=body, content_type="application/json", headers={}
    )

    answer = send(sent, token=people.token(people.operator))

    assert answer.status_code == (400 if body == b"[]" else 200)
