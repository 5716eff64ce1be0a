"""Beside the steps: (host, process) → rank → GPU → adapters, as far as the logs say it."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from apps.diagnosis.exits import EXIT_ROWS
from apps.diagnosis.input_values import rank_number
from apps.diagnosis.logs.pci import normalised
from apps.diagnosis.model import Event, Mark, Placement, Reading, Stream, Topology
from apps.diagnosis.observed import canonical, rank_of
from apps.diagnosis.signatures.marks import marked

# Fields of a line that say under which address its host is known.
ADDRESS_SIGNS = marked(Mark.HOST_ADDRESS)
# A rank in a communicator is global only in one that spans the session.
INIT_SIGNS = marked(Mark.COMMUNICATOR)
ADAPTER_SIGNS = marked(Mark.ADAPTERS)
MOST_ADAPTERS = 16
TASKS = marked(Mark.TASK_EXIT)
# Kernels of so few hosts of the session say nothing of how the others were chosen.
MOST_STRANGERS = 2
# No host holds more GPUs.
MOST_GPUS = 16
NAMED_AFTER_ADDRESS = re.compile(r"ip-(\d{1,3})-(\d{1,3})-(\d{1,3})-(\d{1,3})(?=\.|$)", re.ASCII)


def learned(
    *, events: Sequence[Event], readings: Sequence[Reading], topology: Topology
) -> Topology:
    """Return the topology with what the logs themselves say; what the caller said wins."""
    inside = _containers(readings)
    addresses = {ip: inside.get(host, host) for ip, host in _addresses(events).items()}
    aliases = {**_named_after_addresses(readings, addresses), **inside, **topology.aliases}
    placed = {one.rank: one for one in topology.placements}
    said = {one.rank: one for one in _placements(events, readings, aliases)}
    known = [_merged(placed[rank], said.get(rank)) for rank in sorted(placed)]
    if not placed:
        known = [said[rank] for rank in sorted(said)]
    return replace(topology, aliases=aliases, placements=tuple(known))


def _containers(readings: Sequence[Reading]) -> dict[str, str]:
    """Learn which container a host holds: the only other name that its session prints, and no
    other host's.
    """
    printed: dict[str, set[str]] = defaultdict(set)
    for one in readings:
        host = (one.origin.host or "").split(".", 1)[0]
        for extent in one.extents if host else ():
            if extent.host and (one.origin.stream or extent.stream) in {Stream.SESSION, None}:
                printed[host].add(extent.host.split(".", 1)[0])
    names = Counter(name for told in printed.values() for name in told)
    found: dict[str, str] = {}
    for host, told in printed.items():
        others = told - {host}
        if len(others) == 1 and names[(name := others.pop())] == 1 and name not in printed:
            found[name] = host
    return found


def _addresses(events: Sequence[Event]) -> dict[str, str]:
    """Learn from NCCL's own lines which address belongs to which host."""
    found: dict[str, str] = {}
    for event in events:
        address, host = event.fields.get("ip"), event.line.host or event.line.origin.host
        if event.signature in ADDRESS_SIGNS and address and host:
            found.setdefault(address, host.split(".", 1)[0])
    return found


def _named_after_addresses(
    readings: Sequence[Reading], addresses: Mapping[str, str]
) -> dict[str, str]:
    """Add the hosts whose names spell their address; a container there goes by its host's name."""
    found = dict(addresses)
    names = {extent.host or one.origin.host or "" for one in readings for extent in one.extents}
    for name in sorted(names):
        spelt = NAMED_AFTER_ADDRESS.match(name)
        if spelt is None:
            continue
        address, short = ".".join(spelt.groups()), name.split(".", 1)[0]
        inside = found.get(address)
        found[address] = short
        if inside is not None and inside != short:
            found[inside] = short
    return found


def _merged(known: Placement, said: Placement | None) -> Placement:
    """Add to a place what only the logs know of it, unless they speak of another host."""
    if said is None or said.host != known.host:
        return known
    return replace(
        known,
        gpu=known.gpu if known.gpu is not None else said.gpu,
        pci=known.pci or said.pci,
        pid=said.pid,
        adapters=said.adapters,
        communicators=said.communicators,
    )


def _placements(
    events: Sequence[Event], readings: Sequence[Reading], aliases: Mapping[str, str]
) -> list[Placement]:
    """Return one place for each rank; ranks that two places claim have none."""
    adapters = _adapters(events, aliases)
    claims: dict[int, list[Placement]] = defaultdict(list)
    for one in (*_from_init(events, aliases), *_from_voices(readings, aliases)):
        claims[one.rank].append(one)
    for one in _from_exits(events, aliases):
        if one.rank not in claims:
            claims[one.rank].append(one)
    found = []
    for rank in sorted(claims):
        told = claims[rank]
        if len({one.host for one in told}) == 1:
            best = max(told, key=lambda one: (one.pci is not None, one.pid or 0, one.pci or ""))
            names = {name for one in told for name in one.communicators}
            found.append(
                replace(
                    best,
                    adapters=adapters.get(best.host, ()),
                    communicators=tuple(sorted(names)),
                )
            )
    return found


