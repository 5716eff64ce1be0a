"""How much of what is there saves and loads use, against what people entered."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from apps.reliability.storage_path.values import KindShares, ShownPhase
from apps.telemetry.facade.storage import StoragePhaseView
from apps.telemetry.storage_path.ratings import Rating, RatingKind, rating_at
from apps.training.storage_path.phases import PhaseKind
from apps.training.storage_path.rated import RatedEntry, RatedShare, StorageLink, rated_shares
from apps.training.storage_path.slots import SlotFinding

ADAPTER_BITS_PER_SECOND: Final = 200e9  # of the study's nodes: assumed until somebody enters it


def kind_shares(
    *, phases: Sequence[ShownPhase], ratings: tuple[Rating, ...], at: datetime
) -> tuple[KindShares, ...]:
    """Return the mean of all saves and of all loads, weighed by how long each lasted."""
    found = []
    for kind in PhaseKind:
        mine = [each.phase for each in phases if each.phase.kind == kind and _is_whole(each.phase)]
        seconds = sum(each.seconds for each in mine)
        if seconds <= 0:
            continue
        rate = sum(each.moved_bytes or 0.0 for each in mine) / seconds
        hosts = max(each.host_count or 0 for each in mine)
        found.append(
            KindShares(
                kind=kind,
                bytes_per_second=rate,
                host_count=hosts,
                phase_count=len(mine),
                shares=shares_of(
                    kind=kind, rate=rate, host_count=hosts, ratings=ratings, at=at, slots=None
                ),
                is_adapter_assumed=is_adapter_assumed(ratings, at),
            )
        )
    return tuple(found)


def shares_of(
    *,
    kind: PhaseKind,
    rate: float,
    host_count: int,
    ratings: tuple[Rating, ...],
    at: datetime,
    slots: SlotFinding | None,
) -> tuple[RatedShare, ...]:
    """Return a rate of all hosts as a share of each denominator that is known then."""
    adapter = rating_at(ratings, kind=RatingKind.ADAPTER, at=at)
    return rated_shares(
        kind=kind,
        bytes_per_second=rate,
        at_seconds=at.timestamp(),
        history=(_entry(each) for each in ratings if each.kind == kind.value),
        link=StorageLink(
            node_count=host_count,
            adapter_bits_per_second=adapter.value if adapter else ADAPTER_BITS_PER_SECOND,
            slot_bytes_per_second=slots.bound_bytes_per_second if slots else None,
        ),
    )


def is_adapter_assumed(ratings: tuple[Rating, ...], at: datetime) -> bool:
    """Say whether nobody entered what the adapters carry."""
    return rating_at(ratings, kind=RatingKind.ADAPTER, at=at) is None


def _is_whole(phase: StoragePhaseView) -> bool:
    return phase.moved_bytes is not None and phase.seconds > 0


def _entry(rating: Rating) -> RatedEntry:
    return RatedEntry(
        kind=PhaseKind(rating.kind.value),
        bytes_per_second=rating.value,
        valid_from_seconds=rating.valid_from.timestamp(),
        entered_seconds=rating.entered_at.timestamp(),
        entered_by=f"{rating.entered_by}, {rating.organization.name}",
    )
