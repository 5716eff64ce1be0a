"""What labels tell of parts: from their first sample to their last, never more than they say."""

from collections.abc import Sequence

import numpy as np

from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Device, Frame
from apps.telemetry.metrics.inventory_from_labels import SampleSpan, _Tables, nodes_of

NAN = float("nan")
OLD = Device(kind="gpu", host="gpu017", index=3, uuid="old", pci="x")
NEW = Device(kind="gpu", host="gpu017", index=3, uuid="new", pci="x")


def frame(*rows: tuple[Device, list[float]]) -> Frame:
    return Frame(
        signal=catalog().signals["gpu.power"],
        entities=tuple(device for device, _ in rows),
        start=1000.0,
        step=10.0,
        values=np.array([values for _, values in rows]),
    )


def spans_of(*, frames: Sequence[Frame]) -> dict[Device, SampleSpan]:
    tables = _Tables()
    return tables.spans(*tables.present(frames))


def test_a_part_is_seen_from_its_first_sample_to_its_last() -> None:
    spans = spans_of(
        frames=[
            frame((OLD, [1, 2, NAN, NAN]), (NEW, [NAN, NAN, NAN, 5])),
            frame((OLD, [NAN, NAN, 2, NAN])),
        ]
    )
    assert spans == {
        OLD: SampleSpan(first=1000.0, last=1020.0),
        NEW: SampleSpan(first=1030.0, last=1030.0),
    }


def test_a_board_replaced_within_what_was_read_is_two_reports() -> None:
    spans = spans_of(frames=[frame((OLD, [1, 1, NAN, NAN]), (NEW, [NAN, NAN, 1, 1]))])
    (node,) = nodes_of(spans=spans)
    assert [
        (part.uuid, part.seen_until.timestamp()) for part in node.devices if part.seen_until
    ] == [
        ("new", 1030.0),
        ("old", 1010.0),
    ]


def test_a_row_without_samples_is_not_seen() -> None:
    assert spans_of(frames=[frame((OLD, [NAN, NAN]))]) == {}


def test_what_says_less_of_a_part_is_left_out() -> None:
    spans = {
        each: SampleSpan(first=0.0, last=9.0)
        for each in (
            NEW,
            Device(kind="gpu", host="gpu017", uuid="new"),
            Device(kind="gpu", host="gpu017", index=4),
            Device(kind="gpu", host="gpu017", uuid="new", name="MIG 3"),
            Device(kind="gpu", host="gpu017", name="cuda 3"),
            Device(kind="node", host="gpu017"),
            Device(kind="gpu", host="10.0.0.1", index=0),
        )
    }
    (node,) = nodes_of(spans=spans)
    assert [(part.index, part.uuid) for part in node.devices] == [(3, "new"), (4, "")]
