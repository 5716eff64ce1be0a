"""Between joining and ranking: who can't reach a peer is the victim of the peer that it names."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from apps.diagnosis.model import Event, Observation
from apps.diagnosis.observed import HostOf, canonical

# A completion with such a status tells of a silent other end, not of the end that prints it.
SILENT_PEER = frozenset({"12", "20"})
# A connection that ends so never got an answer; one that was closed or reset did.
UNANSWERED = ("timed out", "no route to host", "unreachable")
SOCKETS = frozenset({"nccl-socket-io-failed", "nccl-net-socket-peer", "nccl-socket-connect-failed"})
STORES = frozenset({"c10d-connect-failed", "c10d-connect-timeout"})
LEAST_NAMING = 2


def blamed(
    *,
    observations: Sequence[Observation],
    addresses: Mapping[str, str],
    hosts: frozenset[str],
    host_of: HostOf,
) -> list[Observation]:
    """Return the observations; what several hosts lost to one peer stands on that peer."""
    naming: dict[str, set[str]] = defaultdict(set)
    for one in observations:
        for event in one.events:
            peer, speaker = _peer(event, addresses, hosts), host_of(event)
            if peer and speaker and speaker != peer:
                naming[peer].add(speaker)
    most = max((len(by) for by in naming.values()), default=0)
    worst = {peer for peer, by in naming.items() if len(by) == most}
    if most < LEAST_NAMING or len(worst) > 1:
        return list(observations)
    (peer,) = worst
    return [
        replace(one, host=peer) if _is_about(one, peer, addresses, hosts) else one
        for one in observations
    ]


def _is_about(
    one: Observation, peer: str, addresses: Mapping[str, str], hosts: frozenset[str]
) -> bool:
    """Say whether most of an observation names the peer."""
    named = sum(_peer(event, addresses, hosts) == peer for event in one.events)
    return one.host != peer and 2 * named > len(one.events)


def _peer(event: Event, addresses: Mapping[str, str], hosts: frozenset[str]) -> str | None:
    """Return the host that a line calls silent, where it is one of the session."""
    said = event.fields.get("peer") or event.fields.get("addr") or ""
    if not said or not _is_silent(event):
        return None
    found = canonical(said.strip("[]"), addresses)
    return found if found in hosts else None


def _is_silent(event: Event) -> bool:
    if event.fields.get("wc_status") in SILENT_PEER or event.signature in STORES:
        return True
    text = event.line.text.lower()
    return event.signature in SOCKETS and any(words in text for words in UNANSWERED)
