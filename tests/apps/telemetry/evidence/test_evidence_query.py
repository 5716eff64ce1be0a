"""What of a source belongs into an evidence window: whose series, and how much of them."""

import pytest

from apps.diagnosis.model import Device
from apps.telemetry.evidence import evidence_query
from apps.telemetry.evidence.blocks import Block


@pytest.mark.parametrize(
    ("name", "shared", "is_part"),
    [
        ("nas1:/ckpt", ("nas1",), True),
        ("nas1:/ckpt", ("/ckpt",), True),
        ("nas1:/ckpt", ("nas1:/ckpt",), True),
        ("nas1:/ckpt", ("nas2", "/data"), False),
        ("nas1", ("nas2", "nas1"), True),
        (":/ckpt", ("/ckpt",), False),  # of no server
        (None, ("nas1",), False),
        ("nas1", (), False),
    ],
)
def test_an_export_is_meant_by_its_server_its_path_or_both(
    name: str | None, shared: tuple[str, ...], *, is_part: bool
) -> None:
    device = Device(kind="mount", host="n1", name=name)
    assert evidence_query.is_part_of(device, shared) is is_part


def block(size: int) -> Block:
    """Return a block of so many bytes."""
    return Block(
        entity=Device(kind="gpu", host="n1", index=0),
        family="gpu",
        signals=("gpu.power",),
        units=("W",),
        start=0.0,
        step=10.0,
        shape=(1, 1),
        body=b"x" * size,
    )


def test_blocks_fill_the_room_to_its_last_byte() -> None:
    kept, dropped = evidence_query.within([block(6), block(4), block(1)], 10)
    assert ([len(each.body) for each in kept], dropped) == ([6, 4], 1)
