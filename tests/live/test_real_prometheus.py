"""The metrics client and the pull against a real server: what our tiny one can't vouch for."""

import ipaddress
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from apps.diagnosis.detection.metrics.frames import Grid
from apps.diagnosis.detection.metrics.selectors import write_selector
from apps.fleet.models import Attempt
from apps.telemetry.evidence import capture, captured_series
from apps.telemetry.metrics.pulls import pull
from apps.telemetry.models import EvidenceCapture
from apps.telemetry.sources import matrix
from apps.telemetry.sources.address import Address
from apps.telemetry.sources.errors import QueryFailed
from apps.telemetry.sources.prometheus import PrometheusSource
from apps.tenancy.outbound.policy import Policy
from apps.tenancy.scope import organization_scope
from tests.cast.metrics import HOSTS, anomalies, attempt, cast, reloaded, source
from tests.live.real_prometheus import Exporter, exporting, needs_prometheus, prometheus

pytestmark = [pytest.mark.prometheus, needs_prometheus, pytest.mark.sweep]

ODD = 'a]]}},"values":[[1,"2"]] {"metric":{ \\ " or vector(1) \u00e4'
STEP = 15
# Two hours of history that end some minutes ago, on the grid of the scrapes.
END = int(time.time()) // STEP * STEP - 300
START = END - 7200
EDGE = END - 3600


def history() -> str:
    """Return OpenMetrics text: eight hosts, one Xid, one thermal straggler, odd values."""
    names = ("DCGM_FI_DEV_XID_ERRORS", "DCGM_FI_DEV_SM_CLOCK", "DCGM_FI_DEV_GPU_TEMP")
    lines = []
    for name in names:
        lines.append(f"# TYPE {name} gauge")
        for number, host in enumerate(HOSTS):
            for index in range(2):
                labels = f'Hostname="{host}",gpu="{index}",UUID="GPU-{number}{index}"'
                lines += [
                    f"{name}{{{labels}}} {_value(name, host, index, at)} {at}"
                    for at in range(START, END, STEP)
                ]
    lines.append("# TYPE odd gauge")
    text = ODD.replace("\\", "\\\\").replace('"', '\\"')
    lines += [
        f'odd{{l="{text}"}} {value} {START + STEP * place}'
        for place, value in enumerate(["1", "NaN", "+Inf", "-Inf", "9223372036854775794"])
    ]
    return "\n".join([*lines, "# EOF", ""])


def _value(name: str, host: str, index: int, at: int) -> float:
    is_ill = (host, index) == (HOSTS[2], 1) and at >= EDGE
    if name == "DCGM_FI_DEV_XID_ERRORS":
        return 79 if is_ill else 0
    if name == "DCGM_FI_DEV_SM_CLOCK":
        return 1000 if (host, index) == (HOSTS[5], 0) and at >= EDGE else 1900
    return 60


@pytest.fixture(scope="module")
def exporter() -> Iterator[Exporter]:
    """An exporter whose text a test may change."""
    with exporting() as made:
        made.text = 'live_gauge{a="1"} 1\nlive_gauge{a="2"} 2\n'
        yield made


