"""How much of what the storage path could carry is used, against three denominators.

People correct denominators: what was entered from when on is kept, and a share says against what
it was computed.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from apps.training.storage_path.phases import PhaseKind

BITS_PER_BYTE: Final = 8


class DenominatorKind(StrEnum):
    """What a rate is divided by."""

    RATED = "rated"  # what the storage is rated at, for all nodes together
    ADAPTERS = "adapters"  # what the nodes' network adapters carry
    SLOTS = "slots"  # what the nodes' RPC slots allow


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedEntry:
    """What somebody entered: what the storage is rated at for saves or loads, from when on."""

    kind: PhaseKind
    bytes_per_second: float
    valid_from_seconds: float
    entered_seconds: float  # of two for one time the later entered counts
    entered_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageLink:
    """What lies between the nodes and the storage."""

    node_count: int
    adapter_bits_per_second: float = 200e9
    slot_bytes_per_second: float | None = None  # of one node, where it is known


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedShare:
    """A rate as a share of one denominator."""

    denominator: DenominatorKind
    denominator_bytes_per_second: float
    share: float
    entered_by: str = ""  # for what a person entered


def rated_at(
    history: Iterable[RatedEntry], *, kind: PhaseKind, at_seconds: float
) -> RatedEntry | None:
    """Return what the storage was rated at then, None where nobody had said."""
    held = [each for each in history if each.kind is kind and each.valid_from_seconds <= at_seconds]
    return max(
        held,
        key=lambda each: (
            each.valid_from_seconds,
            each.entered_seconds,
            each.bytes_per_second,
            each.entered_by,
        ),
        default=None,
    )


def rated_shares(
    *,
    kind: PhaseKind,
    bytes_per_second: float,
    at_seconds: float,
    history: Iterable[RatedEntry],
    link: StorageLink,
) -> tuple[RatedShare, ...]:
    """Return the rate of all nodes as a share of each denominator that is known."""
    rated = rated_at(history, kind=kind, at_seconds=at_seconds)
    adapters = link.node_count * link.adapter_bits_per_second / BITS_PER_BYTE
    slots = link.slot_bytes_per_second
    denominators = (
        (DenominatorKind.RATED, rated.bytes_per_second if rated else None),
        (DenominatorKind.ADAPTERS, adapters),
        (DenominatorKind.SLOTS, None if slots is None else slots * link.node_count),
    )
    return tuple(
        RatedShare(
            denominator=name,
            denominator_bytes_per_second=most,
            share=bytes_per_second / most,
            entered_by=rated.entered_by if rated and name is DenominatorKind.RATED else "",
        )
        for name, most in denominators
        if most
    )
