"""Sources that misbehave: marked in clear words, nobody else notices, nothing is made up of it."""

import gzip
import time
import tracemalloc
from collections.abc import Callable
from datetime import timedelta
from functools import cache
from typing import Any

import numpy as np
import orjson
import pytest

from apps.telemetry.metrics.pulls import pull
from apps.telemetry.sources.prometheus import PrometheusSource
from apps.telemetry.sources.stored_source import address_of
from tests.apps.telemetry.prometheus_server import Row, World, serving
from tests.cast.metrics import (
    HOSTS,
    NOW,
    Cast,
    anomalies,
    reloaded,
    source,
)

pytestmark = [pytest.mark.django_db, pytest.mark.sweep]

CANARY = "canary-in-the-body"
HTML = f"<!DOCTYPE html><html><body>Sign in, {CANARY}</body></html>".encode()
Habit = Callable[[Any], bool]


@pytest.fixture
def _short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    def hurried(*, source: Any) -> PrometheusSource:
        # Those alone that would be waited for: a busy machine is slow, too.
        seconds = 0.5 if source.name == "slow" else 30
        return PrometheusSource(address=address_of(source=source), read_seconds=seconds)

    monkeypatch.setattr(pull, "client_of", hurried)


def only_ranges(habit: Habit) -> Habit:
    """Return a habit that begins after discovery: the health check alone would not see it."""

    def answer(handler: Any) -> bool:
        return habit(handler) if "step" in handler.world.asked[-1][1] else False

    return answer


def says(code: int, body: bytes, **headers: str) -> Habit:
    """Return a server that answers everything so."""

    def answer(handler: Any) -> bool:
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)
        return True

    return answer


def hangs(handler: Any) -> bool:
    """Never answer."""
    handler.world.hold.wait(30)
    return True


def floods(handler: Any) -> bool:
    """Send 100 MB that look like an answer."""
    handler.send_response(200)
    handler.end_headers()
    handler.wfile.write(b'{"status":"success","data":{"resultType":"matrix","result":[')
    for _ in range(100):
        handler.wfile.write(CANARY.encode() * 60_000)
    handler.close_connection = True
    return True


