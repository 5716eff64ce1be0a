"""Whom lines name as the peer that went away."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from apps.diagnosis.input_values import is_whole_number
from apps.diagnosis.model import Event, Mark, Topology
from apps.diagnosis.signatures.marks import marked

UNANSWERED = marked(Mark.UNANSWERED)
NAMES_PEER = marked(Mark.NAMES_PEER)

LOOPBACK = ("127.", "::1", "::ffff:127.", "[::1", "localhost")


def named_hosts(*, events: Sequence[Event], addresses: Mapping[str, str]) -> Counter[str]:
    """Count how many different hosts or ranks name each host as the peer that went away."""
    naming: dict[str, set[str]] = defaultdict(set)
    for event in events:
        peer = _peer(event)
        if not peer:
            continue
        name = addresses.get(peer) or addresses.get(peer.split(".", 1)[0]) or peer.split(".", 1)[0]
        if not is_whole_number(name):
            speaker = event.line.host or event.line.origin.host or str(event.line.rank)
            naming[name].add(speaker)
    return Counter({name: len(by - {name}) for name, by in naming.items() if by - {name}})


def by_named_peer(*, events: Sequence[Event], topology: Topology) -> set[int]:
    """Return the ranks on the host that most others name, none where several are named as often:
    two that lost each other tell nothing of who went away.
    """
    named = named_hosts(events=events, addresses=topology.aliases)
    most = max(named.values(), default=0)
    worst = {host for host, count in named.items() if count == most}
    return {one.rank for one in topology.placements if len(worst) == 1 and one.host in worst}


def _peer(event: Event) -> str | None:
    """Return whom a line names as gone, by name or address."""
    if event.signature in NAMES_PEER:
        peer = event.fields.get("peer")
        # An address that every host has names none.
        return None if peer and peer.startswith(LOOPBACK) else peer
    is_unanswered = event.fields.get("section", "INCOMPLETE") == "INCOMPLETE"
    return event.fields.get("host") if event.signature in UNANSWERED and is_unanswered else None
