"""POST /loki/api/v1/push: what Loki's senders send, and what they get."""

import base64
import gzip
import json
from collections.abc import Callable

import cramjam
import numpy as np
import pytest
from django.db import OperationalError
from django.test import Client

from apps.api.receivers import loki as receiver
from apps.fleet.models import ParticipationRole
from apps.telemetry.formats.lines.complaints import Complaints, TooBig
from apps.telemetry.formats.loki import loki_json, loki_protobuf
from apps.telemetry.formats.protobuf.wire import encoded, encoded_varint
from apps.telemetry.logs import accept
from apps.telemetry.logs.raw_lines import lines_of
from apps.telemetry.models import Batch, LogChunk, LogStream
from apps.tenancy.models import TokenScope
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.pushes import Answer, Cast, cast, drain_all, push_loki, token

LABELS = {"slurm_job_id": "run-7", "node": "gpu001", "colour": "blue"}
VALUES = [("1795226400000000001", "first"), ("1795226400000000002", "second")]


def as_json() -> bytes:
    """Return a push as JSON, one entry with metadata as newer senders add it."""
    values = [[*VALUES[0], {"level": "info"}], list(VALUES[1])]
    return json.dumps({"streams": [{"stream": LABELS, "values": values}]}).encode()


def as_protobuf() -> bytes:
    """Return the same push as snappy protobuf."""
    request = loki_protobuf.PUSH_REQUEST()
    pairs = ", ".join(f'{name}="{value}"' for name, value in LABELS.items())
    stream = request.streams.add(labels="{" + pairs + "}")
    for stamp, line in VALUES:
        entry = stream.entries.add(line=line.encode())
        entry.timestamp.seconds, entry.timestamp.nanos = divmod(int(stamp), 10**9)
    return bytes(cramjam.snappy.compress_raw(request.SerializeToString()))


def post(people: Cast, body: bytes, content_type: str, **headers: str) -> Answer:
    """Push a body as the tenant, with the token as Basic's password."""
    pair = base64.b64encode(f"any:{people.token(people.tenant)}".encode()).decode()
    return Client().post(
        "/loki/api/v1/push",
        body,
        content_type=content_type,
        headers={"Authorization": f"Basic {pair}"} | headers,
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("body", "content_type", "headers"),
    [
        (as_json, "application/json", {}),
        (lambda: gzip.compress(as_json()), "application/json", {"Content-Encoding": "gzip"}),
        (as_protobuf, "application/x-protobuf", {}),
        (as_protobuf, "application/x-protobuf", {"Content-Encoding": "snappy"}),
    ],
)
def test_all_forms_of_a_push_are_the_same_lines(
    body: Callable[[], bytes], content_type: str, headers: dict[str, str]
) -> None:
    people = cast()
    answer = post(people, body(), content_type, **headers)
    assert (answer.status_code, answer.content) == (204, b"")
    drain_all(people.tenant)
    with organization_scope(people.tenant.pk):
        stream = LogStream.objects.select_related("session").get()
        assert stream.labels == {"colour": "blue", "host": "gpu001", "session": "run-7"}
        assert stream.session is not None
        assert (stream.session.name, stream.host, stream.line_count) == ("run-7", "gpu001", 2)
        assert LogChunk.objects.get().first_key == int(VALUES[0][0])


@pytest.mark.django_db
def test_another_form_of_the_same_push_adds_no_line() -> None:
    people = cast()
    post(people, as_json(), "application/json")
    post(people, as_protobuf(), "application/x-protobuf")
    drain_all(people.tenant)
    with organization_scope(people.tenant.pk):
        assert LogStream.objects.get().line_count == 2


def test_streams_of_the_same_labels_are_one_however_many() -> None:
    """Fluent Bit sends each line as a stream of its own as soon as a label is read from it."""
    said = [
        {"stream": {"host": f"gpu{place % 2}"}, "values": [[str(place), f"line {place}"]]}
        for place in range(6000)
    ]
    odd = [{"stream": {"host": "gpu0"}, "values": 3}, {"stream": 5}, "no stream", {}]
    complaints = Complaints()

    pieces = loki_json.read_json(
        body=json.dumps({"streams": [*odd, *said]}).encode(), complaints=complaints
    )

    assert [(piece.labels["host"], piece.line_count) for piece in pieces] == [
        ("gpu0", 3000),
        ("gpu1", 3000),
    ]
    assert pieces[1].text.startswith(b"line 1\nline 3\n")
    assert complaints.count == len(odd)


