"""Where a node's least alike part stands beside the middle nine tenths of its peers."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from apps.diagnosis.model import Signal
from apps.reliability.fleet_grid.values import FleetNode
from apps.web.fleet.fleet_words import value_text

LOW, HIGH = 0.05, 0.95
# Of fewer the outer twentieths are single parts.
LEAST: Final = 10
# The drawing is so wide; marks keep inside.
WIDTH, EDGE = 100.0, 2.0
THINNEST = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerSpan:
    """The span as a drawing of 100 units, and as words."""

    start: str
    width: str
    at: str  # of the part's own value
    text: str  # from which value to which


Peers = Mapping[str, Sequence[float]]


def peers_of(nodes: Sequence[FleetNode]) -> Peers:
    """Return per session the values of all parts of its nodes, sorted; "" without a session."""
    found: dict[str, list[float]] = defaultdict(list)
    for node in nodes:
        found[_group(node)] += [value for value in node.values if value is not None]
    return {group: sorted(values) for group, values in found.items()}


def peer_span(node: FleetNode, *, peers: Peers, signal: Signal) -> PeerSpan | None:
    """Return the span beside which the node's least alike part stands; None: of too few peers, or
    nothing tells how unlike it is.
    """
    told = zip(node.distances, node.values, strict=True)
    known = [(far, value) for far, value in told if far is not None and value is not None]
    values = peers.get(_group(node), ())
    if not known or len(values) < LEAST:
        return None
    own = max(known)[1]
    low, high = (values[round(share * (len(values) - 1))] for share in (LOW, HIGH))
    least, most = values[0], values[-1]
    scale = (WIDTH - 2 * EDGE) / (most - least) if most > least else 0.0

    def place(value: float) -> float:
        return EDGE + (value - least) * scale

    width = max(place(high) - place(low), THINNEST)
    return PeerSpan(
        start=f"{place(low):.1f}",
        width=f"{width:.1f}",
        at=f"{place(own):.1f}",
        text=_("%(low)s to %(high)s")
        % {"low": value_text(low, signal), "high": value_text(high, signal)},
    )


def _group(node: FleetNode) -> str:
    return node.session.public_id if node.session else ""