def drips(handler: Any) -> bool:
    """Send a byte now and then, for ever."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000000")
    handler.end_headers()
    while not handler.world.hold.wait(0.1):
        handler.wfile.write(b" ")
        handler.wfile.flush()
    return True


@cache
def swollen() -> bytes:
    """Return 200 KB that unpack to 200 MB."""
    return gzip.compress(b" " * 200_000_000, 1)


def swells(handler: Any) -> bool:
    """Send what unpacks to much."""
    return says(200, swollen(), **{"Content-Encoding": "gzip"})(handler)


def answers(result: object, kind: str = "matrix") -> Habit:
    """Return a server whose range answers hold this."""
    data = {"resultType": kind, "result": result}
    return only_ranges(says(200, orjson.dumps({"status": "success", "data": data})))


TOO_LATE = ("no answer within", "not complete after")
MISCHIEF = [
    pytest.param(says(200, HTML), "not the Prometheus HTTP API", id="html"),
    pytest.param(only_ranges(says(200, HTML)), "an HTML page", id="html-ranges"),
    pytest.param(says(302, b"", Location="http://elsewhere.example/"), "redirects", id="redirect"),
    pytest.param(says(401, HTML), "credential is not accepted", id="wrong-credential"),
    pytest.param(only_ranges(says(403, HTML)), "credential is not accepted", id="no-right"),
    pytest.param(says(500, HTML), "HTTP 500", id="broken"),
    pytest.param(only_ranges(says(503, HTML)), "HTTP 503", id="busy"),
    pytest.param(hangs, "no answer within", id="hang"),
    pytest.param(only_ranges(hangs), "no answer within", id="hang-ranges"),
    pytest.param(only_ranges(floods), "more than 64 MiB", id="flood"),
    pytest.param(only_ranges(swells), "more than 64 MiB", id="gzip-bomb"),
    pytest.param(only_ranges(drips), "not complete after", id="drip"),
    pytest.param(answers([], "vector"), "no matrix", id="vector"),
    pytest.param(answers({"a": CANARY}), "no list of series", id="object"),
    pytest.param(answers([{"metric": {}, "values": [CANARY]}]), "another shape", id="no-pairs"),
    pytest.param(
        answers([{"metric": {"__name__": "up"}, "values": [[1, CANARY]]}]),
        "another shape",
        id="no-number",
    ),
    pytest.param(answers([{"metric": CANARY, "values": [[1, "2"]]}]), "another shape", id="no-set"),
]


@pytest.mark.usefixtures("_short_patience")
@pytest.mark.parametrize(("habit", "words"), MISCHIEF)
def test_it_is_marked_and_costs_little_and_nobody_else_notices(
    people: Cast, world: World, habit: Habit, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    ill_world = World(rows=world.rows, broken=habit)
    with serving(ill_world) as bad, serving(world) as good:
        name = "slow" if words in TOO_LATE else "ill"
        ill, well = source(people, bad, name=name), source(people, good, name="well")
        began = time.process_time()
        pulled = [
            pull.pull_source(organization_id=people.operator.id, source_id=made.pk, now=NOW)
            for made in (ill, well)
        ]
        ill_world.hold.set()
    assert [each.state for each in pulled] == ["stale", "fresh"]
    row = reloaded(ill)
    assert (row.state, row.failure_count, row.claimed_until, row.read_until) == (
        *("stale", 1, None, None),
    )
    assert words in row.last_error
    assert row.last_error.startswith(f"{name}: http://127.0.0.1:")
    assert CANARY not in row.last_error
    assert CANARY not in caplog.text
    assert reloaded(well).last_error == ""
    assert anomalies(people) == []
    assert time.process_time() - began < 30


@pytest.mark.parametrize("habit", [floods, swells])
def test_too_much_takes_a_bounded_memory(people: Cast, world: World, habit: Habit) -> None:
    world.broken = only_ranges(habit)
    with serving(world) as url:
        made = source(people, url)
        tracemalloc.start()
        pull.pull_source(organization_id=people.operator.id, source_id=made.pk, now=NOW)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    # Two answers at once, each up to its limit and twice that while it grows and is copied.
    assert peak < 2 * 3 * 64 * 2**20


def test_a_source_that_is_ill_and_recovers_reads_what_it_missed(people: Cast, world: World) -> None:
    with serving(world) as url:
        made = source(people, url)
        for minutes, habit in ((0, None), (1, says(500, HTML)), (3, says(500, HTML)), (9, None)):
            world.broken = habit
            pull.pull_source(
                organization_id=people.operator.id,
                source_id=made.pk,
                now=NOW + timedelta(minutes=minutes),
            )
    row = reloaded(made)
    assert (row.state, row.failure_count, row.last_error) == ("fresh", 0, "")
    assert row.read_until is not None
    assert row.read_until >= NOW + timedelta(minutes=8)
    assert anomalies(people) == []


def test_values_that_mean_nothing_and_doubled_series_are_no_findings(
    people: Cast, world: World
) -> None:
    blanks = [9223372036854775794.0, 2147483632.0, np.inf, -np.inf]
    edge = NOW.timestamp() - 1800
    for host in HOSTS:
        for index, blank in enumerate(blanks):
            labels = {"Hostname": host, "gpu": str(index), "UUID": f"GPU-{host}{index}"}
            for metric in ("DCGM_FI_DEV_MEMORY_TEMP", "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL"):
                world.add(metric, becomes(edge, 1.0, blank), **labels)
    # The same series twice, and once more under another job: a part has one value.
    world.rows += [row for row in world.rows if row.labels["__name__"] == "DCGM_FI_DEV_SM_CLOCK"]
    world.rows += [
        Row(labels=row.labels | {"job": "twice"}, value=row.value)
        for row in world.rows
        if row.labels["__name__"] == "DCGM_FI_DEV_GPU_TEMP"
    ]
    with serving(world) as url:
        made = source(people, url)
        states = [
            pull.pull_source(
                organization_id=people.operator.id,
                source_id=made.pk,
                now=NOW + timedelta(minutes=minutes),
            ).state
            for minutes in (0, 1)
        ]
    assert states == ["fresh", "fresh"]
    assert anomalies(people) == []


def becomes(edge: float, before: float, after: float) -> Callable[[Any], Any]:
    """Return a value that changes at an instant."""
    return lambda at: np.where(at >= edge, after, before)