@pytest.mark.django_db
def test_an_entry_of_several_lines_is_several_lines_of_one_time() -> None:
    people = cast()
    push_loki(people.token(people.tenant), [(5, "a\nb\nc"), (9, "d")], {"session": "s"})
    drain_all(people.tenant)
    with organization_scope(people.tenant.pk):
        chunk = LogChunk.objects.get()
    assert (chunk.line_count, chunk.first_key, chunk.last_key) == (4, 5, 9)


@pytest.mark.django_db
def test_too_much_waiting_is_told_to_come_back(settings: object) -> None:
    people = cast()
    settings.PORTAL_MAX_PENDING_BYTES = 10  # type: ignore[attr-defined]  # a fixture of pytest-django
    answers = [
        push_loki(people.token(who), [(stamp, "x" * 20)], {"session": "s"})
        for who, stamp in ((people.tenant, 1), (people.tenant, 2), (people.other, 3))
    ]
    assert [answer.status_code for answer in answers] == [204, 429, 204]
    assert int(answers[1]["Retry-After"]) > 0
    drain_all(people.tenant)
    again = push_loki(people.token(people.tenant), [(2, "x" * 20)], {"session": "s"})
    assert again.status_code == 204


@pytest.mark.django_db
def test_a_database_that_is_away_is_told_to_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(**_: object) -> None:
        raise OperationalError

    people = cast()
    monkeypatch.setattr(receiver, "accept", away)
    answer = push_loki(people.token(people.tenant), [(1, "x")], {"session": "s"})
    assert answer.status_code == 503
    assert int(answer["Retry-After"]) > 0


@pytest.mark.django_db
def test_a_token_for_reading_does_not_push() -> None:
    people = cast()
    token = make.token(
        organization=people.tenant, clusters=[people.cluster], scopes=[TokenScope.READ]
    )
    assert push_loki(token, [(1, "x")], {"session": "s"}).status_code == 403
    with organization_scope(people.tenant.pk):
        assert not Batch.objects.exists()


@pytest.mark.django_db
def test_a_token_of_two_clusters_must_name_one() -> None:
    people, second = cast(), make.cluster()
    make.participation(organization=people.tenant, cluster=second)
    token = make.token(organization=people.tenant, clusters=[people.cluster, second])
    assert push_loki(token, [(1, "x")], {"session": "s"}).status_code == 400
    named = {"session": "s", "cluster": second.slug}
    assert push_loki(token, [(1, "x")], named).status_code == 204


@pytest.mark.django_db
def test_a_broker_that_is_away_loses_nothing(settings: object) -> None:
    people = cast()
    settings.CELERY_BROKER_URL = "redis+socket:///nowhere"  # type: ignore[attr-defined]  # as above
    answer = push_loki(people.token(people.tenant), [(1, "x")], {"session": "s"})
    assert answer.status_code == 204
    assert drain_all(people.tenant) == 1


def of_protobuf(stream: dict[str, str], stamp: str, line: str, fields: dict[str, str]) -> bytes:
    """Return a push of one entry with structured metadata as snappy protobuf."""
    request = loki_protobuf.PUSH_REQUEST()
    pairs = ", ".join(f'{name}="{value}"' for name, value in stream.items())
    entry = request.streams.add(labels="{" + pairs + "}").entries.add(line=line.encode())
    entry.timestamp.seconds, entry.timestamp.nanos = divmod(int(stamp), 10**9)
    for name, value in fields.items():
        entry.metadata.add(name=name.encode(), value=value.encode())
    return bytes(cramjam.snappy.compress_raw(request.SerializeToString()))


@pytest.mark.django_db
@pytest.mark.parametrize("form", ["json", "protobuf"])
def test_an_exception_in_structured_metadata_stands_below_its_line(form: str) -> None:
    people, stamp = cast(), VALUES[0][0]
    fields = {"exception_type": "ValueError", "exception_message": "no", "severity": "ERROR"}
    if form == "json":
        stream = {"stream": LABELS, "values": [[stamp, "it failed", fields]]}
        answer = post(people, json.dumps({"streams": [stream]}).encode(), "application/json")
    else:
        body = of_protobuf(LABELS, stamp, "it failed", fields)
        answer = post(people, body, "application/x-protobuf")
    assert answer.status_code == 204
    assert drain_all(people.tenant) == 2
    with organization_scope(people.tenant.pk):
        chunk = LogChunk.objects.get()
        texts = [line.text for line in lines_of(chunk=chunk, stream=chunk.stream)]
    assert texts == ["it failed", "ValueError: no"]


