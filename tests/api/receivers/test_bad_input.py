"""What senders break: the good part is kept, the bad part is told by line, memory stays bounded."""

import gzip
import io
import json
import resource
from collections.abc import Callable, Iterator
from hashlib import sha256

import cramjam
import pytest
import zstandard
from django.test import Client

from apps.telemetry.formats.lines.line_blocks import CUT_MARK, LINE_LIMIT_BYTES
from apps.telemetry.formats.loki import loki_protobuf
from apps.telemetry.logs.raw_lines import lines_of
from apps.telemetry.models import Batch, LogChunk, LogStream
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.pushes import Answer, Cast, cast, drain_all, push_text

MEBIBYTE = 2**20
GROWTH_LIMIT = 64 * MEBIBYTE
LINES = [f"line number {number}" for number in range(1000)]


def kept_lines(people: Cast) -> list[str]:
    """Interpret everything and return what is stored of the tenant's only stream."""
    drain_all(people.tenant)
    with organization_scope(people.tenant.pk):
        stream = LogStream.objects.get()
        chunks = LogChunk.objects.filter(stream=stream).order_by("first_number")
        return [line.text for chunk in chunks for line in lines_of(chunk=chunk, stream=stream)]


def push(people: Cast, body: bytes) -> Answer:
    """Upload a body as the tenant."""
    return push_text(people.token(people.tenant), body, session="s")


def push_to_loki(people: Cast, body: bytes, **headers: str) -> Answer:
    """Push a body as the tenant; `content_type` is among the headers."""
    content_type = headers.pop("content_type", "application/json")
    credential = {"Authorization": f"Bearer {people.token(people.tenant)}"}
    return Client().post(
        "/loki/api/v1/push", body, content_type=content_type, headers=credential | headers
    )


def codes(answer: Answer) -> list[tuple[int, str]]:
    """Return (line, code) of what was rejected."""
    assert answer.status_code == 200, answer.content
    return [(row["line"], row["code"]) for row in answer.json()["rejected"]]


