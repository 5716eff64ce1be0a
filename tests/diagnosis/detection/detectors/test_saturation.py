"""NFS queueing: one slow client is a client, many at once are the server."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis.detection.detectors.saturation import SATURATION
from apps.diagnosis.model import Device, Frame, Role
from tests.diagnosis.detection.detectors.scene import HOSTS, at, found, frame

TIMES = 20
EXPORT = "strata-nas1:/ckpt"
# Requests in 30 s: twice as many as it takes to speak of a queue.
MADE = 600.0


def mounts(share: np.ndarray, scale: float = 1.0) -> tuple[Frame, Frame, Frame]:
    """Return queue, answer time and requests of clients whose queue takes this share."""
    clients = [Device(kind="mount", host=host, name=EXPORT) for host in HOSTS]
    took = np.full(share.shape, 30.0)
    queued = np.cumsum(took * share, axis=1)
    return (
        frame("nfs.queue", queued * scale, clients),
        frame("nfs.response", np.cumsum(took * (1 - share), axis=1) * scale, clients),
        frame("nfs.requests", np.cumsum(np.full(share.shape, MADE), axis=1), clients),
    )


def saturated(rows: slice | int) -> np.ndarray:
    """Return the queue share of eight clients of which some saturate from column 8 on."""
    share = np.full((len(HOSTS), TIMES), 0.02)
    share[rows, 8:16] = 0.9
    return share


def test_most_clients_at_once_are_one_fault_of_the_server() -> None:
    (anomaly,) = found(SATURATION, *mounts(saturated(slice(1, 8))))
    assert anomaly.entity == Device(kind="server", name="strata-nas1")
    assert anomaly.host_count == 7
    assert anomaly.detail == EXPORT
    assert anomaly.role is Role.INITIATING
    assert at(8) <= anomaly.starts_at <= at(11)
    assert anomaly.baseline is not None
    assert anomaly.baseline < 0.1


def test_one_client_is_that_client_and_no_cause() -> None:
    (anomaly,) = found(SATURATION, *mounts(saturated(2)))
    assert anomaly.entity == Device(kind="mount", host=HOSTS[2], name=EXPORT)
    assert anomaly.role is Role.CONTEXT


def test_queueing_for_a_few_milliseconds_a_request_is_nothing() -> None:
    queue, total, requests = mounts(saturated(slice(0, 8)), scale=1e-4)
    assert not found(SATURATION, queue, total, requests)


def test_few_requests_that_wait_are_nobodys_trouble() -> None:
    queue, answers, requests = mounts(saturated(slice(0, 8)))
    assert not found(SATURATION, queue, answers, replace(requests, values=requests.values / 4))


def test_idle_mounts_are_silent() -> None:
    queue, total, requests = mounts(saturated(slice(0, 8)))
    for each in (queue, total, requests):
        each.values[:] = 5.0
    assert not found(SATURATION, queue, total, requests)


def test_missing_total_time_is_no_finding() -> None:
    queue, _, requests = mounts(saturated(slice(0, 8)))
    assert found(SATURATION, queue, requests) == ()


@settings(max_examples=25)
@given(st.integers(min_value=0, max_value=2**32 - 1))
def test_gaps_and_resets_neither_raise_nor_invent(seed: int) -> None:
    chance = np.random.default_rng(seed)
    frames = mounts(np.full((len(HOSTS), TIMES), 0.02))
    for each in frames:
        each.values[chance.random(each.values.shape) < 0.2] = np.nan
        each.values[chance.integers(0, 8), chance.integers(1, TIMES) :] = 0.0
    assert not found(SATURATION, *frames)


@pytest.mark.parametrize("operation", [("READ", "WRITE")])
def test_operations_of_one_mount_are_added_up(operation: tuple[str, str]) -> None:
    queue, total, requests = mounts(saturated(slice(0, 8)))
    doubled = [
        Frame(
            signal=each.signal,
            entities=each.entities * 2,
            start=each.start,
            step=each.step,
            values=np.concatenate((each.values / 2, each.values / 2)),
            details=(operation[0],) * 8 + (operation[1],) * 8,
        )
        for each in (queue, total, requests)
    ]
    (anomaly,) = found(SATURATION, *doubled)
    assert anomaly.host_count == 8


def with_answers(took: np.ndarray, share: np.ndarray) -> tuple[Frame, ...]:
    """Return what clients show whose requests are answered in some time, and wait by a share."""
    clients = [Device(kind="mount", host=host, name=EXPORT) for host in HOSTS]
    made = np.full(share.shape, MADE)
    waited = took * made * share / (1 - share)
    amounts = {
        "nfs.queue": waited,
        "nfs.response": took * made,
        "nfs.requests": made,
        "nfs.backlog": made * np.where(share > 0.5, 40.0, 0.0),
    }
    return tuple(frame(name, np.cumsum(each, axis=1), clients) for name, each in amounts.items())


def phases(late: float) -> tuple[Frame, ...]:
    """Return two hours of work and a quarter of an hour of saturation, answers so much later."""
    took, share = np.full((len(HOSTS), 150), 0.1), np.full((len(HOSTS), 150), 0.02)
    share[:, 120:], took[:, 120:] = 0.9, 0.1 * late
    return with_answers(took, share)


def test_full_slots_show_backlog_and_answers_as_ever() -> None:
    signals = {each.signal: each for each in found(SATURATION, *phases(late=1.0))}
    assert signals.keys() == {"nfs.queue", "nfs.backlog"}
    assert {each.entity.kind for each in signals.values()} == {"server"}
    assert signals["nfs.backlog"].family == "nfs-transport"


def test_a_busy_server_answers_late_too() -> None:
    signals = {each.signal: each for each in found(SATURATION, *phases(late=3.0))}
    late = signals["nfs.response"]
    assert late.entity == Device(kind="server", name="strata-nas1")
    assert (late.family, late.host_count) == ("nfs-server", len(HOSTS))
    assert late.value == pytest.approx(0.3, rel=0.2)


def test_attributes_that_take_long_on_one_client_are_that_client() -> None:
    clients = [Device(kind="mount", host=host, name=EXPORT) for host in HOSTS]
    took = np.full((len(HOSTS), 150), 0.010)
    took[4, 120:] = 0.2
    made = np.full(took.shape, 60.0)
    (anomaly,) = found(
        SATURATION,
        *mounts(np.full(took.shape, 0.02)),
        frame("nfs.metadata.response", np.cumsum(took * made, axis=1), clients),
        frame("nfs.metadata.requests", np.cumsum(made, axis=1), clients),
    )
    assert (anomaly.signal, anomaly.entity.host) == ("nfs.metadata.response", HOSTS[4])
    assert (anomaly.role, anomaly.causes) == (Role.CONFIRMATION, ("slow-member",))
    assert anomaly.value == pytest.approx(0.2, rel=0.2)
    assert at(120) <= anomaly.starts_at <= at(122)
