"""POST /v1/metrics: what OpenTelemetry's exporters send, what they are told, what is then held."""

import gzip
from collections.abc import Mapping, Sequence
from typing import Any

import orjson
import pytest
from django.conf import LazySettings
from google.protobuf import json_format
from hypothesis import HealthCheck, given
from hypothesis import settings as tries
from hypothesis import strategies as st

from apps.telemetry.formats.otlp.otlp_messages import REQUEST, RESPONSE
from apps.telemetry.formats.otlp.otlp_names import label_name, metric_name
from apps.telemetry.models import PushedState
from apps.tenancy.scope import organization_scope
from tests.api.receivers.writing import V1, Answer, export
from tests.apps.telemetry.samples.windows import NOW_MS, drained, held, sources, waiting
from tests.cast.pushes import Cast, cast

pytestmark = pytest.mark.django_db
JSON = "application/json"
DELTA, CUMULATIVE = 1, 2
Document = dict[str, Any]
HOST = {"service.name": "node", "service.namespace": "hpc", "host.name": "gpu001", "os.type": "x"}


@pytest.fixture
def people() -> Cast:
    """A cluster and its parties."""
    return cast()


def attributes(said: Mapping[str, object]) -> list[Document]:
    """Return attributes; text, numbers and truth have their own fields."""
    kinds = {str: "stringValue", bool: "boolValue", int: "intValue", float: "doubleValue"}
    return [{"key": key, "value": {kinds[type(value)]: value}} for key, value in said.items()]


def at(ago: float) -> str:
    """Return an instant some seconds ago in nanoseconds, as JSON has 64-bit numbers: as text."""
    return str(round((NOW_MS - ago * 1000) * 1_000_000))


def point(value: float, ago: float = 10, **said: object) -> Document:
    """Return a number of an instant."""
    return {"asDouble": value, "timeUnixNano": at(ago), "attributes": attributes(said)}


def document(*metrics: Document, resource: Mapping[str, object] = HOST) -> Document:
    """Return a request of one resource."""
    return {
        "resourceMetrics": [
            {
                "resource": {"attributes": attributes(resource)},
                "scopeMetrics": [{"scope": {"name": "test"}, "metrics": list(metrics)}],
            }
        ]
    }


def total(
    name: str, points: Sequence[Document], temporality: int, *, grows: bool = True
) -> Document:
    """Return a sum."""
    return {
        "name": name,
        "sum": {
            "aggregationTemporality": temporality,
            "isMonotonic": grows,
            "dataPoints": list(points),
        },
    }


def push(people: Cast, said: Document, **more: Any) -> Answer:
    """Export as the operator's collector, as JSON."""
    body = orjson.dumps(said)
    return export(people.token(people.operator), body, content_type=JSON, **more)


def kept(people: Cast) -> dict[str, list[tuple[float, float]]]:
    """Return metric → samples as (seconds ago, value), of every series."""
    drained(people.operator)
    found: dict[str, list[tuple[float, float]]] = {}
    for source in sources(people.operator):
        for labels, samples in held(source, '{__name__=~".+"}').items():
            name = dict(labels)["__name__"]
            found.setdefault(name, []).extend(
                ((NOW_MS - at) / 1000, value) for at, value in samples
            )
    return found


def test_gauges_and_sums_are_named_as_prometheus_names_them(people: Cast) -> None:
    said = document(
        {"name": "hw.gpu.temperature", "unit": "Cel", "gauge": {"dataPoints": [point(61.5)]}},
        {"name": "util", "unit": "1", "gauge": {"dataPoints": [point(0.5, **{"gpu.id": 3})]}},
        total("rdma.errors", [point(7)], CUMULATIVE),
        total("queue.length", [point(-2)], CUMULATIVE, grows=False),
    )

    answer = push(people, said)

    assert (answer.status_code, answer["Content-Type"], answer.content) == (200, JSON, b"{}")
    assert kept(people) == {
        "hw_gpu_temperature_celsius": [(10, 61.5)],
        "util_ratio": [(10, 0.5)],
        "rdma_errors_total": [(10, 7)],
        "queue_length": [(10, -2)],
    }
    (source,) = sources(people.operator)
    ((labels, _),) = held(source, "util_ratio").items()
    assert dict(labels) == {
        "__name__": "util_ratio",
        "job": "hpc/node",
        "instance": "gpu001",
        "host_name": "gpu001",
        "gpu_id": "3",
    }


