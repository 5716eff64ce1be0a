"""Beside a node's least alike part stands where its peers' values lie."""

from dataclasses import replace

from apps.diagnosis.detection.metrics.load import catalog
from apps.reliability.fleet_grid.values import FleetNode, NodeSession, Standing
from apps.web.fleet.peer_span import PeerSpan, peer_span, peers_of

TEMPERATURE = catalog().signals["gpu.temperature"]


def _node(host: str, *values: float | None) -> FleetNode:
    far = tuple(None if value is None else value - 70.0 for value in values)
    return FleetNode(
        host=host,
        standing=Standing.HELD,
        parts=tuple(str(at) for at in range(len(values))),
        values=values,
        ages=values,
        distances=far,
    )


PEERS = tuple(_node(f"n{at}", *(70.0 + 0.5 * part for part in range(8))) for at in range(4))
HOT = _node("n9", 70.0, None, 94.0, 71.0)


def _span(node: FleetNode, *others: FleetNode) -> PeerSpan | None:
    return peer_span(node, peers=peers_of((node, *others)), signal=TEMPERATURE)


def test_the_span_lies_where_most_peers_are_and_the_mark_at_the_worst_part() -> None:
    span = _span(HOT, *PEERS)
    assert span is not None
    assert span.text == "70 °C to 73.5 °C"
    # From 70 to 94 the drawing is 96 units wide, with an edge of 2.
    assert (span.start, span.width, span.at) == ("2.0", "14.0", "98.0")


def test_equal_values_are_a_thin_span_with_the_mark_in_it() -> None:
    same = tuple(_node(f"n{at}", *(70.0,) * 8) for at in range(3))
    span = _span(same[0], *same[1:])
    assert span is not None
    assert (span.start, span.width, span.at) == ("2.0", "2.0", "2.0")


def test_few_peers_and_other_sessions_tell_no_span() -> None:
    assert _span(HOT, PEERS[0]) is not None
    assert _span(HOT) is None
    session = NodeSession(public_id="S-1", name="solar", number=7)
    assert _span(replace(HOT, session=session), *PEERS) is None


def test_a_node_that_tells_nothing_has_no_span() -> None:
    assert _span(_node("n8", None, None), *PEERS) is None
