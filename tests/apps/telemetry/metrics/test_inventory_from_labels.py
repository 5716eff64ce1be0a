"""What labels tell of parts: from their first sample to their last, never more than they say."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import numpy as np
import pytest

from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Device, Frame
from apps.telemetry.metrics import inventory_from_labels
from apps.telemetry.metrics.inventory_from_labels import (
    EVERY,
    SampleSpan,
    _Tables,
    nodes_of,
    record,
)
from apps.telemetry.models import SeriesState, Source
from apps.tenancy.scope import organization_scope
from tests.cast.metrics import NOW, Cast, source

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


def test_a_part_is_told_with_all_that_its_labels_say() -> None:
    spans = {
        each: SampleSpan(first=0.0, last=9.0)
        for each in (
            Device(kind="gpu", host="gpu017", index=0, uuid="u", pci="p", name="H200"),
            Device(kind="nic", host="gpu017", name="mlx5_0"),
            Device(kind="gpu", host="gpu017"),  # says nothing
            Device(kind="gpu", index=1),  # of no host
        )
    }
    (node,) = nodes_of(spans=spans)
    told = [(each.kind, each.index, each.uuid, each.pci, each.name) for each in node.devices]
    assert sorted(told, key=repr) == [("gpu", 0, "u", "p", ""), ("nic", None, "", "", "mlx5_0")]


@pytest.mark.parametrize(
    ("less", "is_left_out"),
    [((2.0, 8.0), True), ((1.0, 9.0), True), ((0.0, 8.0), False), ((2.0, 10.0), False)],
)
def test_what_says_less_is_left_out_only_for_the_time_of_what_says_more(
    less: tuple[float, float], *, is_left_out: bool
) -> None:
    spans = {
        Device(kind="gpu", host="n", index=0, uuid="u"): SampleSpan(first=1.0, last=9.0),
        Device(kind="gpu", host="n", index=0): SampleSpan(first=less[0], last=less[1]),
    }
    (node,) = nodes_of(spans=spans)
    assert sorted(part.uuid for part in node.devices) == (["u"] if is_left_out else ["", "u"])


def test_a_part_of_one_kind_says_nothing_of_another_kind() -> None:
    spans = {
        Device(kind="nic", host="n", index=0, name="mlx5_0"): SampleSpan(first=0.0, last=9.0),
        Device(kind="gpu", host="n", index=0): SampleSpan(first=0.0, last=9.0),
    }
    (node,) = nodes_of(spans=spans)
    assert sorted(part.kind for part in node.devices) == ["gpu", "nic"]


def written(made: Source, parts: tuple[Device, ...], at: datetime) -> bool:
    """Say whether what has samples is written down."""
    frames = [frame(*((part, [1.0]) for part in parts))] if parts else []
    with organization_scope(made.organization_id):
        return record(source=made, frames=frames, now=at)


@pytest.mark.parametrize("is_new_process", [False, True])
def test_the_same_parts_are_written_again_only_so_often(
    people: Cast, monkeypatch: pytest.MonkeyPatch, *, is_new_process: bool
) -> None:
    made = source(people, "http://metrics.example")
    second = timedelta(seconds=1)
    answers = []
    for parts, at in (
        ((OLD,), NOW),
        ((OLD,), NOW + EVERY - second),
        ((OLD,), NOW + EVERY),
        ((OLD, NEW), NOW + EVERY + second),
        ((OLD,), NOW + EVERY + 2 * second),
    ):
        if is_new_process:  # then the row alone tells when
            monkeypatch.setattr(inventory_from_labels, "_kept", type(inventory_from_labels._kept)())
        answers.append(written(made, parts, at))

    assert answers == [True, False, True, True, True]


def test_what_names_no_host_is_not_written(people: Cast) -> None:
    made = source(people, "http://metrics.example")
    assert not written(made, (Device(kind="gpu", index=0),), NOW)
    assert not written(made, (), NOW)
    with organization_scope(made.organization_id):
        assert not SeriesState.objects.filter(signal=inventory_from_labels.NAME).exists()


def test_what_is_worked_out_is_kept_for_so_many_sources_until_it_is_large(
    people: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = type(inventory_from_labels._kept)()
    monkeypatch.setattr(inventory_from_labels, "_kept", kept)
    monkeypatch.setattr(inventory_from_labels, "MOST_SOURCES", 2)
    monkeypatch.setattr(inventory_from_labels, "MOST_ENTITIES", 2)
    made = [source(people, "http://metrics.example", name=name) for name in "abc"]
    for each in made[:2]:
        written(each, (OLD,), NOW)  # one part, in one table
    tables = {key: id(value) for key, value in kept.items()}
    assert len(tables) == 2
    written(made[0], (OLD, NEW), NOW)
    assert id(kept[made[0].pk]) == tables[made[0].pk]
    grown = kept[made[0].pk]
    written(made[0], (OLD,), NOW)
    assert kept[made[0].pk] is not grown

    written(made[2], (OLD,), NOW)
    assert list(kept) == [made[0].pk, made[2].pk]
