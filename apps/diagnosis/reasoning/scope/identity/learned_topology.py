"""What logs tell of a cluster, added to what the inventory knows of it."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace

from apps.diagnosis.model import Event, Extent, Mark, Reading, Stream, Topology
from apps.diagnosis.reasoning.scope.identity.rank_placements import merge_placements, placements_of
from apps.diagnosis.signatures.marks import marked

# Fields of a line that say under which address its host is known.
ADDRESS_SIGNS = marked(Mark.HOST_ADDRESS)
NUMERIC = re.compile(r"[\d.]+|[\dA-Fa-f:.]*:[\dA-Fa-f:.]*", re.ASCII)  # IPv4, IPv6
NAMED_AFTER_ADDRESS = re.compile(r"ip-(\d{1,3})-(\d{1,3})-(\d{1,3})-(\d{1,3})(?=\.|$)", re.ASCII)


def learned(
    *, events: Sequence[Event], readings: Sequence[Reading], topology: Topology
) -> Topology:
    """Return the topology with what the logs themselves say; what the caller said wins."""
    inside = _containers(readings)
    told = _addresses(events, known=_known_hosts(readings, topology), placed=_short(topology.hosts))
    addresses = {ip: inside.get(host, host) for ip, host in told.items()}
    aliases = {**_named_after_addresses(readings, addresses), **inside, **topology.aliases}
    placed = {one.rank: one for one in topology.placements}
    said = {one.rank: one for one in placements_of(events, readings, aliases)}
    known = [merge_placements(placed[rank], said.get(rank)) for rank in sorted(placed)]
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


def _known_hosts(readings: Sequence[Reading], topology: Topology) -> Set[str]:
    """Return the hosts that somebody other than the session's own processes speaks of."""
    names = {
        extent.host or one.origin.host or ""
        for one in readings
        for extent in one.extents or (Extent(),)
        if (one.origin.stream or extent.stream) not in {Stream.SESSION, None}
    }
    return _short([*names, *topology.hosts]) - {""}


def _short(names: Iterable[str]) -> Set[str]:
    return {name.split(".", 1)[0].lower() for name in names}


def _addresses(events: Sequence[Event], *, known: Set[str], placed: Set[str]) -> dict[str, str]:
    """Learn from the lines of NCCL and of launchers which address belongs to which host.

    Anybody can print such a line. So what has a name is taken only for a part of a host: never a
    host that others know, and never of a host where the session was not placed.
    """
    found: dict[str, str] = {}
    for event in events:
        speaker = event.line.host or event.line.origin.host
        address, host = event.fields.get("ip"), event.fields.get("host") or speaker
        if event.signature not in ADDRESS_SIGNS or not address or not host:
            continue
        name = host.split(".", 1)[0]
        is_part = address.split(".", 1)[0].lower() not in known and (
            not placed or name.lower() in placed
        )
        if NUMERIC.fullmatch(address) or is_part:
            found.setdefault(address, name)
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
