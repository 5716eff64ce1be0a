"""The metrics client: what it reads, how it asks, and what broken servers do to it."""

import ipaddress
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.diagnosis.detection.metrics.frames import Grid
from apps.diagnosis.detection.metrics.selectors import escape
from apps.telemetry.sources.address import Address, Credential, without_credentials
from apps.telemetry.sources.errors import QueryFailed, SourceUnreachable
from apps.telemetry.sources.prometheus import MAX_POINTS, PrometheusSource
from apps.tenancy.outbound.policy import Policy
from tests.apps.telemetry.prometheus_server import World, serving

HERE = Policy(networks=(ipaddress.ip_network("127.0.0.0/8"),))
WORD = "canary"
GRID = Grid(start=1_790_000_010.0, step=30.0, count=10)


@pytest.fixture
def world() -> Iterator[World]:
    """A world that is torn down with its server."""
    made = World()
    yield made
    made.hold.set()


def client(
    url: str, credential: Credential | None = None, seconds: float = 5.0
) -> PrometheusSource:
    """Return a client of a server on loopback."""
    address = Address(
        name="Aurora metrics", url=url, policy=HERE, credential=credential or Credential()
    )
    return PrometheusSource(address=address, read_seconds=seconds)


def test_range_is_read_with_labels_times_and_values(world: World) -> None:
    world.add("m", lambda at: at - GRID.start, host="gpu001")
    world.add("other", 1.0)
    with serving(world) as url, client(url) as source:
        (series,) = source.matrix(query="m", grid=GRID)
    assert series.labels == {"__name__": "m", "host": "gpu001"}
    np.testing.assert_array_equal(series.at, GRID.start + 30.0 * np.arange(10))
    np.testing.assert_array_equal(series.values, 30.0 * np.arange(10))


def test_discovery_is_bounded_in_time(world: World) -> None:
    world.add("m", 1.0)
    with serving(world) as url, client(url) as source:
        names = source.metric_names(starts_at=GRID.start, ends_at=GRID.end)
    assert names == {"m"}
    assert world.asked[0][1] == {"start": "1790000010", "end": "1790000280"}


def test_bulk_reads_are_posted_and_ask_for_no_compression(world: World) -> None:
    world.add("m", 1.0)
    with serving(world) as url, client(url) as source:
        source.matrix(query="m", grid=GRID)
    assert world.headers[0]["Accept-Encoding"] == "identity"
    assert world.headers[0]["Content-Type"] == "application/x-www-form-urlencoded"


def test_raw_samples_keep_their_own_times(world: World) -> None:
    world.add("m", 7.0)
    with serving(world) as url, client(url) as source:
        (series,) = source.raw(query="m", seconds=60, at=1_790_000_007.0)
    np.testing.assert_array_equal(np.diff(series.at), [15, 15, 15])
    assert world.asked[0][1]["query"] == "m[60s]"


def test_long_spans_are_sliced_below_the_servers_limit(world: World) -> None:
    world.add("m", 1.0)
    long = Grid(start=1_700_000_000.0, step=15.0, count=MAX_POINTS + 500)
    with serving(world) as url, client(url, seconds=20.0) as source:
        parts = source.matrix(query="m", grid=long)
    assert sum(len(part.at) for part in parts) == MAX_POINTS + 500


@pytest.mark.parametrize(
    ("credential", "header"),
    [
        (Credential(), None),
        (Credential(kind="bearer", secret=WORD), "Bearer canary"),
        (Credential(kind="basic", user="u", secret=f"{WORD}:ä"), "Basic dTpjYW5hcnk6w6Q="),
    ],
)
def test_credential_is_sent_as_the_source_wants_it(
    world: World, credential: Credential, header: str | None
) -> None:
    with serving(world) as url, client(url, credential) as source:
        source.metric_names(starts_at=0, ends_at=1)
    assert world.headers[0].get("Authorization") == header


def test_credential_is_in_no_text_about_it() -> None:
    assert "canary" not in repr(Credential(kind="bearer", secret=WORD))
    assert without_credentials("http://u:canary@h:9090/x?token=canary#canary") == "http://h:9090/x"


def status(code: int, body: bytes = b"") -> Callable[[Any], bool]:
    """Return a server's habit of answering everything so."""

    def answer(handler: Any) -> bool:
        handler.reply(code, body)
        return True

    return answer


def hang(handler: BaseHTTPRequestHandler) -> bool:
    """Never answer."""
    handler.world.hold.wait(10)  # type: ignore[attr-defined]
    return True


