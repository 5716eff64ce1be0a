"""Series on a grid: units, gaps, doubles."""

from dataclasses import replace

import numpy as np

from apps.diagnosis.detection.metrics.frames import (
    Grid,
    Samples,
    Unifier,
    frame_of,
    grid_between,
    unified,
)
from apps.diagnosis.detection.metrics.identity import NamedDevice, Resolver, resolver_of
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Device, Frame

GRID = Grid(start=1000.0, step=10.0, count=5)
LABELS = {"Hostname": "gpu001", "gpu": "0"}


def series(values: list[float], start: float = 1000.0, **labels: str) -> Samples:
    """Return one series with a sample every 10 s."""
    at = start + 10.0 * np.arange(len(values), dtype=np.float64)
    return Samples(labels=LABELS | labels, at=at, values=np.array(values))


def rows(*members: Samples, signal: str = "gpu.clock", scale: float = 1.0) -> np.ndarray:
    """Return the values of a frame."""
    return frame_of(
        signal=catalog().signals[signal],
        scale=scale,
        series=members,
        grid=GRID,
        spelling=catalog().labels["dcgm"],
    ).values


def test_new_unit_and_old_unit_give_the_same_frame() -> None:
    hertz = rows(series([1.98e9] * 5), scale=1e-6)
    np.testing.assert_allclose(hertz, rows(series([1980.0] * 5)))


def test_missing_samples_are_nan_and_never_zero() -> None:
    np.testing.assert_array_equal(
        rows(series([1, 2], start=1020.0)), [[np.nan, np.nan, 1, 2, np.nan]]
    )


def test_blank_is_missing_whatever_the_scale() -> None:
    assert np.isnan(rows(series([9223372036854775794.0] * 5), scale=0.01)).all()


def test_two_series_of_one_gpu_fill_each_other() -> None:
    first = series([1, 2], pod="a")
    second = series([9, 3, 4], start=1010.0, pod="b")
    np.testing.assert_array_equal(rows(first, second), [[1, 2, 3, 4, np.nan]])


def test_series_without_a_host_are_left_out() -> None:
    orphan = Samples(labels={"gpu": "0"}, at=np.array([1000.0]), values=np.array([1.0]))
    assert rows(orphan).shape == (0, 5)


def test_samples_outside_the_grid_and_without_a_time_are_left_out() -> None:
    odd = Samples(
        labels=LABELS, at=np.array([np.nan, np.inf, 5.0, 1e12]), values=np.array([1.0, 2, 3, 4])
    )
    assert np.isnan(rows(odd)).all()


def test_overlapping_spans_share_their_instants() -> None:
    one = grid_between(start=1003.0, end=1100.0, step=30.0)
    other = grid_between(start=1044.0, end=1160.0, step=30.0)
    assert (one.start, one.end) == (1020.0, 1080.0)
    assert (other.start, other.end) == (1050.0, 1140.0)


def test_two_exporters_that_name_one_gpu_differently_fill_one_row() -> None:
    by_uuid = Device(kind="gpu", host="gpu017", uuid="ab")
    by_index = Device(kind="gpu", host="gpu017", index=3)
    both = Device(kind="gpu", host="gpu017", index=3, uuid="ab")
    frame = Frame(
        signal=catalog().signals["gpu.power"],
        entities=(by_uuid, by_index),
        start=0.0,
        step=30.0,
        values=np.array([[1.0, np.nan, 3.0], [9.0, 2.0, np.nan]]),
    )
    (one,) = unified(frames=[frame], resolver=resolver_of(told=[both]))
    assert one.entities == (both,)
    np.testing.assert_array_equal(one.values, [[1.0, 2.0, 3.0]])
    (same,) = unified(frames=[frame], resolver=Resolver())
    assert same is frame


def test_a_table_of_entities_is_understood_once() -> None:
    asked: list[Device] = []

    class Counting(Resolver):
        def complete(self, device: Device) -> Device:
            asked.append(device)
            return super().complete(device)

    both = Device(kind="gpu", host="gpu017", index=3, uuid="ab")
    frame = Frame(
        signal=catalog().signals["gpu.power"],
        entities=(Device(kind="gpu", host="gpu017", uuid="ab"),),
        start=0.0,
        step=30.0,
        values=np.array([[1.0]]),
    )
    unifier = Unifier(resolver=Counting(parts=[NamedDevice(device=both)]))
    for value in (1.0, 2.0):
        (one,) = unifier.unify([replace(frame, values=np.array([[value]]))])
        assert (one.entities, one.values[0, 0]) == ((both,), value)
    assert len(asked) == 1
