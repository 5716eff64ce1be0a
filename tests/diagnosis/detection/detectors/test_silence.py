"""Silence: which of GPU, exporter, host and source is gone."""

import numpy as np

from apps.diagnosis.detection.detectors.silence import SILENCE
from apps.diagnosis.model import Frame, Layer, Role
from tests.diagnosis.detection.detectors.scene import HOSTS, at, found, frame, gpus, nodes

TIMES = 12


def temperatures() -> np.ndarray:
    """Return the GPUs of 8 hosts, 4 each, that were all heard."""
    return np.full((32, TIMES), 60.0)


def boots() -> Frame:
    """Return hosts that were all heard."""
    return frame("node.boot", np.full((8, TIMES), 1.7e9), nodes())


def test_one_gpu_gone_while_its_neighbours_go_on_is_off_the_bus() -> None:
    values = temperatures()
    values[5, 6:] = np.nan
    (anomaly,) = found(SILENCE, frame("gpu.temperature", values, gpus()), boots())
    assert (anomaly.entity.host, anomaly.entity.index) == ("gpu002", 1)
    assert anomaly.causes == ("gpu-off-bus",)
    assert anomaly.starts_at == at(6)


def test_all_gpus_of_a_host_that_still_speaks_are_a_dead_exporter() -> None:
    values = temperatures()
    values[4:8, 6:] = np.nan
    (anomaly,) = found(SILENCE, frame("gpu.temperature", values, gpus()), boots())
    assert anomaly.detail == "exporter"
    assert anomaly.role is Role.CONTEXT
    assert anomaly.causes == ()


def test_host_and_gpus_gone_together_are_one_lost_node() -> None:
    values = temperatures()
    values[4:8, 6:] = np.nan
    hosts = boots()
    hosts.values[1, 6:] = np.nan
    (anomaly,) = found(SILENCE, frame("gpu.temperature", values, gpus()), hosts)
    assert (anomaly.entity.kind, anomaly.entity.host) == ("node", "gpu002")
    assert anomaly.layer is Layer.HOST
    assert anomaly.causes == ("node-unreachable",)


def test_whole_source_gone_blames_nobody() -> None:
    values = temperatures()
    values[:, 6:] = np.nan
    hosts = boots()
    hosts.values[:, 6:] = np.nan
    assert not found(SILENCE, frame("gpu.temperature", values, gpus()), hosts)


def test_two_missed_scrapes_are_nothing() -> None:
    values = temperatures()
    values[5, 6:8] = np.nan
    assert not found(SILENCE, frame("gpu.temperature", values, gpus()), boots())


def test_gpu_that_was_never_heard_is_not_missed() -> None:
    values = temperatures()
    values[5] = np.nan
    assert not found(SILENCE, frame("gpu.temperature", values, gpus()), boots())


def test_gpu_that_returns_has_an_end() -> None:
    values = temperatures()
    values[5, 5:9] = np.nan
    (anomaly,) = found(SILENCE, frame("gpu.temperature", values, gpus()), boots())
    assert (anomaly.starts_at, anomaly.ends_at) == (at(5), at(9))


def test_without_a_host_exporter_the_answer_is_less_sure() -> None:
    values = temperatures()
    values[4:8, 6:] = np.nan
    (anomaly,) = found(SILENCE, frame("gpu.temperature", values, gpus()))
    assert anomaly.role is Role.CONFIRMATION
    assert anomaly.entity.host == HOSTS[1]
