"""Reading many names at once: everything once, in answers that server and portal can bear."""

import gzip
import ipaddress
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis.detection.metrics.frames import Grid
from apps.telemetry.sources import bulk_reading, connection, read_plan, retry
from apps.telemetry.sources.address import Address
from apps.telemetry.sources.errors import Overloaded
from apps.telemetry.sources.prometheus import PrometheusSource
from apps.tenancy.outbound.policy import Policy
from tests.apps.telemetry.prometheus_server import World, serving

HERE = Policy(networks=(ipaddress.ip_network("127.0.0.0/8"),))
GRID = Grid(start=1_790_000_010.0, step=30.0, count=10)
TOO_MUCH = b'{"status":"error","errorType":"execution","error":"would load too many samples"}'


@pytest.fixture
def world() -> Iterator[World]:
    """Three names on four instances."""
    made = World()
    for number, metric in enumerate(("a", "b", "c")):
        for instance in range(4):
            made.add(metric, 10.0 * number + instance, instance=f"10.0.0.{instance}:9100")
    yield made
    made.hold.set()


def client(url: str) -> PrometheusSource:
    """Return a client of a server on loopback."""
    return PrometheusSource(address=Address(name="Aurora metrics", url=url, policy=HERE))


def read(
    url: str, *, names: tuple[str, ...] = ("a", "b", "c"), seconds: float = 60.0, grid: Grid = GRID
) -> tuple[dict[str, float], list[bulk_reading.SeriesAnswer]]:
    """Return the sum of the samples of each series, and every answer."""
    sums: dict[str, float] = {}
    asks = read_plan.planned(names=names, grid=grid, counts={}, match={})
    with client(url) as made:
        ends_at = time.monotonic() + seconds
        answers = list(bulk_reading.answers(client=made, asks=asks, ends_at=ends_at))
    for answer in answers:
        for series in answer.matrix.series() if answer.matrix else ():
            key = f"{series.labels['__name__']}/{series.labels['instance']}"
            sums[key] = sums.get(key, 0.0) + float(np.sum(series.values))
    return sums, answers


def everything(points: int = 10) -> dict[str, float]:
    """Return what `read` gives where nothing is left out."""
    return {
        f"{metric}/10.0.0.{instance}:9100": points * (10.0 * number + instance)
        for number, metric in enumerate(("a", "b", "c"))
        for instance in range(4)
    }


def refusing(when: Callable[[str, float], bool], status: int = 422) -> Callable[[Any], bool]:
    """Return a server's habit of refusing some range queries."""

    def answer(handler: Any) -> bool:
        asked = handler.world.asked[-1][1]
        points = (float(asked.get("end", 0)) - float(asked.get("start", 0))) / 30 + 1
        is_refused = "step" in asked and when(asked["query"], points)
        if is_refused:
            handler.reply(status, TOO_MUCH)
        return is_refused

    return answer


def test_many_names_are_one_question(world: World) -> None:
    with serving(world) as url:
        sums, _ = read(url)
    assert sums == everything()
    assert [form["query"] for _, form in world.asked] == ['{__name__=~"a|b|c"}']


@pytest.mark.parametrize(
    "when",
    [
        lambda query, _: "|" in query and "instance" not in query,  # more than one name
        lambda _, points: points > 3,  # a long span
        lambda query, _: "|" in query or "instance" not in query,  # more than one instance
    ],
)
def test_what_is_too_much_is_asked_in_parts_until_it_is_not(
    world: World, when: Callable[[str, float], bool]
) -> None:
    world.broken = refusing(when)
    with serving(world) as url:
        sums, answers = read(url)
    assert sums == everything()
    assert not any(answer.is_refused for answer in answers)


def test_what_cannot_be_made_smaller_is_refused_by_name_and_the_rest_is_read(world: World) -> None:
    world.broken = refusing(lambda query, _: re.search(r"\bb\b", query) is not None)
    with serving(world) as url:
        sums, answers = read(url)
    assert sums == {key: value for key, value in everything().items() if key[0] != "b"}
    assert {answer.ask.names for answer in answers if answer.is_refused} == {("b",)}


def test_answers_that_are_too_big_for_us_are_asked_in_parts(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "MAX_ANSWER_BYTES", 2000)
    with serving(world) as url:
        sums, _ = read(url)
    assert sums == everything()


def test_long_spans_are_asked_in_parts_of_a_bearable_size(world: World) -> None:
    grid = Grid(start=GRID.start, step=30.0, count=9000)
    with serving(world) as url:
        sums, answers = read(url, grid=grid)
    assert sums == everything(9000)
    assert len(answers) > 1
    assert sum(len(answer.ask.names) * answer.ask.grid.count for answer in answers) == 27_000


