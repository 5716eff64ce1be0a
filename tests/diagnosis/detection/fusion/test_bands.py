"""Saves, loads, starts and stops are read from the metrics."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from numpy.typing import NDArray

from apps.diagnosis.detection.fusion.phase_bands import Tail, advance_bands, merged
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import (
    BadDirection,
    Band,
    BandKind,
    Device,
    Frame,
    Layer,
    Query,
    Semantics,
    Signal,
)

START, STEP, HOSTS = 1_790_000_010.0, 30.0, 60
COLUMNS = 120


def at(column: float) -> datetime:
    return datetime.fromtimestamp(START + column * STEP, UTC)


def counter(metric: str, rate: NDArray[np.float64]) -> Frame:
    """Return bytes of all hosts that grow at a rate of the whole cluster."""
    signal = Signal(
        name=metric, exporter="nfs", meaning="", unit="bytes", family="nfs-traffic",
        layer=Layer.STORAGE, entity="mount", semantics=Semantics.COUNTER, bad=BadDirection.NONE,
        queries=(Query(metric=metric),),
    )  # fmt: skip
    grown = np.cumsum(np.tile(rate / HOSTS * STEP, (HOSTS, 1)), axis=1)
    mounts = tuple(Device(kind="mount", host=f"h{n:02}", name="s:/e") for n in range(HOSTS))
    return Frame(signal=signal, entities=mounts, start=START, step=STEP, values=grown)


def busy(level: NDArray[np.float64]) -> Frame:
    gpus = tuple(Device(kind="gpu", host=f"h{n:02}", index=0) for n in range(HOSTS))
    return Frame(
        signal=catalog().signals["gpu.utilisation"], entities=gpus, start=START, step=STEP,
        values=np.tile(level, (HOSTS, 1)),
    )  # fmt: skip


def span(first: int, end: int, inside: float, outside: float = 0.0) -> NDArray[np.float64]:
    values = np.full(COLUMNS, outside)
    values[first:end] = inside
    return values


def whole(*frames: Frame) -> tuple[Band, ...]:
    return advance_bands(tail=Tail(), frames=frames)[0]


WRITES = counter("node_mountstats_nfs_total_write_bytes_total", span(40, 50, 40e9, 0.1e9))
READS = counter("node_mountstats_nfs_total_read_bytes_total", span(10, 30, 60e9, 0.1e9))


def test_a_save_is_found_to_the_scrape() -> None:
    [band] = whole(WRITES)
    assert band.kind is BandKind.SAVE
    assert abs(band.starts_at - at(40)) <= timedelta(seconds=STEP)
    assert abs(band.ends_at - at(50)) <= timedelta(seconds=STEP)


def test_reading_while_idle_is_a_load_and_reading_while_working_is_none() -> None:
    idle = [band.kind for band in whole(READS, busy(span(0, COLUMNS, 0.1)))]
    assert idle == [BandKind.LOAD]
    assert not whole(READS, busy(span(0, COLUMNS, 0.9)))


def test_most_hosts_turning_at_once_is_a_start_and_a_stop() -> None:
    kinds = [band.kind for band in whole(busy(span(30, 90, 0.95, 0.02)))]
    assert kinds == [BandKind.START, BandKind.STOP]


def test_one_host_that_stops_is_no_band() -> None:
    frame = busy(span(0, COLUMNS, 0.95))
    frame.values[3, 50:] = 0.0
    assert not whole(frame)


def test_missing_samples_make_no_band() -> None:
    frame = busy(span(0, COLUMNS, 0.95))
    frame.values[:, 50:60] = np.nan
    assert not whole(frame)


@pytest.mark.parametrize("width", [1, 7, 43])
def test_cutting_into_blocks_changes_nothing(width: int) -> None:
    frames = (WRITES, READS, busy(span(30, 90, 0.95, 0.02)))
    tail = Tail()
    found: list[Band] = []
    for first in range(0, COLUMNS, width):
        block = [
            replace(each, start=START + first * STEP, values=each.values[:, first : first + width])
            for each in frames
        ]
        bands, tail = advance_bands(tail=tail, frames=block)
        found += bands
    assert merged(found) == whole(*frames)