def flood(handler: BaseHTTPRequestHandler) -> bool:
    """Send 100 MB that look like an answer."""
    handler.send_response(200)
    handler.end_headers()
    handler.wfile.write(b'{"status":"success","data":{"resultType":"matrix","result":[')
    for _ in range(100):
        handler.wfile.write(b" " * 2**20)
    handler.close_connection = True
    return True


def stall(handler: BaseHTTPRequestHandler) -> bool:
    """Begin an answer and stop."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"status":"succ')
    handler.wfile.flush()
    handler.world.hold.wait(10)  # type: ignore[attr-defined]
    return True


HTML = b"<!DOCTYPE html><html><body>Sign in, canary</body></html>"


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (status(200, HTML), "an HTML page"),
        (status(200, b""), "empty"),
        (status(200, b'{"status":"success","data":{"resultType":"vector","result":[]}}'), "matrix"),
        (status(200, b'{"status":"success","data":{"resultType":"matrix","result":{}}}'), "list"),
        (status(200, b"[1,2,3]"), "no matrix"),
        (status(200, b"null"), "no matrix"),
        (
            status(
                200, b'{"status":"success","data":{"resultType":"matrix","result":[{"metric":1}]}}'
            ),
            "another shape",
        ),
        (
            status(200, b'{"status":"success","data":{"resultType":"matrix","result":[{"me'),
            "not JSON",
        ),
        (status(401, HTML), "credential is not accepted"),
        (status(302, b""), "redirects"),
        (status(503, b"canary"), "HTTP 503"),
        (hang, "within"),
        (stall, "within|broke"),
        (flood, "more than 64 MiB"),
    ],
)
def test_broken_server_is_one_clear_error(
    world: World, broken: Callable[[Any], bool], words: str
) -> None:
    world.broken = broken
    began = time.process_time()
    # Waited for are those alone that never end: a busy machine is slow, too.
    patience = 0.3 if "within" in words else 30
    with serving(world) as url, client(url, seconds=patience) as source:
        with pytest.raises(SourceUnreachable, match=words) as caught:
            source.matrix(query="m", grid=GRID)
        world.hold.set()
    assert "Aurora metrics" in str(caught.value)
    assert "canary" not in str(caught.value)
    assert time.process_time() - began < 5


@pytest.mark.parametrize("broken", [status(200, HTML), status(500, HTML), hang, flood, stall])
def test_broken_discovery_is_the_same_clear_error(
    world: World, broken: Callable[[Any], bool]
) -> None:
    world.broken = broken
    with serving(world) as url, client(url, seconds=0.3) as source:
        with pytest.raises(SourceUnreachable, match="Aurora metrics") as caught:
            source.metric_names(starts_at=0, ends_at=1)
        world.hold.set()
    assert "canary" not in str(caught.value)


def test_nobody_listening_is_unreachable() -> None:
    with serving(World()) as url:
        gone = url
    with client(gone) as source, pytest.raises(SourceUnreachable, match="no connection"):
        source.metric_names(starts_at=0, ends_at=1)


def test_forbidden_address_is_unreachable_with_the_reason() -> None:
    address = Address(name="x", url="http://169.254.169.254:80", policy=HERE)
    with (
        PrometheusSource(address=address) as source,
        pytest.raises(SourceUnreachable, match="not public"),
    ):
        source.metric_names(starts_at=0, ends_at=1)


def test_refused_query_is_not_a_broken_source(world: World) -> None:
    world.broken = status(
        422, b'{"status":"error","errorType":"execution","error":"too many samples"}'
    )
    with serving(world) as url, client(url) as source, pytest.raises(QueryFailed, match="too many"):
        source.matrix(query="m", grid=GRID)


def test_busy_server_is_asked_once_more(world: World) -> None:
    world.add("m", 1.0)
    answers = iter([True, False])

    def busy_once(handler: Any) -> bool:
        is_busy = next(answers)
        handler.reply(503, b"") if is_busy else None
        return is_busy

    world.broken = busy_once
    with serving(world) as url, client(url) as source:
        assert len(source.matrix(query="m", grid=GRID)) == 1


LABEL = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(LABEL)
def test_label_values_cannot_leave_their_quotes(text: str) -> None:
    escaped = escape(text)
    assert "\n" not in escaped
    bare = escaped.replace("\\\\", "").replace('\\"', "")
    assert '"' not in bare
