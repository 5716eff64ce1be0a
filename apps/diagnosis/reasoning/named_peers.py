"""Between joining and ranking: who ran out of retries is the victim of the peer that it names."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from apps.diagnosis.model import Observation

# A completion with such a status tells of a silent other end, not of the end that prints it.
SILENT_PEER = frozenset({"12", "20"})
LEAST_NAMING = 2


def blamed(
    *, observations: Sequence[Observation], addresses: Mapping[str, str], hosts: frozenset[str]
) -> list[Observation]:
    """Return the observations; retries that several hosts lost to one peer stand on that peer."""
    naming: dict[str, set[str]] = defaultdict(set)
    for one in observations:
        peer = _peer(one, addresses, hosts)
        if peer and one.host and one.host != peer:
            naming[peer].add(one.host)
    most = max((len(by) for by in naming.values()), default=0)
    worst = {peer for peer, by in naming.items() if len(by) == most}
    if most < LEAST_NAMING or len(worst) > 1:
        return list(observations)
    return [
        replace(one, host=peer)
        if (peer := _peer(one, addresses, hosts)) in worst and one.host != peer
        else one
        for one in observations
    ]


def _peer(one: Observation, addresses: Mapping[str, str], hosts: frozenset[str]) -> str | None:
    said = one.fields.get("peer", "")
    if one.fields.get("wc_status") not in SILENT_PEER or not said:
        return None
    found = addresses.get(said) or said.split(".", 1)[0]
    return found if found in hosts else None
