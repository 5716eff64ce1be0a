"""The HTTP face of the simulated Prometheus: answers, errors, parties, what it says of itself."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from apps.simulator.catalog import FAMILIES
from apps.simulator.metrics_server import http_server
from apps.simulator.metrics_server.exposition import respond
from tests.apps.simulator.worlds import EPOCH, store, world


def _get(path: str, /, party: str = "aurora", **parameters: object) -> tuple[int, Any]:
    answer = respond(
        store=store(party),
        path=f"/api/v1/{path}",
        parameters={name: [str(value)] for name, value in parameters.items()},
        now=EPOCH,
    )
    return (answer.status, json.loads(answer.body))


def test_there_are_about_120_names_and_40_000_series() -> None:
    assert 110 <= len(FAMILIES) <= 140
    assert 38_000 <= store().series_count + store("strata").series_count <= 46_000


def test_an_instant_query_returns_strings_beside_a_time() -> None:
    status, body = _get("query", query='up{instance="gpu007:9100"}', time=EPOCH)
    assert status == 200
    assert body["data"]["resultType"] == "vector"
    assert body["data"]["result"][0]["value"] == [EPOCH, "1"]
    assert body["data"]["result"][0]["metric"]["__name__"] == "up"


def test_a_range_query_returns_every_step() -> None:
    status, body = _get(
        "query_range", query="DCGM_FI_DEV_GPU_TEMP", start=EPOCH - 21600, end=EPOCH, step="60s"
    )
    assert status == 200
    rows = body["data"]["result"]
    assert len(rows) == 504
    assert len(rows[0]["values"]) == 361


def test_a_lost_gpu_has_a_gap_and_no_zeros() -> None:
    culprit = world().outcomes["xid79-pcie"].truth
    _, body = _get(
        "query_range",
        query=f'DCGM_FI_DEV_POWER_USAGE{{Hostname="{culprit.culprits[0].host}",gpu="{culprit.culprits[0].gpu}"}}',
        start=culprit.failed_at - 600,
        end=culprit.failed_at + 6000,
        step=30,
    )
    values = body["data"]["result"][0]["values"]
    assert max(b[0] - a[0] for a, b in pairwise(values)) > 5000
    assert min(float(value) for _, value in values) > 50.0


def test_a_range_selector_returns_samples() -> None:
    _, body = _get("query", query='up{instance="gpu007:9100"}[5m]', time=EPOCH)
    assert body["data"]["resultType"] == "matrix"
    assert len(body["data"]["result"][0]["values"]) == 10


def test_a_number_is_a_scalar() -> None:
    _, body = _get("query", query="1+1", time=EPOCH)
    assert body["data"] == {"resultType": "scalar", "result": [EPOCH, "2"]}


@pytest.mark.parametrize(
    ("path", "parameters", "reason"),
    [
        ("query", {}, "query"),
        ("query", {"query": "rate("}, "parse error"),
        ("query", {"query": "up", "time": "yesterday"}, "timestamp"),
        ("query_range", {"query": "up", "start": 1, "end": 0, "step": 1}, "end timestamp"),
        ("query_range", {"query": "up", "start": 0, "end": 99999, "step": 1}, "11,000 points"),
        ("query_range", {"query": "up", "start": 0, "end": 1, "step": 0}, "zero or negative"),
        ("series", {}, "match"),
    ],
)
def test_bad_requests_get_400_as_json(path: str, parameters: dict[str, Any], reason: str) -> None:
    status, body = _get(path, **parameters)
    assert status == 400
    assert body["status"] == "error"
    assert body["errorType"] == "bad_data"
    assert reason in body["error"]


def test_an_unknown_endpoint_is_404() -> None:
    assert _get("alerts")[0] == 404


def test_series_labels_and_metadata() -> None:
    _, series = _get("series", **{"match[]": 'up{job="dcgm"}'})
    assert len(series["data"]) == 63
    assert "UUID" in _get("labels")[1]["data"]
    assert _get("label/job/values")[1]["data"] == ["dcgm", "node"]
    assert len(_get("label/__name__/values")[1]["data"]) > 100
    assert _get("metadata", metric="up")[1]["data"]["up"][0]["type"] == "gauge"


def test_the_storage_vendor_sees_its_servers_only() -> None:
    _, body = _get("query", party="strata", query='{__name__=~".+"}', time=EPOCH)
    names = {each["metric"]["__name__"] for each in body["data"]["result"]}
    assert names
    assert all(name.startswith("vast_") for name in names)
    assert _get("query", query="vast_cnode_metrics_ProtoMetrics_md_iops")[1]["data"]["result"] == []


def test_everything_says_that_it_is_simulated() -> None:
    assert _get("status/buildinfo")[1]["data"]["simulated"] == "true"
    _, body = _get("query", query="up", time=EPOCH)
    assert {each["metric"]["simulated"] for each in body["data"]["result"]} == {"true"}


@pytest.fixture
def address() -> Iterator[str]:
    """Serve both parties on a free port."""
    stores = {"aurora": store(), "strata": store("strata")}
    server = http_server.serve(port=0, stores=lambda: stores, clock=lambda: EPOCH)
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def _fetch(url: str, form: bytes | None = None) -> Any:
    with urllib.request.urlopen(url, data=form, timeout=10) as answer:  # noqa: S310  loopback
        return json.loads(answer.read())


def test_parties_have_paths_of_their_own_and_forms_work(address: str) -> None:
    assert (
        _fetch(f"{address}/api/v1/query?query=count(up)")["data"]["result"][0]["value"][1] == "126"
    )
    assert _fetch(f"{address}/aurora/api/v1/query", b"query=count(up)")["status"] == "success"
    assert _fetch(f"{address}/strata/api/v1/query?query=count(up)")["data"]["result"] == []


def test_errors_travel_as_http_status(address: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        _fetch(f"{address}/api/v1/query?query=)")
    assert refused.value.code == 400
    refused.value.close()
