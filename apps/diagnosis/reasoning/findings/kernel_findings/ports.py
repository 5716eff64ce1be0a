"""Which buses lie behind which port."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from apps.diagnosis.model import Event, Mark
from apps.diagnosis.observed import HostOf
from apps.diagnosis.signatures.marks import marked

BRIDGES, LIMITS = marked(Mark.BRIDGE_BUSES), marked(Mark.LINK_LIMIT)
RECEIVED = marked(Mark.BUS_ERROR_RECEIVED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """Which buses lie behind each port of each host, as far as the kernels said so."""

    whole: Mapping[tuple[str, str], frozenset[tuple[int, int]]]  # all there are
    seen: Mapping[tuple[str, str], frozenset[int]]  # some of them

    def lead_to(self, host: str, port: str, bus: int) -> bool | None:
        """Say whether a bus lies behind a port, None where nobody said."""
        ranges = self.whole.get((host, port))
        if bus in self.seen.get((host, port), ()):
            return True
        return any(first <= bus <= last for first, last in ranges) if ranges else None


def ports_known(events: Sequence[Event], host_of: HostOf) -> Ports:
    """Return what the kernels said of ports: bridges, limits, whose error they received."""
    whole: dict[tuple[str, str], set[tuple[int, int]]] = defaultdict(set)
    seen: dict[tuple[str, str], set[int]] = defaultdict(set)
    for event in events:
        host, fields = host_of(event) or "", event.fields
        port, device = fields.get("pci", ""), fields.get("source", "")
        if event.signature in BRIDGES:
            first = int(fields["first"], 16)
            whole[host, port].add((first, int(fields.get("last", fields["first"]), 16)))
        elif event.signature in LIMITS:
            seen[host, fields.get("limiter", "")].add(bus_of(port))
        elif event.signature in RECEIVED and device:
            seen[host, port].add(bus_of(device))
    return Ports(
        whole={part: frozenset(spans) for part, spans in whole.items()},
        seen={part: frozenset(buses) for part, buses in seen.items()},
    )


def bus_of(pci: str) -> int:
    """Return the bus number of an address, -1 where it has none."""
    parts = pci.split(":")
    digits = parts[-2] if len(parts) >= 2 else ""
    return int(digits, 16) if digits and all(one in "0123456789abcdef" for one in digits) else -1
