"""A GPU that tells nothing any more keeps its place, and its Xid stands there."""

from datetime import UTC, datetime

import pytest

from apps.diagnosis.detection.metrics.load import catalog
from apps.reliability.fleet_grid.nodes import MOST_GPUS, NodeFacts, _with_every_gpu, fleet_nodes
from apps.reliability.fleet_grid.values import FleetNode, Standing
from apps.telemetry.facade.fleet_metrics import XidMark

AT = datetime(2026, 3, 12, 2, 4, tzinfo=UTC)
TEMPERATURE = catalog().signals["gpu.temperature"]
LINK = next(each for each in catalog().signals.values() if each.entity == "nic")


def _xid(gpu: int | None) -> XidMark:
    return XidMark(host="gpu018", gpu=gpu, pci="", code="79", at=AT, is_initiating=True)


def _node(*parts: str, hit: int | None) -> FleetNode:
    some = tuple(60.0 + at for at in range(len(parts)))
    return FleetNode(
        host="gpu018",
        standing=Standing.HELD,
        parts=parts,
        values=some,
        ages=some,
        distances=some,
        xids=(_xid(hit),),
    )


@pytest.mark.parametrize(("left", "lost"), [("0134567", 2), ("1234567", 0), ("0123456", 7)])
def test_the_lost_gpu_has_a_cell_without_value_and_others_keep_theirs(left: str, lost: int) -> None:
    node = _with_every_gpu(_node(*left, hit=lost))
    assert node.parts == tuple("01234567")
    assert node.values.index(None) == node.ages.index(None) == node.distances.index(None) == lost
    assert [each for each in node.values if each is not None] == [60.0 + at for at in range(7)]
    assert node.place_of(node.xids[0], TEMPERATURE) == lost


def test_a_gap_is_kept_without_an_xid_and_an_unknown_gpu_marks_no_part() -> None:
    node = _with_every_gpu(_node("0", "2", hit=None))
    assert node.parts == ("0", "1", "2")
    assert node.place_of(node.xids[0], TEMPERATURE) is None


def test_a_node_that_tells_nothing_has_the_cell_of_its_xid() -> None:
    facts = NodeFacts(
        hosts=frozenset({"gpu018"}),
        places={},
        out={},
        xids={"gpu018": (_xid(1),)},
        is_ours=True,
        others_hold=False,
    )
    (node,) = fleet_nodes(signal=TEMPERATURE, moments=(), facts=facts)
    assert (node.parts, node.values) == (("0", "1"), (None, None))
    (elsewhere,) = fleet_nodes(signal=LINK, moments=(), facts=facts)
    assert elsewhere.parts == ()
    assert elsewhere.place_of(elsewhere.xids[0], LINK) is None


def test_numbers_out_of_reach_and_parts_of_gpus_add_no_cells() -> None:
    assert _with_every_gpu(_node("0", "1", hit=MOST_GPUS)).parts == ("0", "1")
    far = _node("0", str(MOST_GPUS), hit=None)
    assert _with_every_gpu(far) is far
    sliced = _node("0/1", "0/2", hit=0)
    assert _with_every_gpu(sliced) is sliced
    assert sliced.place_of(sliced.xids[0], TEMPERATURE) is None
