"""Peers: one member that differs for minutes; never the whole session, never a moment."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis.detection.detectors.peers import PEERS
from apps.diagnosis.model import BadDirection, Device, PeerGroup, Scene
from tests.diagnosis.detection.detectors.scene import HOSTS, at, found, frame, gpus, nodes, session

TIMES = 30


def clocks(seed: int = 1) -> np.ndarray:
    """Return clocks of 32 GPUs that work alike."""
    return 1900.0 + np.random.default_rng(seed).normal(0, 8, (32, TIMES))


def test_slow_clock_for_minutes_is_found_with_the_peers_beside_it() -> None:
    values = clocks()
    values[9, 10:] -= 500
    (anomaly,) = found(PEERS, frame("gpu.clock", values, gpus()), scene=session())
    assert (anomaly.entity.host, anomaly.entity.index) == ("gpu003", 1)
    assert anomaly.starts_at == at(10)
    assert anomaly.score < -6
    assert anomaly.value == pytest.approx(1400, abs=30)
    assert anomaly.baseline == pytest.approx(1900, abs=30)
    assert anomaly.unit == "MHz"


def test_higher_clock_is_not_bad() -> None:
    values = clocks()
    values[9, 10:] += 500
    assert not found(PEERS, frame("gpu.clock", values, gpus()), scene=session())


def test_utilisation_is_bad_in_both_directions() -> None:
    values = np.full((32, TIMES), 0.7)
    values[3, 8:] = 1.0
    values[20, 8:] = 0.0
    anomalies = found(PEERS, frame("gpu.utilisation", values, gpus()), scene=session())
    assert sorted(np.sign(each.score) for each in anomalies) == [-1, 1]


def test_two_minutes_are_too_short() -> None:
    values = clocks()
    values[9, 10:14] -= 500
    assert not found(PEERS, frame("gpu.clock", values, gpus()), scene=session())


@pytest.mark.parametrize(("samples", "told_at"), [(6, []), (8, []), (9, [18])])
def test_four_minutes_are_four_from_the_first_sample_to_the_last(
    samples: int, told_at: list[int]
) -> None:
    values = clocks()
    values[9, 10 : 10 + samples] -= 500
    anomalies = found(PEERS, frame("gpu.clock", values, gpus()), scene=session())
    assert [each.noticed_at for each in anomalies] == [at(each) for each in told_at]


def test_a_lost_sample_within_four_minutes_does_not_make_them_shorter() -> None:
    values = clocks()
    values[9, 10:19] -= 500
    values[9, 14] = np.nan
    (anomaly,) = found(PEERS, frame("gpu.clock", values, gpus()), scene=session())
    assert (anomaly.starts_at, anomaly.noticed_at) == (at(10), at(18))


def test_three_hosts_of_eight_at_once_are_a_shared_cause_not_three_faults() -> None:
    values = clocks()
    values[0:12, 10:] -= 500
    (anomaly,) = found(PEERS, frame("gpu.clock", values, gpus()), scene=session())
    assert anomaly.kind == "shared-deviation"
    assert anomaly.entity == Device(kind="group", name="attempt 1")
    assert (anomaly.host_count, anomaly.hosts) == (3, HOSTS[:3])
    assert (anomaly.starts_at, anomaly.noticed_at) == (at(10), at(18))


def test_first_five_minutes_of_a_session_do_not_count() -> None:
    values = clocks()
    values[9, :10] -= 500
    started = PeerGroup(name="attempt 1", hosts=HOSTS, starts_at=at(0))
    assert not found(PEERS, frame("gpu.clock", values, gpus()), scene=Scene(groups=(started,)))


def test_what_happens_after_the_end_does_not_count() -> None:
    values = clocks()
    values[9, 16:] -= 500
    ended = PeerGroup(
        name="attempt 1", hosts=HOSTS, starts_at=at(0) - timedelta(hours=1), ends_at=at(16)
    )
    assert not found(PEERS, frame("gpu.clock", values, gpus()), scene=Scene(groups=(ended,)))


def test_two_hosts_cannot_say_what_is_usual() -> None:
    values = clocks()
    values[1, 10:] -= 500
    assert not found(PEERS, frame("gpu.clock", values, gpus()), scene=session(HOSTS[:2]))


def test_without_a_session_idle_gpus_are_not_slow_ones() -> None:
    values = clocks()
    busy = np.full((32, TIMES), 0.9)
    values[20:, :] = 300.0
    busy[20:, :] = 0.0
    everyone = Scene(groups=(PeerGroup(name="", hosts=HOSTS, starts_at=at(0)),))
    frames = (frame("gpu.clock", values, gpus()), frame("gpu.utilisation", busy, gpus()))
    assert not [a for a in found(PEERS, *frames, scene=everyone) if a.signal == "gpu.clock"]


def test_counters_are_compared_as_rates() -> None:
    started = np.random.default_rng(2).uniform(0, 1e6, (8, 1))
    spent = started + np.cumsum(np.full((8, TIMES), 0.3), axis=1)
    spent[4] += np.cumsum(np.where(np.arange(TIMES) >= 8, 27.0, 0.0))
    hosts = gpus(per_host=1)
    (anomaly,) = found(PEERS, frame("node.pressure.cpu", spent, hosts), scene=session())
    assert anomaly.entity.host == HOSTS[4]
    assert anomaly.value == pytest.approx(0.91, abs=0.01)


@settings(max_examples=25)
@given(st.integers(min_value=0, max_value=2**32 - 1))
def test_healthy_members_with_gaps_and_blanks_are_silent(seed: int) -> None:
    chance = np.random.default_rng(seed)
    values = clocks(seed)
    values[chance.random(values.shape) < 0.2] = np.nan
    values[chance.random(values.shape) < 0.05] = 9223372036854775794.0
    values[chance.random(values.shape) < 0.02] = np.inf
    assert not found(PEERS, frame("gpu.clock", values, gpus()), scene=session())


def test_an_operation_is_compared_with_the_same_operation_of_other_hosts() -> None:
    chance = np.random.default_rng(4)
    values = np.concatenate((chance.normal(100, 1, (8, TIMES)), chance.normal(9000, 1, (2, TIMES))))
    details = ("READ",) * 8 + ("WRITE",) * 2
    hosts = nodes() + nodes()[:2]
    whole = frame("node.running", values, hosts, details=details)
    assert not found(PEERS, whole, scene=session())
    values[3, 10:] += 50
    either = replace(whole, signal=replace(whole.signal, bad=BadDirection.UP), values=values)
    (anomaly,) = found(PEERS, either, scene=session())
    assert (anomaly.entity.host, anomaly.detail) == (HOSTS[3], "READ")