@pytest.mark.django_db
def test_many_lines_of_one_stream_are_read_bit_by_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accept, "BATCH_BYTES", 500)
    people = cast()
    lines = [(1_795_226_400_000_000_000 + n // 2, f"step {n} of many") for n in range(100)]
    assert push_loki(people.token(people.tenant), lines, {"session": "run-7"}).status_code == 204

    with organization_scope(people.tenant.pk):
        assert max(Batch.objects.values_list("byte_count", flat=True)) <= 500
        assert Batch.objects.count() > 3
    assert drain_all(people.tenant) == 100
    with organization_scope(people.tenant.pk):
        stream = LogStream.objects.get()
        told = [
            raw.text
            for chunk in LogChunk.objects.order_by("first_number")
            for raw in lines_of(chunk=chunk, stream=stream)
        ]
    assert told == [line for _, line in lines]


def entry(at: int, line: bytes) -> bytes:
    return encoded(2, encoded(1, b"\x08" + encoded_varint(at)) + encoded(2, line))


def test_a_large_stream_is_read_in_parts_and_in_the_order_of_its_stamps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(loki_protobuf, "PART_BYTES", 100)
    times = [*range(50, 100), *range(50), 7]
    entries = b"".join(entry(at, b"line %d\nmore" % at) for at in times)
    body = encoded(1, entries + encoded(1, b'{a="b"}')) + encoded(1, encoded(1, b'{c="d"}'))
    (piece,) = loki_protobuf.read_protobuf(body=body, complaints=Complaints())
    order = sorted(times)
    assert piece.labels == {"a": "b"}
    assert piece.text.split(b"\n") == [b for at in order for b in (b"line %d" % at, b"more")]
    assert np.frombuffer(piece.stamps or b"", "<i8").tolist() == [
        at * 1_000_000_000 for at in order for _ in range(2)
    ]

    forwards = encoded(1, encoded(1, b'{a="b"}') + b"".join(entry(n, b"x") for n in range(100)))
    pieces = loki_protobuf.read_protobuf(body=forwards, complaints=Complaints())
    assert len(pieces) > 5
    assert sum(each.line_count for each in pieces) == 100


def test_what_no_client_batches_is_refused_with_what_to_do() -> None:
    told = b'{"streams":[{"stream":{"a":"b"},"values":[["1","' + b"x" * 8 * 2**20 + b'"]]}]}'
    with pytest.raises(TooBig, match="8388608 bytes; send smaller batches"):
        loki_json.read_json(body=told, complaints=Complaints())
    large = encoded(1, encoded(1, b'{a="b"}') + entry(1, b"x" * (4 * 2**20 + 1)))
    with pytest.raises(TooBig, match="4194304 bytes; send it line by line"):
        loki_protobuf.read_protobuf(body=large, complaints=Complaints())


@pytest.mark.django_db
@pytest.mark.parametrize("is_fabric_first", [True, False])
def test_streams_that_are_not_for_a_part_are_refused_and_the_others_stored(
    *, is_fabric_first: bool
) -> None:
    people = cast()
    vendor = make.organization()
    make.participation(
        organization=vendor, cluster=people.cluster, part=ParticipationRole.NETWORK_VENDOR
    )
    clear = token(vendor, people.cluster)
    streams = [
        {"stream": {"stream": kind, "node": "sw1"}, "values": [list(VALUES[0])]}
        for kind in ("fabric", "scheduler")
    ]

    def pushed(*some: object) -> Answer:
        return Client().post(
            "/loki/api/v1/push",
            json.dumps({"streams": some}),
            content_type="application/json",
            headers={"Authorization": f"Bearer {clear}"},
        )

    none = pushed(streams[1])
    assert (none.status_code, none.json()["code"]) == (403, "part_refused")
    some = pushed(*(streams if is_fabric_first else reversed(streams)))
    assert (some.status_code, some.json()["code"]) == (400, "partly_refused")
    assert "the other streams were stored" in some.json()["detail"]
    drain_all(vendor)
    with organization_scope(vendor.pk):
        assert LogStream.objects.get().kind == "fabric"
    assert pushed(streams[0]).status_code == 204
