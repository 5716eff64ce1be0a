"""Which ranks spoke, where, and whose words would have been read had there been any."""

from collections import defaultdict
from collections.abc import Sequence, Set

from apps.diagnosis.input_values import rank_number
from apps.diagnosis.model import Event, Reading, SessionFacts, Stream, Topology
from apps.diagnosis.observed import canonical, rank_of

Spoke = dict[str, set[int]]


def hosts_of(
    *, ranks: Sequence[int], readings: Sequence[Reading], topology: Topology
) -> tuple[str, ...]:
    """Return the hosts on which ranks ran, by topology or by who spoke for them."""
    placed = {one.rank: one.host for one in topology.placements}
    for _, host, rank in _voices(readings):
        if rank is not None and host and rank not in placed:
            placed[rank] = topology.aliases.get(host, host.split(".", 1)[0])
    return tuple(sorted({placed[rank] for rank in ranks if rank in placed}))


def world_of(
    *,
    events: Sequence[Event],
    readings: Sequence[Reading],
    topology: Topology,
    facts: SessionFacts,
) -> set[int]:
    """Return all ranks of the session, as far as anything tells how many there are."""
    size = facts.world_size or max(
        ((rank_number(e.fields.get("world_size")) or 0) for e in events), default=0
    )
    if size:
        return set(range(size))
    if topology.placements:
        return {one.rank for one in topology.placements}
    spoke = [*(rank for _, _, rank in _voices(readings)), *map(rank_of, events)]
    heard = {rank for rank in spoke if rank is not None}
    return set(range(max(heard) + 1)) if heard else set()


def read_ranks(
    *,
    events: Sequence[Event],
    readings: Sequence[Reading],
    topology: Topology,
    world: Set[int],
) -> set[int]:
    """Return the ranks of `world` whose own words were read, or would have been had there been any.

    Who never spoke is silent only where somebody listened: in the log of its host, beside the
    other ranks of its node, or in a source that holds most of the session.
    """
    by_source, by_host = _speakers(events, readings, topology)
    if any(len(spoke & world) > len(world) / 2 for spoke in by_source.values()):
        return set(world)
    heard = {rank for spoke in by_source.values() for rank in spoke}
    heard |= {one.rank for one in topology.placements if one.host in by_host}
    spans = [max(spoke) - min(spoke) + 1 for spoke in by_host.values() if spoke]
    size = max(spans, default=1)
    nodes = {rank // size for spoke in by_host.values() for rank in spoke}
    return {rank for rank in world if rank in heard or rank // size in nodes}


def _speakers(
    events: Sequence[Event], readings: Sequence[Reading], topology: Topology
) -> tuple[Spoke, Spoke]:
    """Return which ranks spoke in each source, and on each host that has a log of the session."""
    by_source: Spoke = defaultdict(set)
    by_host: Spoke = defaultdict(set)
    told = [(one.line.origin.source, one.line.host, rank_of(one)) for one in events]
    ranked = [one for one in told if one[2] is not None]  # others are of kernels, too
    for source, host, rank in (*_voices(readings), *ranked):
        spoke = set() if rank is None else {rank}
        by_source[source] |= spoke
        if host:
            by_host[canonical(host, topology.aliases) or host] |= spoke
    return by_source, by_host


def _voices(readings: Sequence[Reading]) -> list[tuple[str, str | None, int | None]]:
    """Return (source, host, rank) of whoever spoke in the session's own logs."""
    return [
        (
            one.origin.source,
            extent.host or one.origin.host,
            extent.rank if extent.rank is not None else one.origin.rank,
        )
        for one in readings
        for extent in one.extents
        if (one.origin.stream or extent.stream) in {Stream.SESSION, None}
    ]
