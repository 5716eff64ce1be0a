"""Watching block by block: any cut gives the same anomalies, and nothing grows for ever."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis.detection.watch import advance
from apps.diagnosis.detection.watch_memory import WatchMemory, memory_from_bytes, memory_to_bytes
from apps.diagnosis.model import Anomaly, Device, Frame
from tests.diagnosis.detection.detectors.scene import (
    HOSTS,
    START,
    STEP,
    frame,
    gpus,
    nodes,
    session,
)

TIMES = 60
EXPORT = "nas1:/ckpt"
MOUNTS = tuple(Device(kind="mount", host=host, name=EXPORT) for host in HOSTS)


def day(seed: int) -> tuple[Frame, ...]:
    """Return half an hour in which every kind of fault may come, with gaps and resets."""
    chance = np.random.default_rng(seed)
    clock = 1900 + chance.normal(0, 8, (32, TIMES)).round()
    clock[chance.integers(0, 32), chance.integers(0, 50) :] -= 500
    clock[0 : 4 * int(chance.integers(0, 5)), 30:] -= 400
    xid = np.zeros((32, TIMES))
    xid[chance.integers(0, 32), chance.integers(5, 55) :] = chance.choice([45, 79, 94])
    errors = np.cumsum(chance.random((32, TIMES)) < 0.01, axis=1).astype(np.float64)
    errors[5, chance.integers(10, 50) :] -= errors[5, 9]
    heat = np.full((32, TIMES), 60.0)
    boot = np.full((8, TIMES), 1.7e9)
    host, first = int(chance.integers(0, 8)), int(chance.integers(4, 50))
    heat[host * 4 : host * 4 + int(chance.integers(1, 5)), first : first + 8] = np.nan
    boot[host, first : first + int(chance.integers(0, 9))] = np.nan
    mask = np.where(chance.random((32, TIMES)) < 0.1, 0x40, 0.0)
    share = np.where(chance.random((8, 1)) < 0.4, 0.9, 0.05) * np.ones((8, TIMES))
    share[:, : chance.integers(0, 40)] = 0.05
    spent = 32.0
    for values in (clock, errors, mask):
        values[chance.random(values.shape) < 0.05] = np.nan
    return (
        frame("gpu.clock", clock, gpus()),
        frame("gpu.xid", xid, gpus()),
        frame("gpu.pcie.replays", errors, gpus()),
        frame("gpu.temperature", heat, gpus()),
        frame("node.boot", boot, nodes()),
        frame("gpu.throttled.reasons", mask, gpus()),
        frame("nfs.queue", np.cumsum(spent * share, axis=1), MOUNTS),
        frame("nfs.response", np.cumsum(spent * (1 - share), axis=1), MOUNTS),
        frame("nfs.requests", np.cumsum(np.full((8, TIMES), 512.0), axis=1), MOUNTS),
    )


def cut(frames: Iterable[Frame], first: int, end: int) -> list[Frame]:
    """Return some columns of frames."""
    return [
        replace(each, start=START + first * STEP, values=each.values[:, first:end])
        for each in frames
    ]


def told(anomalies: Iterable[Anomaly]) -> dict[object, Anomaly]:
    """Return the last word on each episode."""
    return {(a.kind, a.signal, a.detail, a.entity, a.starts_at): a for a in anomalies}


def watched(blocks: Sequence[Sequence[Frame]], *, through_bytes: bool = False) -> list[Anomaly]:
    """Return everything that watching some blocks tells."""
    memory = WatchMemory()
    found: list[Anomaly] = []
    for block in blocks:
        anomalies, memory = advance(memory=memory, frames=block, scene=session())
        memory = memory_from_bytes(memory_to_bytes(memory)) if through_bytes else memory
        found += anomalies
    return found


def same(one: Iterable[Anomaly], other: Iterable[Anomaly]) -> None:
    """Assert that both tell the same episodes, with means that differ by rounding only."""
    first, second = told(one), told(other)
    assert first.keys() == second.keys()
    for key, anomaly in first.items():
        again = second[key]
        assert replace(again, score=0, value=0, baseline=0) == replace(
            anomaly, score=0, value=0, baseline=0
        )
        assert again.score == pytest.approx(anomaly.score, rel=1e-6)
        assert (again.value or 0) == pytest.approx(anomaly.value or 0, rel=1e-6)


CUTS = st.lists(st.integers(min_value=1, max_value=TIMES - 1), max_size=12).map(
    lambda cuts: sorted({0, TIMES, *cuts})
)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(min_value=0, max_value=2**32 - 1), cuts=CUTS)
def test_any_cut_into_blocks_gives_the_same_anomalies(seed: int, cuts: list[int]) -> None:
    frames = day(seed)
    blocks = [cut(frames, first, end) for first, end in pairwise(cuts)]
    same(watched([frames]), watched(blocks, through_bytes=True))


def test_something_is_found_at_all() -> None:
    kinds = {a.kind for seed in range(5) for a in watched([day(seed)])}
    assert kinds == {
        "peer-deviation",
        "shared-deviation",
        "counter-increase",
        "silence",
        "throttling",
        "saturation",
    }


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(min_value=0, max_value=2**32 - 1), cuts=CUTS)
def test_rows_may_come_in_any_order_and_vanish_while_they_are_silent(
    seed: int, cuts: list[int]
) -> None:
    chance = np.random.default_rng(seed)
    frames = day(seed)
    blocks = [
        [shuffled(each, chance) for each in cut(frames, first, end)]
        for first, end in pairwise(cuts)
    ]
    same(watched([frames]), watched(blocks))


def shuffled(one: Frame, chance: np.random.Generator) -> Frame:
    """Return a frame without the rows that hold nothing, in another order."""
    rows = np.flatnonzero(~np.isnan(one.values).all(axis=1))
    rows = chance.permutation(rows)
    return replace(one, entities=tuple(one.entities[row] for row in rows), values=one.values[rows])


@settings(max_examples=6, deadline=None)
@given(seed=st.integers(min_value=0, max_value=2**32 - 1))
def test_nothing_is_noticed_before_it_could_be(seed: int) -> None:
    frames = day(seed)
    for anomaly in watched([frames]):
        assert anomaly.noticed_at is not None
        assert anomaly.noticed_at >= anomaly.starts_at
        until = round((anomaly.noticed_at.timestamp() - START) / STEP) + 1
        seen = told(watched([cut(frames, 0, until)]))
        key = (anomaly.kind, anomaly.signal, anomaly.detail, anomaly.entity, anomaly.starts_at)
        assert seen[key].noticed_at == anomaly.noticed_at


def test_columns_seen_before_are_not_counted_twice() -> None:
    frames = day(3)
    overlapping = [cut(frames, 0, 40), cut(frames, 30, TIMES), cut(frames, 10, 20)]
    same(watched([frames]), watched(overlapping))


def test_a_pause_between_blocks_is_time_without_samples() -> None:
    frames = [
        replace(each, values=np.where(np.arange(TIMES) // 10 == 2, np.nan, each.values))
        for each in day(4)
    ]
    same(watched([frames]), watched([cut(frames, 0, 20), cut(frames, 30, TIMES)]))


def test_an_older_memory_may_be_used_again() -> None:
    frames = day(5)
    _, memory = advance(memory=WatchMemory(), frames=cut(frames, 0, 30), scene=session())
    once, _ = advance(memory=memory, frames=cut(frames, 30, TIMES), scene=session())
    again, _ = advance(memory=memory, frames=cut(frames, 30, TIMES), scene=session())
    assert once == again


def test_what_was_silent_for_a_day_is_forgotten() -> None:
    first, *rest = (
        replace(
            frame("gpu.clock", np.full((4, 2), 1900.0), gpus()[rows : rows + 4]),
            start=START + hour * 3600.0,
        )
        for rows, hour in ((0, 0), (4, 1), (4, 20), (4, 30))
    )
    memory = WatchMemory()
    for block in (first, *rest):
        _, memory = advance(memory=memory, frames=[block], scene=session())
    assert memory.rosters["gpu.clock"].entities == gpus()[4:8]
    lengths = {
        len(values)
        for subject, arrays in memory.kept.items()
        if not subject.startswith("~")
        for values in arrays.values()
    }
    assert lengths == {4}


def test_two_frames_of_one_signal_are_refused() -> None:
    one = frame("gpu.clock", np.full((4, 2), 1900.0))
    with pytest.raises(ValueError, match=r"two frames of gpu\.clock"):
        advance(memory=WatchMemory(), frames=[one, one], scene=session())


@pytest.mark.parametrize("body", [b"", b"FLW\x00older", b"FLW\x01garbage", b"\x80\x04K\x01."])
def test_a_memory_of_another_version_is_a_fresh_start(body: bytes) -> None:
    assert not memory_from_bytes(body).rosters


@settings(max_examples=30)
@given(st.binary(max_size=60), st.integers(min_value=0, max_value=400))
def test_a_damaged_memory_never_raises(noise: bytes, at: int) -> None:
    _, memory = advance(memory=WatchMemory(), frames=day(6), scene=session())
    body = memory_to_bytes(memory)
    memory_from_bytes(body[:at] + noise + body[at + len(noise) :])


def test_a_timeout_is_not_how_long_a_scrape_took() -> None:
    up, took = np.ones((16, TIMES)), np.full((16, TIMES), 0.1)
    up[2, 20:40], took[2, 20:40] = 0.0, 10.0
    took[5, 20:40] = 3.0
    jobs = ("dcgm",) * 8 + ("all-smi",) * 8
    frames = [
        frame(name, values, nodes() * 2, details=jobs)
        for name, values in (("target.gpu.up", up), ("target.gpu.duration", took))
    ]
    slow = [a for a in watched([frames]) if a.signal == "target.gpu.duration"]
    assert {(each.entity.host, each.detail) for each in slow} == {(HOSTS[5], "dcgm")}
