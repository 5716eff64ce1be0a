"""Whose fault a lost connection is: the peer's that is named, not the victim's that prints it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from apps.diagnosis.model import Event, Hypothesis, Mark, Observation, Placement
from apps.diagnosis.observed import LOST_EACH_OTHER, HostOf, canonical, finding, rank_of
from apps.diagnosis.reasoning.observations.named_peers.other_end import (
    MEMBERS,
    OtherEnd,
    address_of,
    has_no_way_out,
    is_loopback,
    named_in,
    what_it_did,
)
from apps.diagnosis.reasoning.observations.named_peers.store_clients import settled
from apps.diagnosis.signatures.marks import marked

LEAST_NAMING = 2
VERSIONS = marked(Mark.VERSIONS_DIFFER)


def blamed(
    *,
    observations: Sequence[Observation],
    addresses: Mapping[str, str],
    hosts: frozenset[str],
    host_of: HostOf,
) -> list[Observation]:
    """Return the observations; what several hosts lost to one peer stands on that peer, and a
    connection that one host could not make stands on its other end.

    Where hosts that are named as often name each other, that is told of them beside.
    """
    observations, done = settled(observations=observations, addresses=addresses, host_of=host_of)
    naming = _naming(observations, addresses, hosts, host_of)
    most = max((len(by) for by in naming.values()), default=0)
    worst = {peer for peer, by in naming.items() if len(by) == most}
    if most < LEAST_NAMING or len(worst) > 1:
        tied = _lost_each_other(naming, worst)
        of_ends = [_of_other_end(one, naming, addresses, hosts) for one in observations]
        return [*of_ends, *tied, *done]
    (peer,) = worst
    of_ends = [
        replace(one, host=peer, hosts=(peer,))
        if _is_about(one, peer, addresses, hosts)
        else _of_other_end(one, naming, addresses, hosts)
        for one in observations
    ]
    return [*of_ends, *done]


def _of_other_end(
    one: Observation,
    naming: Mapping[str, Mapping[str, Sequence[Event]]],
    addresses: Mapping[str, str],
    hosts: frozenset[str],
) -> Observation:
    """Return an observation of failed connections as one of their other end.

    Who refuses is at the other end, even where nobody says who that is. Of an end that is silent
    it is known by its name alone, and only where the printer lost nobody else and has a way out.
    """
    # Beside a line that names it others tell no more than that it failed.
    did = {_did(event) for event in one.events} - {OtherEnd.UNTOLD}
    peers = {_peer(event, addresses, hosts) for event in one.events} - {one.host, None}
    peer = next(iter(peers), None) if len(peers) == 1 else None
    if did == {OtherEnd.REFUSED}:
        return replace(one, host=peer, hosts=(peer,) if peer else ())
    lost = {name for name, by in naming.items() if one.host is None or one.host in by}
    is_mutual = peer is not None and peer in naming.get(one.host or "", {})
    is_lost = did <= {OtherEnd.REFUSED, OtherEnd.SILENT} and lost == {peer} and not is_mutual
    is_closed = did == {OtherEnd.CLOSED} and one.host is not None
    return replace(one, host=peer, hosts=(peer,)) if peer and (is_lost or is_closed) else one


def _did(event: Event) -> OtherEnd | None:
    """Return what the other end of a socket did; None where the printer may be at fault as well, as
    of an adapter's retries.
    """
    did = what_it_did(event)
    if did is OtherEnd.UNTOLD:
        return did
    is_own = any(is_loopback(one) for one in named_in(event)) or has_no_way_out(event)
    return None if event.fields.get("wc_status") or is_own else did


def _naming(
    observations: Sequence[Observation],
    addresses: Mapping[str, str],
    hosts: frozenset[str],
    host_of: HostOf,
) -> dict[str, dict[str, list[Event]]]:
    """Return for each peer who lost it, with the lines that say so."""
    naming: dict[str, dict[str, list[Event]]] = defaultdict(lambda: defaultdict(list))
    for one in observations:
        for event in one.events:
            peer, speaker = _lost(event, addresses, hosts), host_of(event)
            if peer and speaker != peer:
                source = f"{event.line.origin.source}#{rank_of(event)}"
                naming[peer][speaker or source].append(event)
    return naming


def _lost_each_other(
    naming: Mapping[str, Mapping[str, Sequence[Event]]], worst: Set[str]
) -> list[Observation]:
    """Return what is told of each of the hosts that lost one another: none is named before."""
    told = {
        host: [e for peer in worst if host in naming[peer] for e in naming[peer][host]]
        for host in sorted(worst)
    }
    return [
        finding(LOST_EACH_OTHER, events, host=host)
        for host, events in told.items()
        if events and worst & naming[host].keys()
    ]


def is_tie(*, hypothesis: Hypothesis, hosts: Sequence[str]) -> bool:
    """Say whether a hypothesis stands on nothing but hosts that lost one another."""
    weighed = [one for one in hypothesis.supporting if one.strength > 0]
    tied = {one.host for one in weighed if one.family == LOST_EACH_OTHER}
    return len(tied) > 1 and set(hosts) <= tied and all(one.is_generic for one in weighed)


def at_odds(
    *, observations: Sequence[Observation], placements: Sequence[Placement]
) -> list[Observation]:
    """Return the observations; that a rank's library differs from the first one's is told by all
    and is about the host of that rank.
    """
    seats = {str(one.rank): one.host for one in placements}
    found: list[Observation] = []
    for one in observations:
        ranks = (one.fields.get("rank2", ""), one.fields.get("rank", ""))
        odd = next((rank for rank in ranks if rank not in {"", "0"}), "")
        host = seats.get(odd) if one.sign in VERSIONS else None
        found.append(replace(one, host=host, hosts=(host,)) if host else one)
    return found


def _is_about(
    one: Observation, peer: str, addresses: Mapping[str, str], hosts: frozenset[str]
) -> bool:
    """Say whether of the peers that an observation names most are this one."""
    named = [said for event in one.events if (said := _lost(event, addresses, hosts))]
    return one.host != peer and 2 * named.count(peer) > len(named)


def _lost(event: Event, addresses: Mapping[str, str], hosts: frozenset[str]) -> str | None:
    """Return the host that a line calls silent or refusing."""
    is_lost = what_it_did(event) in {OtherEnd.REFUSED, OtherEnd.SILENT}
    return _peer(event, addresses, hosts) if is_lost else None


def _peer(event: Event, addresses: Mapping[str, str], hosts: frozenset[str]) -> str | None:
    """Return the other end that a line names: a host of the session, or the address where nobody
    says whose it is.
    """
    if what_it_did(event) is OtherEnd.UNTOLD:
        return None
    for said in named_in(event):
        found = canonical(said, addresses)
        # Who keeps the store, or is called by its address, is of the session by that alone.
        is_of_session = found in hosts or event.signature in MEMBERS or address_of(said)
        if found and is_of_session and not is_loopback(said):
            return found
    return None
