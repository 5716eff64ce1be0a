"""Values written into real servers come back as they were: by import and by remote_write.

Values are compared, not counts: VictoriaMetrics leaves out the first sample of some ranges.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import cramjam
import numpy as np
import pytest
import requests

from apps.diagnosis.detection.metrics.frames import Grid, Samples
from apps.telemetry.sources import bulk_reading, matrix, read_plan
from apps.telemetry.sources.errors import QueryFailed
from apps.telemetry.sources.prometheus import PrometheusSource
from tests.api.receivers.writing import Series, v1
from tests.live.real_prometheus import address, exporting, needs_prometheus, prometheus
from tests.live.real_victoria import needs_victoria, victoria

pytestmark = [pytest.mark.prometheus, pytest.mark.sweep]

STEP, COUNT, NODES = 15, 120, 12
END = int(time.time()) // STEP * STEP - 60
START = END - STEP * (COUNT - 1)
# VictoriaMetrics keeps the numbers of a block as decimals of one exponent, some twelve digits.
LOSS = 1e-11
NAMES = ("fl_temperature", "fl_energy_total", "fl_ratio")
ODD = 'a]]}},"values":[[1,"2"]] {"metric":{ \\ " ä'
Written = dict[tuple[str, str], np.ndarray]


def written() -> Written:
    """Return the values of each series: levels, big counters, shares with all digits, odd."""
    random = np.random.default_rng(11)
    made: Written = {}
    for node in range(NODES):
        host = f"gpu{node:03}"
        made["fl_temperature", host] = np.round(60 + random.normal(0, 2, COUNT), 1)
        made["fl_energy_total", host] = 8.2e13 + np.cumsum(random.integers(1, 10**9, COUNT))
        made["fl_ratio", host] = random.random(COUNT)
    for place, value in enumerate((1e-9, 2.5e22, 9223372036854775794.0, -0.1)):
        made["fl_extreme", f"e{place}"] = np.full(COUNT, value)
    made["fl_odd", ODD] = np.resize([0.0, -1.5, 0.1], COUNT)
    return made


WRITTEN = written()


def at(place: int) -> int:
    """Return the second of a sample."""
    return START + STEP * place


def open_metrics() -> str:
    """Return everything as OpenMetrics text."""
    lines = []
    for name in sorted({name for name, _ in WRITTEN}):
        lines.append(f"# TYPE {name.removesuffix('_total')} unknown")
        for (of, host), values in WRITTEN.items():
            label = host.replace("\\", "\\\\").replace('"', '\\"')
            lines += [
                f'{name}{{Hostname="{label}",instance="{label[:9]}"}} {value!r} {at(place)}'
                for place, value in enumerate(values.tolist() if of == name else ())
            ]
    return "\n".join([*lines, "# EOF", ""])


def json_lines() -> bytes:
    """Return everything as VictoriaMetrics imports it."""
    return "\n".join(
        json.dumps(
            {
                "metric": {"__name__": name, "Hostname": host, "instance": host[:9]},
                "values": values.tolist(),
                "timestamps": [at(place) * 1000 for place in range(COUNT)],
            }
        )
        for (name, host), values in WRITTEN.items()
    ).encode()


def send(url: str) -> None:
    """Write everything by remote_write."""
    series = [
        Series(
            labels={"__name__": name, "Hostname": host, "instance": host[:9]},
            samples=[(at(place) * 1000, value) for place, value in enumerate(values.tolist())],
        )
        for (name, host), values in WRITTEN.items()
    ]
    body = bytes(cramjam.snappy.compress_raw(v1(series)))
    headers = {
        "Content-Encoding": "snappy",
        "Content-Type": "application/x-protobuf",
        "X-Prometheus-Remote-Write-Version": "0.1.0",
    }
    requests.post(url, data=body, headers=headers, timeout=20).raise_for_status()


def of_prometheus(stack: ExitStack, folder: Path, way: str) -> str:
    """Run a Prometheus that has everything; return its URL."""
    exporter = stack.enter_context(exporting())
    history = open_metrics() if way == "import" else ""
    url = stack.enter_context(prometheus(directory=folder, exporter=exporter, history=history))
    if way == "remote_write":
        send(f"{url}/api/v1/write")
    return url


def of_victoria(stack: ExitStack, folder: Path, way: str) -> str:
    """Run a VictoriaMetrics that has everything; return its URL."""
    url = stack.enter_context(victoria(directory=folder))
    if way == "remote_write":
        send(f"{url}/api/v1/write")
    else:
        requests.post(f"{url}/api/v1/import", data=json_lines(), timeout=20).raise_for_status()
    requests.get(f"{url}/internal/force_flush", timeout=20).raise_for_status()
    return url


Server = Callable[[ExitStack, Path, str], str]
SERVERS = [
    pytest.param((start, way), marks=needed, id=f"{name}, {way}")
    for name, start, needed in (
        ("prometheus", of_prometheus, needs_prometheus),
        ("victoria-metrics", of_victoria, needs_victoria),
    )
    for way in ("import", "remote_write")
]


@pytest.fixture(scope="module", params=SERVERS)
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real server that has everything."""
    start, way = request.param
    with ExitStack() as stack:
        made = start(stack, tmp_path_factory.mktemp("server"), way)
        wait_until_there(made)
        yield made


