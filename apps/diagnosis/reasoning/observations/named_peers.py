"""Between joining and ranking: who can't reach a peer is the victim of the peer that it names."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from ipaddress import ip_address

from apps.diagnosis.model import Event, Hypothesis, Mark, Observation, Placement
from apps.diagnosis.observed import (
    LOST_EACH_OTHER,
    SILENT_PEER,
    HostOf,
    canonical,
    finding,
    rank_of,
)
from apps.diagnosis.signatures.marks import marked

# A connection that ends so never got an answer; one that was closed or reset did.
UNANSWERED = ("timed out", "no route to host", "unreachable")
SOCKETS = marked(Mark.PEER_SOCKET)
# `peer 10.0.0.7<40112>` in the words of NCCL.
PEER = re.compile(r"\bpeer \[?(?P<peer>[\w.:%-]{1,253})\]?<\d{1,5}>", re.ASCII)
STORES = marked(Mark.STORE_SOCKET)
LEAST_NAMING = 2
VERSIONS = marked(Mark.VERSIONS_DIFFER)


def blamed(
    *,
    observations: Sequence[Observation],
    addresses: Mapping[str, str],
    hosts: frozenset[str],
    host_of: HostOf,
) -> list[Observation]:
    """Return the observations; what several hosts lost to one peer stands on that peer.

    Where hosts that are named as often name each other, that is told of them beside.
    """
    naming = _naming(observations, addresses, hosts, host_of)
    most = max((len(by) for by in naming.values()), default=0)
    worst = {peer for peer, by in naming.items() if len(by) == most}
    if most < LEAST_NAMING or len(worst) > 1:
        return [*observations, *_lost_each_other(naming, worst)]
    (peer,) = worst
    return [
        replace(one, host=peer, hosts=(peer,)) if _is_about(one, peer, addresses, hosts) else one
        for one in observations
    ]


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
            peer, speaker = _peer(event, addresses, hosts), host_of(event)
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
    named = [said for event in one.events if (said := _peer(event, addresses, hosts))]
    return one.host != peer and 2 * named.count(peer) > len(named)


def _peer(event: Event, addresses: Mapping[str, str], hosts: frozenset[str]) -> str | None:
    """Return the host that a line calls silent: one of the session, or the address where nobody
    says whose it is.
    """
    said = event.fields.get("peer") or event.fields.get("addr") or ""
    if not said and event.signature in SOCKETS:
        match = PEER.search(event.line.text)
        said = match["peer"] if match else ""
    if not said or not _is_silent(event):
        return None
    found = canonical(said.strip("[]"), addresses)
    # Who keeps the store, or is called by its address, is of the session by that alone.
    is_of_session = found in hosts or event.signature in STORES or _is_address(said)
    return found if is_of_session and not _is_loopback(said) else None


def _is_address(said: str) -> bool:
    try:
        return bool(ip_address(said.strip("[]").partition("%")[0]))
    except ValueError:
        return False


def _is_loopback(said: str) -> bool:
    return said.startswith("localhost") or (
        _is_address(said) and ip_address(said.strip("[]").partition("%")[0]).is_loopback
    )


def _is_silent(event: Event) -> bool:
    if event.fields.get("wc_status") in SILENT_PEER or event.signature in STORES:
        return True
    text = event.line.text.lower()
    return event.signature in SOCKETS and any(words in text for words in UNANSWERED)
