"""Whose fault it is that the store was not reached: its own, or that of the one who could not."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from apps.diagnosis.input_values import whole_number
from apps.diagnosis.model import Event, Mark, Observation
from apps.diagnosis.observed import HostOf, canonical
from apps.diagnosis.reasoning.observations.named_peers.other_end import STORES, named_in
from apps.diagnosis.signatures.marks import marked

WAITS = marked(Mark.STORE_WAIT)
ITSELF = 1  # the store's own process is counted among its clients


def settled(
    *, observations: Sequence[Observation], addresses: Mapping[str, str], host_of: HostOf
) -> tuple[list[Observation], list[Observation]]:
    """Return the observations whose other end may be at fault, and those that are settled.

    Who waits at the store for others reached it, and tells nothing of its own host. Where others
    reached it, or it counts clients, it is the one that did not that stands apart.
    """
    waits = [event for one in observations if one.sign in WAITS for event in one.events]
    served = {host for event in waits if (host := host_of(event)) is not None}
    counted = any((whole_number(e.fields.get("joined")) or 0) > ITSELF for e in waits)
    open_, done = [], []
    for one in observations:
        if one.sign in WAITS:
            done.append(replace(one, host=None, hosts=()))
        elif (
            one.sign in STORES
            and one.host
            and _is_alone(one, served, addresses, is_counted=counted)
        ):
            done.append(one)
        else:
            open_.append(one)
    return open_, done


def _is_alone(
    one: Observation, served: Set[str], addresses: Mapping[str, str], *, is_counted: bool
) -> bool:
    """Say whether somebody beside this host and the store's own reached the store."""
    stores = {name for event in one.events for name in _stores(event, addresses)}
    return one.host not in served | stores and (is_counted or bool(served - stores))


def _stores(event: Event, addresses: Mapping[str, str]) -> list[str]:
    return [name for said in named_in(event) if (name := canonical(said, addresses)) is not None]