@pytest.mark.parametrize(
    ("name", "unit", "is_counter", "made"),
    [
        ("system.cpu.time", "s", True, "system_cpu_time_seconds_total"),
        ("system.memory.usage", "By", False, "system_memory_usage_bytes"),
        ("node_vmstat_oom_kill_total", "", True, "node_vmstat_oom_kill_total"),
        ("DCGM_FI_DEV_GPU_TEMP", "", False, "DCGM_FI_DEV_GPU_TEMP"),
        ("io.rate", "By/s", False, "io_rate_bytes_per_second"),
        ("requests", "{request}", True, "requests_total"),
        ("latency_seconds", "s", False, "latency_seconds"),
        ("9lives", "", False, "_9lives"),
        ("ratio", "%", False, "ratio_percent"),
    ],
)
def test_names_and_units(name: str, unit: str, made: str, *, is_counter: bool) -> None:
    assert metric_name(name=name, unit=unit, is_counter=is_counter, is_gauge=False) == made


def test_labels_that_prometheus_keeps_for_itself_are_none_of_ours() -> None:
    names = {"a.b": "a_b", "9a": "key_9a", "_x": "key_x", "__y": "__y", "ä": "key_"}
    assert {name: label_name(name) for name in names} == names


def test_histograms_are_kept_by_sum_and_count_and_summaries_by_quantile(people: Cast) -> None:
    shape = {"count": "4", "sum": 2.5, "timeUnixNano": at(10)}
    buckets = {"bucketCounts": ["1", "3"], "explicitBounds": [1.0]}
    quantiles = {"quantileValues": [{"quantile": 0.99, "value": 1.5}]}
    cumulative = {"aggregationTemporality": "AGGREGATION_TEMPORALITY_CUMULATIVE"}

    push(
        people,
        document(
            {
                "name": "step",
                "unit": "s",
                "histogram": {"dataPoints": [shape | buckets]} | cumulative,
            },
            {"name": "wait", "exponentialHistogram": {"dataPoints": [shape]} | cumulative},
            {"name": "read", "summary": {"dataPoints": [shape | quantiles]}},
        ),
    )

    assert kept(people) == {
        "step_seconds_count": [(10, 4)],
        "step_seconds_sum": [(10, 2.5)],
        "wait_count": [(10, 4)],
        "wait_sum": [(10, 2.5)],
        "read_count": [(10, 4)],
        "read_sum": [(10, 2.5)],
        "read": [(10, 1.5)],
    }


def test_increments_are_added_up_once_however_often_they_come(people: Cast) -> None:
    first = document(total("steps", [point(2, 30), point(3, 20)], DELTA))
    second = document(total("steps", [point(5, 10)], DELTA))
    late = document(total("steps", [point(100, 25)], DELTA))
    for said in (first, second, second, late, first):
        assert push(people, said).status_code == 200
        drained(people.operator)

    assert kept(people) == {"steps_total": [(30, 2), (20, 5), (10, 10)]}
    with organization_scope(people.operator.pk):
        assert PushedState.objects.get().outside_count == 4


@pytest.mark.parametrize("no_number", ["NaN", "Infinity", 1.7e308])
def test_an_increment_that_is_no_number_does_not_spoil_those_after_it(
    people: Cast, no_number: float
) -> None:
    for value, ago in ((1.7e308, 30), (no_number, 20), (5, 10)):
        push(people, document(total("steps", [point(value, ago)], DELTA)))
        drained(people.operator)

    assert waiting(people.operator) == []
    assert kept(people) == {"steps_total": [(30, 1.7e308), (10, 1.7e308)]}