def _from_init(events: Sequence[Event], aliases: Mapping[str, str]) -> Iterator[Placement]:
    """Yield the places that NCCL names when it builds a communicator."""
    told = [
        e
        for e in events
        if e.signature in INIT_SIGNS and rank_number(e.fields.get("rank")) is not None
    ]
    widest = max((_width(e) for e in told), default=0)
    for event in told:
        fields, host = event.fields, canonical(event.line.host or event.line.origin.host, aliases)
        rank, is_widest = rank_of(event), _width(event) == widest
        if rank is None and is_widest and widest > 1:
            rank = rank_number(fields["rank"])
        if host is None or rank is None:
            continue
        ordinal = fields.get("nvml_dev") or fields.get("cuda_dev") or ""
        yield Placement(
            rank=rank,
            host=host,
            gpu=rank_number(ordinal),
            pci=fields.get("pci"),
            pid=event.line.pid,
            communicators=(name,) if (name := fields.get("comm_id")) else (),
        )


def _from_exits(events: Sequence[Event], aliases: Mapping[str, str]) -> list[Placement]:
    """Return the places that launchers name when workers end, one for each rank."""
    found: dict[int, Placement] = {}
    tasks = [e for e in events if e.signature in TASKS]
    # One task of srun on each host is a launcher, not a rank.
    are_ranks = any(len(_numbers(e.fields.get("task", ""))) > 1 for e in tasks)
    for event in events:
        host = canonical(event.fields.get("host"), aliases)
        said: Sequence[int] = ()
        if event.signature in EXIT_ROWS:
            said = _numbers(event.fields.get("rank", ""))
        elif event.signature in TASKS and are_ranks and "[" not in (host or "["):
            said = _numbers(event.fields.get("task", ""))
        for rank in said if host else ():
            found.setdefault(rank, Placement(rank=rank, host=host or ""))
    return [found[rank] for rank in sorted(found)]


def _numbers(said: str) -> list[int]:
    """Return the numbers of a list as Slurm writes it: 8-11,14."""
    found: list[int] = []
    for part in said.strip("[]").split(","):
        one, _, other = part.partition("-")
        first, last = rank_number(one), rank_number(other or one)
        if first is not None and last is not None:
            found += range(first, min(last, first + MOST_GPUS) + 1)
    return found


def _width(event: Event) -> int:
    return rank_number(event.fields.get("world_size")) or 0


def _from_voices(readings: Sequence[Reading], aliases: Mapping[str, str]) -> Iterator[Placement]:
    """Yield the hosts of ranks whose lines or files name both."""
    for reading in readings:
        for extent in reading.extents:
            rank = extent.rank if extent.rank is not None else reading.origin.rank
            host = canonical(extent.host or reading.origin.host, aliases)
            is_session = (reading.origin.stream or extent.stream) in {Stream.SESSION, None}
            if rank is not None and host is not None and is_session:
                yield Placement(rank=rank, host=host)


def _adapters(events: Sequence[Event], aliases: Mapping[str, str]) -> Mapping[str, tuple[str, ...]]:
    """Return the RDMA devices that NCCL uses on each host."""
    found: dict[str, set[str]] = defaultdict(set)
    for event in events:
        host = canonical(event.line.host or event.line.origin.host, aliases)
        if event.signature in ADAPTER_SIGNS and host:
            words = event.fields.get("devlist", "").split()
            names = (word.partition("]")[2].partition(":")[0] for word in words if "]" in word)
            found[host] |= {name for name in names if name}
    return {host: tuple(sorted(names)[:MOST_ADAPTERS]) for host, names in found.items()}


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


def are_all(*, hosts: frozenset[str], topology: Topology, readings: Sequence[Reading]) -> bool:
    """Say whether hosts are all of the session, called as its kernels call themselves.

    They hold all ranks, as many on each as on the fullest; containers go by names of their own.
    """
    kernels = {
        canonical(extent.host or one.origin.host, topology.aliases)
        for one in readings
        for extent in one.extents
        if (one.origin.stream or extent.stream) is Stream.KERNEL
    } - {None}
    unheard = len(kernels - hosts)
    is_own = unheard < len(kernels) or not kernels
    # Of hosts whose kernels were kept with the others', one that never spoke may have died first.
    is_silent = 0 < unheard <= max(1, len(hosts) // 8) and len(kernels & hosts) > MOST_STRANGERS
    if topology.hosts or not is_own or is_silent:
        return bool(topology.hosts)
    fullest = max(Counter(one.host for one in topology.placements).values(), default=MOST_GPUS)
    return len(hosts) * fullest >= _world_size(readings)


def _world_size(readings: Sequence[Reading]) -> int:
    """Return how many ranks the session has at least."""
    sizes = (_width(e) for one in readings for e in one.events)
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


def last_heard(
    *, readings: Sequence[Reading], clocks: Callable[[tuple[str, str]], timedelta]
) -> datetime | None:
    """Return when the session itself last spoke, on the common timeline."""
    found: list[datetime] = []
    for reading in readings:
        for extent in reading.extents:
            if (reading.origin.stream or extent.stream) is not Stream.SESSION:
                continue
            local = extent.last_local_at
            at = extent.last_at or (local.replace(tzinfo=UTC) if local else None)
            if at is not None:
                host = extent.host or reading.origin.host or ""
                found.append(at + clocks((reading.origin.source, host)))
    return max(found, default=None)


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
