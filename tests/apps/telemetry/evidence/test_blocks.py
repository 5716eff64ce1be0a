"""Blocks of evidence: what they are called, what is in them, and in which unit it is shown."""

import numpy as np
import pytest

from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Device, Frame
from apps.telemetry.evidence import blocks

GPU = Device(kind="gpu", host="n7", index=3, uuid="u", name="H200")


def frame(signal: str, rows: list[list[float]], *, details: tuple[str, ...] = ()) -> Frame:
    """Return rows of GPUs of hosts n0, n1 …"""
    return Frame(
        signal=catalog().signals[signal],
        entities=tuple(Device(kind="gpu", host=f"n{row}", index=0) for row in range(len(rows))),
        start=0.0,
        step=10.0,
        values=np.array(rows),
        details=details,
    )


@pytest.mark.parametrize(
    ("device", "key"),
    [
        (GPU, "gpu|n7|3|u|H200"),
        (Device(kind="gpu", host="n7", index=0), "gpu|n7|0||"),
        (Device(kind="server", name="nas1"), "server||||nas1"),
    ],
)
def test_the_key_of_an_entity_is_all_that_names_it(device: Device, key: str) -> None:
    assert blocks.entity_key(device) == key


def test_what_is_not_known_of_an_entity_is_not_kept() -> None:
    (block,) = blocks.blocks_of(frames=[frame("gpu.power", [[1.0, 2.0]])])
    assert block.entity_json == {"kind": "gpu", "host": "n0", "index": 0}


def test_rows_of_one_entity_are_named_with_what_tells_them_apart() -> None:
    (block,) = blocks.blocks_of(frames=[frame("gpu.power", [[1.0, 2.0]], details=("slice 1",))])
    assert block.signals == ("gpu.power[slice 1]",)
    (plain,) = blocks.blocks_of(frames=[frame("gpu.power", [[1.0, 2.0]])])
    assert plain.signals == ("gpu.power",)


@pytest.mark.parametrize(("count", "is_band"), [(2, False), (3, True)])
def test_a_band_takes_three_peers(count: int, *, is_band: bool) -> None:
    made = frame("gpu.power", [[float(row)] * 2 for row in range(4)])
    hosts = frozenset(f"n{number}" for number in range(count))
    band = blocks.band_of(frame=made, hosts=hosts)
    assert (band is not None) is is_band


def test_a_band_is_of_the_peers_alone() -> None:
    band = blocks.band_of(
        frame=frame("gpu.power", [[1.0], [2.0], [3.0], [900.0]]),
        hosts=frozenset({"n0", "n1", "n2"}),
    )
    assert band is not None
    values = blocks.unpacked(body=band.body, shape=band.shape)
    assert dict(zip(band.signals, values[:, 0].tolist(), strict=True))["gpu.power:p50"] == 2.0
    assert values.max() <= 3.0


@pytest.mark.parametrize(
    ("signal", "unit", "last"),
    [
        ("gpu.power", "W", 30.0),
        ("phy.crc", "errors", 30.0),  # a few events: as they stand
        ("net.received", "bytes/s", 2.0),
        ("gpu.throttled.thermal", "ratio", 2.0),  # of each second
    ],
)
def test_counters_are_shown_per_second_but_for_events(signal: str, unit: str, last: float) -> None:
    made = frame(signal, [[10.0, 30.0]])
    assert (blocks.shown_unit(made), blocks.shown_values(made)[0, -1]) == (unit, last)