def wait_until_there(url: str) -> None:
    """Wait until the newest sample of every series is answered."""
    pause = threading.Event()
    heard: dict[str, int] = {}
    for _ in range(100):
        with PrometheusSource(address=address(url)) as client:
            heard = client.counts(query='{__name__=~"fl_.*"}', by="__name__", at=END)
        if sum(heard.values()) == len(WRITTEN):
            return
        pause.wait(0.2)
    raise AssertionError(f"the server only has {heard}")


def same(found: list[Samples], *, first: int, last: int) -> None:
    """Compare values with what was written; at most the first sample may be missing."""
    assert found
    for series in found:
        values = WRITTEN[series.labels["__name__"], series.labels["Hostname"]]
        places = np.round((series.at - START) / STEP).astype(int)
        np.testing.assert_array_equal(series.at, START + STEP * places)
        np.testing.assert_allclose(series.values, values[places], rtol=LOSS, atol=0)
        expected = set(range(first, last + 1))
        assert expected - {first} <= set(places.tolist()) <= expected


def grid(first: int = 0, last: int = COUNT - 1) -> Grid:
    """Return the instants of some samples."""
    return Grid(start=float(at(first)), step=float(STEP), count=last - first + 1)


def test_every_value_of_a_range_is_the_one_that_was_written(url: str) -> None:
    with PrometheusSource(address=address(url)) as client:
        found = client.matrix(query='{__name__=~"fl_.*"}', grid=grid())
    assert len(found) == len(WRITTEN)
    same(found, first=0, last=COUNT - 1)


def test_numbers_are_bit_for_bit_what_the_server_says(url: str) -> None:
    form = {"query": '{__name__=~"fl_.*"}', "start": START, "end": END, "step": STEP}
    body = requests.post(f"{url}/api/v1/query_range", data=form, timeout=20).content
    said = {
        (each["metric"]["__name__"], each["metric"]["Hostname"]): [
            (float(second), float(text)) for second, text in each["values"]
        ]
        for each in json.loads(body)["data"]["result"]
    }
    for series in matrix._scan(body).series():
        pairs = said.pop((series.labels["__name__"], series.labels["Hostname"]))
        assert list(zip(series.at.tolist(), series.values.tolist(), strict=True)) == pairs
    assert said == {}


def test_parts_of_a_range_meet_without_a_gap_or_a_double(url: str) -> None:
    wanted = grid(10, 100)
    asks = [
        read_plan.Ask(names=(*NAMES, "fl_odd", "fl_extreme"), grid=part)
        for part in read_plan.slices(grid=wanted, points=13)
    ]
    with PrometheusSource(address=address(url)) as client:
        answers = list(
            bulk_reading.answers(client=client, asks=asks, ends_at=time.monotonic() + 60)
        )
    joined: dict[tuple[str, str], list[float]] = {}
    for answer in answers:
        assert answer.matrix is not None
        for series in answer.matrix.series():
            key = (series.labels["__name__"], series.labels["Hostname"])
            joined.setdefault(key, []).extend(series.values.tolist())
    assert joined.keys() == WRITTEN.keys()
    for key, values in joined.items():
        np.testing.assert_allclose(values, WRITTEN[key][10:101], rtol=LOSS, atol=0)


def test_instances_in_shards_are_everything_once(url: str) -> None:
    whole = read_plan.Ask(names=("fl_ratio",), grid=grid(50, 52))
    with PrometheusSource(address=address(url)) as client:
        shards = read_plan.smaller_asks(client, whole)
        found = [
            series for ask in shards for series in client.matrix(query=ask.query, grid=ask.grid)
        ]
    assert len(shards) > 1
    assert sorted(series.labels["Hostname"] for series in found) == sorted(
        host for name, host in WRITTEN if name == "fl_ratio"
    )
    same(found, first=50, last=52)


def test_stored_samples_have_their_own_times(url: str) -> None:
    with PrometheusSource(address=address(url)) as client:
        found = client.raw(query="fl_energy_total", seconds=10 * STEP, at=at(60))
    assert len(found) == NODES
    same(found, first=50, last=60)


def test_odd_labels_are_selected_exactly(url: str) -> None:
    with PrometheusSource(address=address(url)) as client:
        ask = read_plan.Ask(names=("fl_odd",), grid=grid(0, 5), match={"Hostname": ODD})
        (series,) = client.matrix(query=ask.query, grid=ask.grid)
        other = read_plan.Ask(names=("fl_odd",), grid=grid(0, 5), match={"Hostname": ODD + "x"})
        assert client.matrix(query=other.query, grid=other.grid) == []
    same([series], first=0, last=5)


def test_refusals_and_counts_are_understood(url: str) -> None:
    with PrometheusSource(address=address(url)) as client:
        with pytest.raises(QueryFailed):
            client.matrix(query="fl_odd{", grid=grid())
        counts = client.counts(query='{__name__=~"fl_ratio|fl_odd"}', by="__name__", at=END)
        names = client.metric_names(starts_at=START, ends_at=END)
    assert counts == {"fl_ratio": NODES, "fl_odd": 1}
    assert {*NAMES, "fl_odd"} <= names
