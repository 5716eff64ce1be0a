"""The hosts of a session, whether these are all, its GPUs, and when it was heard."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from apps.diagnosis.logs.pci import normalised
from apps.diagnosis.model import Extent, Reading, Stream, Topology
from apps.diagnosis.observed import canonical, rank_of
from apps.diagnosis.reasoning.scope.identity.rank_placements import MOST_GPUS, communicator_width

# Kernels of so few hosts of the session say nothing of how the others were chosen.
MOST_STRANGERS = 2


def hosts(*, topology: Topology, readings: Sequence[Reading]) -> frozenset[str]:
    """Return the hosts of the session: those the caller named, else those that spoke for it."""
    if topology.hosts:
        return frozenset(canonical(host, topology.aliases) or host for host in topology.hosts)
    found = {
        canonical(extent.host or reading.origin.host, topology.aliases)
        for reading in readings
        for extent in reading.extents
        if (reading.origin.stream or extent.stream) is Stream.SESSION
    }
    return frozenset(host for host in found if host)


def seats(*, topology: Topology) -> frozenset[str]:
    """Return the hosts on which ranks of the session are known to sit."""
    return frozenset(
        canonical(one.host, topology.aliases) or one.host for one in topology.placements
    )


def kernel_hosts(*, readings: Sequence[Reading], topology: Topology) -> frozenset[str]:
    """Return the hosts whose kernels' logs are here, called as the topology calls them."""
    names = (
        canonical(extent.host or one.origin.host, topology.aliases)
        for one in readings
        for extent in one.extents
        if (one.origin.stream or extent.stream) is Stream.KERNEL
    )
    return frozenset(name for name in names if name is not None)


def are_all(*, hosts: frozenset[str], topology: Topology, readings: Sequence[Reading]) -> bool:
    """Say whether hosts are all of the session, called as its kernels call themselves.

    They hold all ranks, as many on each as on the fullest; containers go by names of their own.
    """
    kernels = kernel_hosts(readings=readings, topology=topology)
    unheard = len(kernels - hosts)
    is_own = unheard < len(kernels) or not kernels
    # Of hosts whose kernels were kept with the others', one that never spoke may have died first.
    is_silent = 0 < unheard <= max(1, len(hosts) // 8) and len(kernels & hosts) > MOST_STRANGERS
    # Hosts of which most kernels bear other names may be the same machines.
    is_renamed = len(kernels) < 2 * unheard and unheard <= len(hosts - kernels)
    if topology.hosts or not is_own or is_silent or is_renamed:
        return bool(topology.hosts)
    fullest = max(Counter(one.host for one in topology.placements).values(), default=MOST_GPUS)
    return len(hosts) * fullest >= _world_size(readings)


def _world_size(readings: Sequence[Reading]) -> int:
    """Return how many ranks the session has at least."""
    sizes = (communicator_width(e) for one in readings for e in one.events)
    ranks = (rank_of(e) for one in readings for e in one.events)
    return max(max(sizes, default=0), max((rank or 0 for rank in ranks), default=0) + 1)


def first_heard(*, readings: Sequence[Reading]) -> datetime | None:
    """Return when the session itself first spoke."""
    return min(
        (
            extent.first_at
            for reading in readings
            for extent in reading.extents
            if extent.first_at and (reading.origin.stream or extent.stream) is Stream.SESSION
        ),
        default=None,
    )


def began_at(
    *, readings: Sequence[Reading], clocks: Callable[[tuple[str, str]], timedelta]
) -> datetime | None:
    """Return when the session itself first spoke, on the common timeline."""
    return min(
        _spoke(readings, clocks, lambda one: (one.first_at, one.first_local_at)), default=None
    )


def last_heard(
    *, readings: Sequence[Reading], clocks: Callable[[tuple[str, str]], timedelta]
) -> datetime | None:
    """Return when the session itself last spoke, on the common timeline."""
    return max(_spoke(readings, clocks, lambda one: (one.last_at, one.last_local_at)), default=None)


def _spoke(
    readings: Sequence[Reading],
    clocks: Callable[[tuple[str, str]], timedelta],
    stamps: Callable[[Extent], tuple[datetime | None, datetime | None]],
) -> list[datetime]:
    """Return for each voice of the session when it spoke."""
    found: list[datetime] = []
    for reading in readings:
        for extent in reading.extents:
            if (reading.origin.stream or extent.stream) is not Stream.SESSION:
                continue
            known, local = stamps(extent)
            at = known or (local.replace(tzinfo=UTC) if local else None)
            if at is not None:
                host = extent.host or reading.origin.host or ""
                found.append(at + clocks((reading.origin.source, host)))
    return found


def gpus(*, topology: Topology) -> dict[str, frozenset[str]]:
    """Return the PCI addresses of the GPUs of each host that the caller knows."""
    found: dict[str, set[str]] = defaultdict(set)
    for place in topology.placements:
        if place.pci:
            found[place.host].add(normalised(address=place.pci))
    for device in topology.devices:
        if device.kind == "gpu" and device.host and device.pci:
            found[device.host].add(normalised(address=device.pci))
    return {host: frozenset(addresses) for host, addresses in found.items()}