def test_when_time_is_up_the_rest_is_named(world: World) -> None:
    with serving(world) as url:
        sums, answers = read(url, seconds=-1.0)
    assert sums == {}
    assert [(each.ask.names, each.is_refused) for each in answers] == [(("a", "b", "c"), False)]


def test_busy_server_is_asked_again_when_it_wishes(world: World) -> None:
    turns = iter([429, 503, 502])

    def busy(handler: Any) -> bool:
        status = next(turns, 200)
        if status == 200:
            return False
        handler.send_response(status)
        handler.send_header("Retry-After", "0")
        handler.send_header("Content-Length", "0")
        handler.end_headers()
        return True

    world.broken = busy
    with serving(world) as url:
        sums, _ = read(url)
    assert sums == everything()


def test_server_that_never_has_time_is_given_up_after_a_few_questions(world: World) -> None:
    world.broken = refusing(lambda *_: True, status=503)
    with serving(world) as url, pytest.raises(Overloaded, match=r"Aurora metrics.*HTTP 503"):
        read(url)
    assert len(world.asked) <= bulk_reading.MOST_OVERLOADS * retry.MOST_ATTEMPTS + 4


def test_pauses_grow_are_jittered_and_follow_the_server() -> None:
    first = [retry.pause_before(attempt=1, retry_after=None) for _ in range(200)]
    assert 0.25 <= min(first) < max(first) <= 0.375
    assert retry.pause_before(attempt=3, retry_after=None) >= 1.0
    assert 2.0 <= retry.pause_before(attempt=1, retry_after="2") <= 3.0
    assert retry.pause_before(attempt=1, retry_after="86400") <= 7.5
    assert retry.pause_before(attempt=1, retry_after="Wed, 21 Oct 2026 07:28:00 GMT") <= 0.375


@settings(deadline=None)
@given(st.lists(st.integers(0, 50_000), max_size=8), st.integers(1, 30_000))
def test_every_name_is_asked_at_every_instant_once(sizes: list[int], points: int) -> None:
    counts = {f"name_{place}": size for place, size in enumerate(sizes)}
    grid = Grid(start=30.0, step=30.0, count=points)
    asks = read_plan.planned(
        names=list(counts), grid=grid, counts=counts, match={"a": "b"}, channel=3
    )
    for name in counts:
        parts = [ask.grid for ask in asks if name in ask.names]
        assert [part.start for part in parts] == [grid.start, *(p.end + 30.0 for p in parts[:-1])]
        assert parts[-1].end == grid.end
    assert all(ask.grid.count <= 11_000 for ask in asks)
    assert {ask.channel for ask in asks} <= {3}


@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=4))
def test_names_of_strangers_stay_names(names: list[str]) -> None:
    query = read_plan.Ask(names=tuple(names), grid=GRID, match={"m": "v"}).query
    bare = query.replace("\\\\", "").replace('\\"', "")
    assert bare.count('"') in {2, 4}
    assert "\n" not in query


@pytest.mark.parametrize(
    ("addresses", "encoding"),
    [
        (["10.1.2.3"], "identity"),
        (["127.0.0.1"], "identity"),
        (["8.8.8.8"], "gzip"),
        ([], "identity"),
    ],
)
def test_only_what_crosses_the_internet_is_packed(addresses: list[str], encoding: str) -> None:
    policy = Policy(resolver=lambda _host, _port: addresses)
    assert retry.encoding_for(url="https://metrics.example:9090/x", policy=policy) == encoding


def test_packed_answers_are_read(world: World) -> None:
    def packed(handler: Any) -> bool:
        assert "gzip" in handler.headers["Accept-Encoding"]
        body = (
            b'{"status":"success","data":{"resultType":"matrix","result":'
            b'[{"metric":{"__name__":"a","instance":"x"},"values":[[1790000010,"5"]]}]}}'
        )
        raw = gzip.compress(body)
        handler.send_response(200)
        handler.send_header("Content-Encoding", "gzip")
        handler.send_header("Content-Length", str(len(raw)))
        handler.end_headers()
        handler.wfile.write(raw)
        return True

    world.broken = packed
    with serving(world) as url, client(url) as made:
        made._server.session.headers["Accept-Encoding"] = "gzip"
        assert made.matrix(query="a", grid=GRID)[0].values.tolist() == [5.0]


def test_server_clock_is_compared_with_ours(world: World) -> None:
    def ahead(handler: Any) -> bool:
        handler.date_time_string = lambda: "Fri, 31 Dec 2100 23:59:59 GMT"
        return False

    with serving(world) as url, client(url) as made:
        made.metric_names(starts_at=0, ends_at=1)
        assert made.clock_ahead is not None
        assert abs(made.clock_ahead) < 2
        world.broken = ahead
        made.metric_names(starts_at=0, ends_at=1)
        assert made.clock_ahead > 1e9
