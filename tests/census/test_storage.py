"""Storage scenes: each kind shows what it is and not what it isn't."""

import numpy as np
import pytest

from tests.census import storage
from tests.census.queues import Wide
from tests.census.storage import Storage

pytestmark = pytest.mark.sweep

_OPERATION = "node_mountstats_nfs_operations_{}_total"


def _rate(scene: Storage, metric: str, operation: str | None = None) -> Wide:
    lines = next(
        line
        for line in scene.lines
        if line.metric == metric and line.labels[0].get("operation") == operation
    )
    return np.asarray(np.diff(lines.values, axis=1) / scene.step)


def _shares(kind: str, seed: int) -> dict[str, float]:
    """Return medians over the clients, of the minutes in which the last save is written."""
    scene = storage.scene(kind=kind, seed=seed)
    done = _rate(scene, _OPERATION.format("requests"), "WRITE")
    queue = _rate(scene, _OPERATION.format("queue_time_seconds"), "WRITE")
    served = _rate(scene, _OPERATION.format("response_time_seconds"), "WRITE")
    sent = _rate(scene, _OPERATION.format("transmissions"), "WRITE")
    count = _rate(scene, "vast_cnode_metrics_ProtoMetrics_write_latency_count").sum(axis=0)
    inside = _rate(scene, "vast_cnode_metrics_ProtoMetrics_write_latency_sum").sum(axis=0)
    at = np.arange(done.shape[1])
    now = (at > 190) & (np.median(done, axis=0) > 50)
    before = (at < 190) & (np.median(done, axis=0) > 50)
    return {
        "queued": float(np.median((queue / (queue + served))[:, now])),
        "response": float(
            np.median((served / done)[:, now]) / np.median((served / done)[:, before])
        ),
        "server": float(np.median((inside / count)[now]) / np.median((inside / count)[before])),
        "repeated": float(np.median((sent / done)[:, now])) - 1,
    }


@pytest.mark.parametrize("seed", [1, 2])
def test_full_slots_let_requests_wait_while_the_server_answers_as_ever(seed: int) -> None:
    shares = _shares("slots", seed)
    assert shares["queued"] > 0.85
    assert 0.85 < shares["response"] < 1.15
    assert 0.95 < shares["server"] < 1.05


def test_a_slow_server_is_slow_by_its_own_clock() -> None:
    shares = _shares("server", 1)
    assert shares["server"] > 2
    assert shares["repeated"] < 0.001


def test_a_bad_network_repeats_requests_while_the_server_is_quick() -> None:
    shares = _shares("network", 1)
    assert shares["repeated"] > 0.01
    assert 0.95 < shares["server"] < 1.05


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_healthy_big_save_is_slowed_by_nothing(seed: int) -> None:
    shares = _shares("healthy", seed)
    scene = storage.scene(kind="healthy", seed=seed)
    assert 0.9 < shares["response"] < 1.1
    assert shares["repeated"] < 0.001
    assert not scene.answer.is_fault
    assert scene.answer.culprit is None


def test_one_slow_client_is_the_only_one_that_answers_late() -> None:
    scene = storage.scene(kind="lone", seed=4)
    served = _rate(scene, _OPERATION.format("response_time_seconds"), "WRITE")
    done = _rate(scene, _OPERATION.format("requests"), "WRITE")
    slowest = int(np.argmax(np.nanmax(served / np.maximum(done, 0.05), axis=1)))
    assert scene.answer.culprit == ("node", scene.hosts[slowest])


def test_scenes_depend_on_their_kind_and_seed_alone() -> None:
    one, two = (storage.scene(kind="slots", seed=9) for _ in range(2))
    assert all(
        np.array_equal(a.values, b.values) for a, b in zip(one.lines, two.lines, strict=True)
    )
    assert one.simulated
    assert all(dict(label)["simulated"] == "true" for line in one.lines for label in line.labels)
