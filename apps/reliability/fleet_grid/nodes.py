"""Moments of several holders, marks and sessions → the nodes of a cluster."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis.model import Signal
from apps.diagnosis.stats import Floats
from apps.fleet.facade.placements import AttemptPlace
from apps.incidents.projection.shared_values import SharedAs
from apps.reliability.fleet_grid.peer_distance import peer_distances
from apps.reliability.fleet_grid.values import FleetNode, NodeSession, Standing
from apps.telemetry.facade.fleet_metrics import MetricMoment, XidMark

IDLE: Final = 0  # no attempt has this id


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFacts:
    """What is known of a cluster's nodes beside values."""

    hosts: frozenset[str]
    places: Mapping[str, AttemptPlace]  # host → the attempt that ran there
    out: Mapping[str, str]  # host → how it is left out
    xids: Mapping[str, Sequence[XidMark]]
    is_ours: bool  # what is not there is not there: nobody else holds it
    others_hold: bool


def fleet_nodes(
    *,
    signal: Signal,
    moments: Sequence[tuple[SharedAs | None, MetricMoment]],
    facts: NodeFacts,
) -> tuple[FleetNode, ...]:
    """Return all nodes, the worst unlike its peers first; without a distance by name."""
    nodes: dict[str, FleetNode] = {}
    for shared, moment in moments:
        groups = _groups(moment, facts.places)
        distances = peer_distances(signal=signal, values=moment.values, groups=groups)
        for node in _nodes(shared, moment, distances, facts):
            # What one holds oneself comes first, and counts.
            nodes.setdefault(node.host, node)
    for host in sorted(facts.hosts - nodes.keys()):
        nodes[host] = _empty(host, facts)
    return tuple(sorted(nodes.values(), key=_order))


def _order(node: FleetNode) -> tuple[float, str]:
    worst = node.worst
    return (-np.inf if node.xids else -worst if worst is not None else np.inf, node.host)


def _groups(moment: MetricMoment, places: Mapping[str, AttemptPlace]) -> list[NDArray[np.intp]]:
    """Return the places of parts whose nodes work on one session; those of idle nodes are one."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    for at, (host, _) in enumerate(moment.parts):
        found[places[host].id if host in places else IDLE].append(at)
    return [np.array(each) for each in found.values()]


def _nodes(
    shared: SharedAs | None, moment: MetricMoment, distances: Floats, facts: NodeFacts
) -> Iterator[FleetNode]:
    columns = [_plain(each) for each in (moment.values, moment.ages, distances)]
    end = 0
    # Parts of a host stand side by side.
    for host, some in groupby(moment.parts, key=itemgetter(0)):
        labels = tuple(label for _, label in some)
        first, end = end, end + len(labels)
        values, ages, far = (tuple(column[first:end]) for column in columns)
        is_told = any(each is not None for each in values)
        yield FleetNode(
            host=host,
            standing=Standing.HELD if is_told else Standing.NO_DATA,
            parts=labels,
            values=values,
            ages=ages,
            distances=far,
            xids=tuple(facts.xids.get(host, ())),
            out=facts.out.get(host, ""),
            session=_session(facts.places.get(host)),
            shared=shared,
        )


def _plain(column: Floats) -> list[float | None]:
    return [None if each != each else each for each in column.tolist()]  # noqa: PLR0124  NaN


def _empty(host: str, facts: NodeFacts) -> FleetNode:
    is_hidden = facts.others_hold and not facts.is_ours
    return FleetNode(
        host=host,
        standing=Standing.HIDDEN if is_hidden else Standing.NO_DATA,
        xids=tuple(facts.xids.get(host, ())),
        out=facts.out.get(host, ""),
        session=_session(facts.places.get(host)),
    )


def _session(place: AttemptPlace | None) -> NodeSession | None:
    if place is None:
        return None
    return NodeSession(public_id=place.session, name=place.session_name, number=place.number)


def places_by_host(places: Collection[AttemptPlace]) -> dict[str, AttemptPlace]:
    """Return host → the attempt that ran there; of two the one that began last."""
    return {host: place for place in places for host in place.hosts}