def test_points_that_can_not_be_kept_are_told_and_the_others_stay(people: Cast) -> None:
    said = document(
        total("rdma.errors", [point(7)], CUMULATIVE),
        total("queue.length", [point(-2)], DELTA, grows=False),
        {"name": "", "gauge": {"dataPoints": [point(1)]}},
    )

    answer = push(people, said)

    assert answer.status_code == 200
    told = answer.json()["partialSuccess"]
    assert told["rejectedDataPoints"] == "2"
    assert "increments" in told["errorMessage"]
    assert kept(people) == {"rdma_errors_total": [(10, 7)]}


def test_a_point_without_a_value_ends_its_series(people: Cast) -> None:
    ended = {"timeUnixNano": at(5), "flags": 1, "attributes": []}
    push(people, document({"name": "a", "gauge": {"dataPoints": [point(1, 10), ended]}}))

    assert kept(people) == {"a": [(10, 1)]}


@pytest.mark.parametrize("coding", ["identity", "gzip"])
def test_protobuf_is_answered_as_protobuf(people: Cast, coding: str) -> None:
    request = json_format.ParseDict(
        document({"name": "a", "gauge": {"dataPoints": [point(1), point(2, 9)]}}),
        REQUEST(),
        ignore_unknown_fields=True,
    )
    plain = request.SerializeToString()
    body = gzip.compress(plain) if coding == "gzip" else plain

    answer = export(people.token(people.operator), body, Content_Encoding=coding)

    assert (answer.status_code, answer["Content-Type"]) == (200, V1)
    response = RESPONSE()
    response.ParseFromString(answer.content)
    assert not response.HasField("partial_success")
    assert kept(people) == {"a": [(10, 1), (9, 2)]}


@pytest.mark.parametrize(
    ("body", "content_type", "coding", "status"),
    [
        (b"{}", "text/plain", "", 415),
        (b"{}", JSON, "zstd", 400),
        (b"{", JSON, "", 400),
        (b"[]", JSON, "", 400),
        (b'{"resourceMetrics": 5}', JSON, "", 400),
        (b'{"resourceMetrics": [[1]]}', JSON, "", 400),
        (b"[" * 100_000, JSON, "", 400),
        (b"\xff\xff", V1, "", 400),
        (gzip.compress(b"\0" * 9_000_000, mtime=0), V1, "gzip", 413),
        (gzip.compress(b"\x0a\x00" * 2_000_000, mtime=0), V1, "gzip", 413),
        (gzip.compress(b'{"a":[' + b'{"b":1},' * 250_000 + b"{}]}", mtime=0), JSON, "gzip", 413),
        (gzip.compress(b'{"a":[' + b'{"b" :1},' * 250_000 + b"{}]}", mtime=0), JSON, "gzip", 413),
        (gzip.compress(b'{"a":[' + b"[]," * 250_000 + b"[]]}", mtime=0), JSON, "gzip", 413),
        (b"not packed", V1, "gzip", 400),
        (b"{}", JSON, "", 200),
    ],
)
def test_refusals(people: Cast, body: bytes, content_type: str, coding: str, status: int) -> None:
    answer = export(
        people.token(people.operator), body, content_type=content_type, Content_Encoding=coding
    )

    assert answer.status_code == status, answer.content
    assert sources(people.operator) == []


def test_over_quota_is_later(people: Cast, settings: LazySettings) -> None:
    settings.PORTAL_MAX_PENDING_BYTES = 10
    answers = [
        push(people, document({"name": "a", "gauge": {"dataPoints": [point(ago)]}}))
        for ago in (1, 2)
    ]

    assert [answer.status_code for answer in answers] == [200, 429]
    assert int(answers[1]["Retry-After"]) > 0


@tries(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_garbage_is_never_an_error_of_ours(people: Cast, data: st.DataObject) -> None:
    said = document(total("steps", [point(2, 30, a="b")], DELTA))
    request = json_format.ParseDict(said, REQUEST(), ignore_unknown_fields=True)
    is_json = data.draw(st.booleans())
    good = bytearray(orjson.dumps(said) if is_json else request.SerializeToString())
    for _ in range(data.draw(st.integers(0, 4))):
        good[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))

    answer = export(
        people.token(people.operator), bytes(good), content_type=JSON if is_json else V1
    )

    assert answer.status_code in {200, 400}
    drained(people.operator)
    assert waiting(people.operator) == []
