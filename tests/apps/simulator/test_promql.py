"""The subset of PromQL: what it reads, what it computes, what it refuses."""

from collections.abc import Callable

import numpy as np
import pytest

from apps.diagnosis.detection.metrics.selectors import Matcher
from apps.simulator.metrics_server.promql import BadQuery
from apps.simulator.metrics_server.promql.evaluate import Evaluator
from apps.simulator.metrics_server.promql.syntax import parse
from apps.simulator.metrics_server.promql.tree import Number, SeriesSelector
from apps.simulator.metrics_server.promql.vectors import Vector
from tests.apps.simulator.worlds import EPOCH, store, world

NOW = EPOCH - 60.0


def _vector(query: str, at: float = NOW) -> Vector:
    value = Evaluator(store=store(), steps=np.array([at])).value(parse(query))
    assert isinstance(value, Vector)
    return value


def _numbers(query: str, at: float = NOW) -> list[float]:
    values = _vector(query, at).values[:, 0]
    return [float(each) for each in values if not np.isnan(each)]


def test_a_selector_with_all_four_matchers_is_read() -> None:
    node = parse("""up{job="node", instance!="a", x=~"b.*", y!~'c\\\\d'}[1h30m] offset 5m""")
    assert node == SeriesSelector(
        matchers=(
            Matcher(label="__name__", operator="=", value="up"),
            Matcher(label="job", operator="=", value="node"),
            Matcher(label="instance", operator="!=", value="a"),
            Matcher(label="x", operator="=~", value="b.*"),
            Matcher(label="y", operator="!~", value="c\\d"),
        ),
        range_seconds=5400.0,
        offset_seconds=300.0,
    )


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("1 + 2 * 3", 7.0),
        ("2 ^ 3 ^ 2", 512.0),
        ("-2 * 3", -6.0),
        ("(1 + 2) * 3", 9.0),
        ("7 % 4", 3.0),
    ],
)
def test_arithmetic_binds_as_in_prometheus(query: str, value: float) -> None:
    result = Evaluator(store=store(), steps=np.array([NOW])).value(parse(query))
    assert list(np.asarray(result)) == [value]


def test_a_number_stands_alone() -> None:
    assert parse("1.5e3") == Number(value=1500.0)


@pytest.mark.parametrize(
    "query",
    [
        "up{",
        "rate(up)",
        "up[5m]",
        'up{job=~"("}',
        "sum(up) by",
        "nothing_known(up)",
        "{}",
        "up up",
        "topk(up)",
        "(1 + 2)[5m]",
        "&",
        "",
    ],
)
def test_what_makes_no_sense_is_refused_with_a_reason(query: str) -> None:
    with pytest.raises(BadQuery, match=r"\w+ \w+"):
        Evaluator(store=store(), steps=np.array([NOW])).value(parse(query))


def test_matchers_select() -> None:
    assert len(_vector('DCGM_FI_DEV_GPU_TEMP{Hostname="gpu001"}').labels) == 8
    assert len(_vector('DCGM_FI_DEV_GPU_TEMP{Hostname=~"gpu00[12]", gpu!="0"}').labels) == 14
    assert _vector('DCGM_FI_DEV_GPU_TEMP{Hostname="nowhere"}').labels == []


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("count(up)", [126.0]),
        ('sum by (job) (up{job="node"})', [63.0]),
        ("min(DCGM_FI_DEV_PCIE_LINK_WIDTH)", [16.0]),
        ("max without (instance, job) (up) == 1", [1.0]),
        ("quantile(0.5, DCGM_FI_DEV_PCIE_LINK_GEN)", [5.0]),
        ("avg(up) / 2", [0.5]),
        ("count(up == bool 0)", [126.0]),
        ("scalar(count(up)) - 100 + vector(0)", [26.0]),
    ],
)
def test_aggregations_and_arithmetic(query: str, expected: list[float]) -> None:
    assert _numbers(query) == expected


def test_topk_returns_the_largest_first_with_their_labels() -> None:
    top = _vector("topk(3, DCGM_FI_DEV_GPU_TEMP)")
    everything = sorted(_numbers("DCGM_FI_DEV_GPU_TEMP"), reverse=True)
    assert list(top.values[:, 0]) == everything[:3]
    assert "UUID" in top.labels[0]


def test_vectors_are_matched_by_equal_labels() -> None:
    share = _numbers(
        'rate(node_mountstats_nfs_operations_queue_time_seconds_total{operation="WRITE"}[5m])'
        ' / rate(node_mountstats_nfs_operations_request_time_seconds_total{operation="WRITE"}[5m])'
        " > 0.5",
        at=world().outcomes["nfs-queue"].truth.failed_at + 400.0,
    )
    assert len(share) == 62


def test_twins_on_one_side_are_refused() -> None:
    with pytest.raises(BadQuery, match="duplicate series"):
        _vector("up / on (cluster) up")


def test_a_link_that_went_down_is_an_increase_of_one() -> None:
    truth = world().outcomes["port-flap"].truth
    query = "increase(node_infiniband_link_downed_total[10m]) > 0.5"
    found = _vector(query, at=truth.failed_at + 300.0)
    kept = [
        labels for labels, row in zip(found.labels, found.values, strict=True) if row[0] == row[0]
    ]
    assert [(each["instance"], each["device"]) for each in kept] == [
        (f"{truth.culprits[0].host}:9100", truth.culprits[0].name)
    ]


def test_an_xid_changes_once() -> None:
    truth = world().outcomes["nvlink149"].truth
    query = f'changes(DCGM_FI_DEV_XID_ERRORS{{Hostname="{truth.culprits[0].host}"}}[10m]) > 0'
    assert _numbers(query, at=truth.failed_at + 300.0) == [1.0]


def test_rate_follows_a_counter_and_survives_gaps() -> None:
    truth = world().outcomes["xid79-pcie"].truth
    selector = f'{{Hostname="{truth.culprits[0].host}",gpu="{truth.culprits[0].gpu}"}}'
    before = _numbers(f"rate(DCGM_FI_DEV_PCIE_REPLAY_COUNTER{selector}[2m])", truth.failed_at)
    after = _numbers(f"rate(DCGM_FI_DEV_PCIE_REPLAY_COUNTER{selector}[2m])", truth.failed_at + 600)
    assert before[0] > 0.2
    assert after == []


@pytest.mark.parametrize(
    ("function", "check"),
    [
        ("avg_over_time", lambda v: 20 < v < 100),
        ("max_over_time", lambda v: 20 < v < 100),
        ("min_over_time", lambda v: 20 < v < 100),
        ("count_over_time", lambda v: v == 20),
        ("last_over_time", lambda v: 20 < v < 100),
        ("stddev_over_time", lambda v: 0 < v < 20),
        ("delta", lambda v: -60 < v < 60),
    ],
)
def test_functions_over_time(function: str, check: Callable[[float], bool]) -> None:
    values = _numbers(f'{function}(DCGM_FI_DEV_GPU_TEMP{{Hostname="gpu001"}}[10m])')
    assert len(values) == 8
    assert all(check(value) for value in values)


def test_raw_samples_come_every_thirty_seconds_left_open() -> None:
    node = parse('up{job="node",instance="gpu001:9100"}[2m]')
    assert isinstance(node, SeriesSelector)
    samples = Evaluator(store=store(), steps=np.array([EPOCH])).raw(node)
    assert list(np.diff(samples.instants)) == [30.0] * 3
    assert samples.instants[-1] <= EPOCH
    assert samples.instants[0] > EPOCH - 120.0
