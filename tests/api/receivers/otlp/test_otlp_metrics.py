"""POST /v1/metrics: what is held of what OpenTelemetry's exporters send."""

import pytest

from apps.telemetry.formats.otlp.otlp_names import label_name, metric_name
from apps.telemetry.models import PushedState
from apps.tenancy.scope import organization_scope
from tests.api.receivers.otlp.metric_requests import (
    CUMULATIVE,
    DELTA,
    JSON,
    at,
    document,
    kept,
    point,
    push,
    total,
)
from tests.apps.telemetry.samples.windows import drained, held, sources, waiting
from tests.cast.pushes import Cast, cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> Cast:
    """A cluster and its parties."""
    return cast()


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


def test_a_point_without_a_value_ends_its_series(people: Cast) -> None:
    ended = {"timeUnixNano": at(5), "flags": 1, "attributes": []}
    push(people, document({"name": "a", "gauge": {"dataPoints": [point(1, 10), ended]}}))

    assert kept(people) == {"a": [(10, 1)]}