@pytest.fixture(scope="module")
def url(exporter: Exporter, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with two hours of history."""
    directory: Path = tmp_path_factory.mktemp("prometheus")
    with prometheus(directory=directory, exporter=exporter, history=history()) as made:
        yield made


def client(url: str) -> PrometheusSource:
    """Return a client of the server."""
    policy = Policy(networks=(ipaddress.ip_network("127.0.0.0/8"),))
    return PrometheusSource(address=Address(name="real", url=url, policy=policy))


def test_names_are_those_of_the_span(url: str) -> None:
    with client(url) as made:
        assert {"odd", "DCGM_FI_DEV_SM_CLOCK"} <= made.metric_names(starts_at=START, ends_at=END)
        assert "odd" not in made.metric_names(starts_at=START - 9e6, ends_at=START - 8e6)


def test_quick_parse_equals_the_json_parse_on_a_real_body(url: str) -> None:
    grid = Grid(start=START, step=STEP, count=400)
    with client(url) as made:
        response = made._server.session.post(
            f"{url}/api/v1/query_range",
            data={
                "query": '{__name__=~"DCGM.*|odd"}',
                "start": grid.start,
                "end": grid.end,
                "step": STEP,
            },
            timeout=(3, 10),
        )
    quick, slow = (each(response.content).series() for each in (matrix._scan, matrix._decode))
    assert len(quick) == len(slow) == 3 * 16 + 1
    for one, other in zip(quick, slow, strict=True):
        assert one.labels == other.labels
        np.testing.assert_array_equal(one.at, other.at)
        np.testing.assert_array_equal(one.values, other.values)


def test_odd_labels_are_selected_exactly_and_odd_values_arrive(url: str) -> None:
    with client(url) as made:
        query = write_selector(metric="odd", match={"l": ODD})
        (series,) = made.raw(query=query, seconds=120, at=START + 60)
        assert not made.matrix(
            query=write_selector(metric="odd", match={"l": ODD + "x"}),
            grid=Grid(start=START, step=STEP, count=4),
        )
    assert series.labels["l"] == ODD
    np.testing.assert_array_equal(
        series.values, [1.0, np.nan, np.inf, -np.inf, 9223372036854775794.0]
    )
    np.testing.assert_array_equal(series.at, START + STEP * np.arange(5))


def test_more_points_than_the_server_allows_are_read_in_slices(url: str) -> None:
    with client(url) as made:
        parts = made.matrix(
            query=write_selector(metric="DCGM_FI_DEV_SM_CLOCK", match={"Hostname": HOSTS[0]}),
            grid=Grid(start=END - 12_000, step=1, count=12_000),
        )
    assert sum(len(part.at) for part in parts) > 11_000


def test_refusals_are_told_apart_from_a_broken_source(url: str) -> None:
    with client(url) as made, pytest.raises(QueryFailed, match="parse error"):
        made.matrix(query="odd{", grid=Grid(start=START, step=STEP, count=4))


def test_series_that_disappears_is_gone_at_once(url: str, exporter: Exporter) -> None:
    pause = threading.Event()

    def heard(at: float) -> set[str]:
        with client(url) as made:
            grid = Grid(start=at, step=1, count=1)
            found = made.matrix(query="live_gauge", grid=grid)
        return {series.labels["a"] for series in found}

    def wait_for(wanted: set[str]) -> None:
        for _ in range(100):
            if heard(time.time()) == wanted:
                return
            pause.wait(0.1)
        raise AssertionError(f"the server never showed {wanted}")

    wait_for({"1", "2"})
    exporter.text = 'live_gauge{a="1"} 1\n'
    wait_for({"1"})


@pytest.mark.django_db
def test_pull_finds_the_fault_and_the_straggler_of_an_hour_ago(url: str) -> None:
    people = cast()
    attempt(people)
    made = source(people, url)
    now = datetime.fromtimestamp(END, UTC)
    with organization_scope(people.outsider.id):
        Attempt.objects.update(started_at=now - timedelta(hours=5))
    pulled = pull.pull_source(organization_id=people.operator.id, source_id=made.pk, now=now)
    assert (pulled.state, pulled.error) == ("fresh", "")
    assert reloaded(made).series_count == 3 * 16
    by_signal = {each.signal: each for each in anomalies(people)}
    edge = datetime.fromtimestamp(EDGE, UTC)
    xid = by_signal["gpu.xid"]
    assert (xid.host, xid.entity["index"], xid.causes) == (HOSTS[2], 1, ["gpu-off-bus"])
    assert timedelta(0) <= xid.starts_at - edge <= timedelta(seconds=60)
    assert by_signal["gpu.clock"].host == HOSTS[5]


@pytest.mark.django_db
def test_evidence_window_is_captured_at_full_resolution(url: str) -> None:
    people = cast()
    made = source(people, url)
    edge = datetime.fromtimestamp(EDGE, UTC)
    with organization_scope(people.operator.id):
        order = EvidenceCapture.objects.create(
            organization=people.operator,
            incident_owner=people.outsider.id,
            incident_public_id="INC-LIVE",
            source=made,
            capture_pass=1,
            due_at=edge,
            request={
                "starts_at": (edge - timedelta(minutes=20)).isoformat(),
                "ends_at": (edge + timedelta(minutes=6)).isoformat(),
                "suspects": [HOSTS[2]],
                "mounts": [],
                "attempt_hosts": list(HOSTS),
            },
        )
    now = edge + timedelta(minutes=10)
    state = capture.capture(organization_id=people.operator.id, capture_id=order.pk, now=now)
    with organization_scope(people.operator.id):
        charts = captured_series.charts(
            organization_id=people.operator.id,
            incident_owner=people.outsider.id,
            incident_public_id="INC-LIVE",
        )
    assert state == "captured"
    (xid,) = [c for c in charts if (c.signal, c.entity.index) == ("gpu.xid", 1)]
    changed = float(xid.at[int(np.argmax(xid.values == 79))])
    assert abs(changed - EDGE) <= STEP
    assert set(xid.peers) == {"p5", "p25", "p50", "p75", "p95"}
