"""Which nodes stand first: hit by an Xid that may begin a failure, by another, then by distance."""

from datetime import UTC, datetime

from apps.reliability.fleet_grid.nodes import _order
from apps.reliability.fleet_grid.values import FleetNode, Standing
from apps.telemetry.facade.fleet_metrics import XidMark

AT = datetime(2026, 3, 12, 2, 4, tzinfo=UTC)


def _node(host: str, *, far: float | None = None, begins: bool | None = None) -> FleetNode:
    mark = XidMark(host=host, gpu=5, pci="", code="79", at=AT, is_initiating=bool(begins))
    return FleetNode(
        host=host,
        standing=Standing.HELD,
        parts=("5",),
        distances=(far,),
        xids=() if begins is None else (mark,),
    )


def test_what_may_begin_a_failure_stands_before_what_follows_from_one() -> None:
    nodes = [
        _node("calm", far=0.5),
        _node("silent"),
        _node("hot", far=9.0),
        _node("follows", far=2.0, begins=False),
        _node("follows-too", far=3.0, begins=False),
        _node("begins", begins=True),
    ]
    found = [each.host for each in sorted(nodes, key=_order)]
    assert found == ["begins", "follows-too", "follows", "hot", "calm", "silent"]