@pytest.fixture
def _bounded_memory() -> Iterator[None]:
    """Fail a test that takes more memory at its peak than a body may."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert grown < GROWTH_LIMIT, f"{grown / MEBIBYTE:.0f} MiB"


@pytest.mark.django_db
def test_invalid_utf8_is_replaced_and_told_by_line() -> None:
    people = cast()
    answer = push(people, b"good\nbad \xff\xfe byte\ngood again")
    assert codes(answer) == [(2, "invalid_utf8")]
    assert kept_lines(people) == ["good", "bad \ufffd\ufffd byte", "good again"]


@pytest.mark.django_db
def test_nul_is_left_out_and_told_by_line() -> None:
    people = cast()
    answer = push(people, b"a\0b\nc")
    assert codes(answer) == [(1, "nul")]
    assert kept_lines(people) == ["ab", "c"]


@pytest.mark.django_db
@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_what_stands_before_a_torn_end_is_kept(pack: Callable[[bytes], bytes]) -> None:
    # Both codings keep whole blocks: it takes some lines until the first is full.
    lines = [sha256(str(number).encode()).hexdigest() for number in range(20_000)]
    people = cast()
    answer = push(people, pack("\n".join(lines).encode())[:-6])
    assert [code for _, code in codes(answer)] == ["torn"]
    kept = kept_lines(people)
    assert len(kept) > 10_000
    assert kept[:-1] == lines[: len(kept) - 1]


@pytest.mark.django_db
@pytest.mark.parametrize("body", [b"", b"\x1f\x8b\x08\x00junk", gzip.compress(b"", mtime=0)])
def test_a_body_without_a_line_is_refused(body: bytes) -> None:
    answer = push(cast(), body)
    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == "nothing_usable"


@pytest.mark.django_db
@pytest.mark.usefixtures("_bounded_memory")
def test_a_line_of_100_megabytes_is_cut() -> None:
    people = cast()
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", compresslevel=1) as packed:
        packed.write(b"before\n")
        for _ in range(100):
            packed.write(b"x" * MEBIBYTE)
        packed.write(b"\nafter")
    assert codes(push(people, buffer.getvalue())) == [(2, "line_too_long")]
    before, long, after = kept_lines(people)
    assert (before, after) == ("before", "after")
    assert long == "x" * LINE_LIMIT_BYTES + CUT_MARK.decode()


def bomb(size: int) -> bytes:
    """Return a small body that unpacks to many mebibytes of lines."""
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", compresslevel=9) as packed:
        for _ in range(size):
            packed.write((b"0" * 1023 + b"\n") * 1024)
    return buffer.getvalue()


@pytest.mark.django_db
@pytest.mark.usefixtures("_bounded_memory")
def test_a_bomb_is_too_big_and_leaves_nothing() -> None:
    people = cast()
    answer = push(people, bomb(300))
    assert answer.status_code == 413
    with organization_scope(people.tenant.pk):
        assert not Batch.objects.exists()


@pytest.mark.django_db
@pytest.mark.usefixtures("_bounded_memory")
def test_a_bomb_for_loki_is_too_big() -> None:
    answer = push_to_loki(cast(), bomb(300), **{"Content-Encoding": "gzip"})
    assert answer.status_code == 413


@pytest.mark.django_db
@pytest.mark.usefixtures("_bounded_memory")
@pytest.mark.parametrize("announced", [b"\xff\xff\xff\xff\x0f", b"\x80\x80\x80\x80\x01"])
def test_a_snappy_block_that_announces_gigabytes_is_refused_unread(announced: bytes) -> None:
    answer = push_to_loki(cast(), announced + b"\0" * 50, content_type="application/x-protobuf")
    assert answer.status_code == 413


@pytest.mark.django_db
@pytest.mark.parametrize("change", [lambda body: body[:-9], lambda body: body[:40] + b"\xff" * 9])
def test_a_torn_snappy_block_is_refused(change: Callable[[bytes], bytes]) -> None:
    request = loki_protobuf.PUSH_REQUEST()
    stream = request.streams.add(labels='{session="s"}')
    for line in LINES:
        stream.entries.add(line=line.encode())
    body = bytes(cramjam.snappy.compress_raw(request.SerializeToString()))
    answer = push_to_loki(cast(), change(body), content_type="application/x-protobuf")
    assert answer.status_code == 400


@pytest.mark.django_db
@pytest.mark.parametrize("body", [b"{", b"[" * 100_000, b"[]", b'{"streams": 1}', b"\xff\xfe"])
def test_json_that_is_no_push_is_refused(body: bytes) -> None:
    assert push_to_loki(cast(), body).status_code == 400


@pytest.fixture
def million_labels() -> bytes:
    """Return a push with a million labels."""
    labels = ",".join(f'"l{number}":""' for number in range(1_000_000))
    return f'{{"streams":[{{"stream":{{{labels}}},"values":[["1","x"]]}}]}}'.encode()


@pytest.mark.django_db
@pytest.mark.usefixtures("million_labels", "_bounded_memory")
def test_a_million_labels_are_too_big(million_labels: bytes) -> None:
    assert push_to_loki(cast(), million_labels).status_code == 413


@pytest.mark.django_db
def test_one_bad_entry_loses_no_other() -> None:
    people = cast()
    values = [[str(number), line] for number, line in enumerate(LINES, start=1)]
    values[500] = ["soon", 5]  # type: ignore[list-item]  # what the test is about
    document = {"streams": [{"stream": {"session": "s"}, "values": values}]}
    assert push_to_loki(people, json.dumps(document).encode()).status_code == 204
    assert kept_lines(people) == LINES[:500] + LINES[501:]
    with organization_scope(people.tenant.pk):
        assert [row["line"] for row in Batch.objects.get().rejected] == [501]


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/api/v1/logs?cluster=", "/loki/api/v1/push"])
def test_a_foreign_cluster_is_not_found(path: str) -> None:
    people, elsewhere = cast(), cast()
    slug = elsewhere.cluster.slug
    document = {"streams": [{"stream": {"cluster": slug}, "values": [["1", "x"]]}]}
    answer = Client().post(
        f"{path}{slug}" if path.endswith("=") else path,
        json.dumps(document).encode(),
        content_type="application/json",
        headers={"Authorization": f"Bearer {people.token(people.tenant)}"},
    )
    assert answer.status_code == 404
    detail = answer.json()["detail"]
    assert f"this token writes to: {people.cluster.slug}" in detail
    assert slug not in detail
    with organization_scope(people.tenant.pk, elsewhere.tenant.pk):
        assert not Batch.objects.exists()


@pytest.mark.django_db
def test_a_token_without_a_cluster_is_told_so() -> None:
    organization = make.organization()
    token = make.token(organization=organization)
    path = "/api/v1/logs?cluster=nope"
    headers = {"Authorization": f"Bearer {token}"}
    answer = Client().post(path, b"x", content_type="text/plain", headers=headers)

    assert answer.status_code == 404
    assert answer.json()["detail"].endswith("this token is bound to none.")


@pytest.mark.django_db
@pytest.mark.parametrize("credential", ["", "Bearer no", "Basic bm9ib2R5", "Digest x"])
def test_without_a_good_token_nothing_is_taken(credential: str) -> None:
    answer = Client().post(
        "/api/v1/logs", b"x", content_type="text/plain", headers={"Authorization": credential}
    )
    assert answer.status_code == 401
    assert "Basic" in answer["WWW-Authenticate"]
