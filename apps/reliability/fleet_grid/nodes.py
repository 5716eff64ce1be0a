"""Moments of several holders, marks and sessions → the nodes of a cluster."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis.input_values import whole_number
from apps.diagnosis.model import Signal
from apps.diagnosis.stats import Floats
from apps.fleet.facade.placements import AttemptPlace
from apps.incidents.projection.shared_values import SharedAs
from apps.reliability.fleet_grid.peer_distance import peer_distances
from apps.reliability.fleet_grid.values import FleetNode, NodeSession, Standing
from apps.telemetry.facade.fleet_metrics import MetricMoment, XidMark

IDLE: Final = 0  # no attempt has this id
MOST_GPUS: Final = 64  # of a node: a greater number in a log is no reason to draw as many cells


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
    """Return all nodes: hit by an Xid, then the worst unlike its peers, then by name.

    Of Xids those that may begin a failure come before those that follow from one.
    """
    nodes: dict[str, FleetNode] = {}
    for shared, moment in moments:
        groups = _groups(moment, facts.places)
        distances = peer_distances(signal=signal, values=moment.values[:, None], groups=groups)[
            :, 0
        ]
        for node in _nodes(shared, moment, distances, facts):
            # What one holds oneself comes first, and counts.
            nodes.setdefault(node.host, node)
    for host in sorted(facts.hosts - nodes.keys()):
        nodes[host] = _empty(host, facts)
    told = list(nodes.values())
    if signal.entity == "gpu":
        told = [_with_every_gpu(node) for node in told]
    return tuple(sorted(told, key=_order))


def _with_every_gpu(node: FleetNode) -> FleetNode:
    """Return it with each GPU up to its last, and each that an Xid hit, valued or not.

    A GPU that fell off the bus tells nothing any more: its place must not become its neighbour's.
    """
    known = {whole_number(part): at for at, part in enumerate(node.parts)}
    if tuple(map(str, known)) != node.parts:
        return node  # parts of GPUs, or names: what they count is not known
    hit = {each.gpu for each in node.xids if each.gpu is not None and each.gpu < MOST_GPUS}
    numbers = {each for each in known if each is not None} | hit
    if not numbers or max(numbers) >= MOST_GPUS:
        return node
    order = [known.get(number) for number in range(max(numbers) + 1)]
    values, ages, distances = (
        tuple(None if at is None else column[at] for at in order)
        for column in (node.values, node.ages, node.distances)
    )
    return replace(
        node,
        parts=tuple(map(str, range(len(order)))),
        values=values,
        ages=ages,
        distances=distances,
    )


def _order(node: FleetNode) -> tuple[int, float, str]:
    begins = any(each.is_initiating for each in node.xids)
    rank = 0 if begins else 1 if node.xids else 2
    worst = node.worst
    return (rank, -worst if worst is not None else np.inf, node.host)


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
