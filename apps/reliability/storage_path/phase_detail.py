"""One save or load from the rank to the server: where its requests waited, and what that fits."""

from collections.abc import Sequence
from typing import Final

from apps.reliability.storage_path.shares import shares_of
from apps.reliability.storage_path.values import CheckpointLedgerRow, PhaseDetail, ShownPhase
from apps.telemetry.facade.storage import StoragePhaseView
from apps.telemetry.storage_path.ratings import Rating, RatingKind, rating_at
from apps.training.storage_path.adapters import AdapterFinding, AdapterScene, adapter_reading
from apps.training.storage_path.phases import PhaseKind
from apps.training.storage_path.rated import BITS_PER_BYTE
from apps.training.storage_path.slots import (
    REQUEST_BYTES,
    SLOTS,
    SlotFinding,
    SlotScene,
    slot_reading,
)

HOSTS_SHOWN: Final = 100
NOT_KNOWN: Final = float("nan")  # compares as false: what is not known holds no condition


def phase_detail(
    *, shown: ShownPhase, ledger: Sequence[CheckpointLedgerRow], ratings: tuple[Rating, ...]
) -> PhaseDetail:
    """Return all that is known of a save or load."""
    phase, at = shown.phase, shown.phase.starts_at
    entered = rating_at(ratings, kind=RatingKind.SLOTS, at=at)
    size = rating_at(ratings, kind=RatingKind.REQUEST_BYTES, at=at)
    slot_count = entered.value if entered else phase.slots or SLOTS
    request_bytes = size.value if size else _measured_size(phase)
    finding = _finding(phase, slot_count, request_bytes)
    hosts = sorted(phase.hosts.rows(), key=lambda each: (-each.queue_seconds, each.host))
    return PhaseDetail(
        shown=shown,
        row=next((each for each in ledger if each.phase_id == phase.id), None),
        shares=shares_of(
            kind=PhaseKind(phase.kind),
            rate=phase.bytes_per_second,
            host_count=phase.host_count,
            ratings=ratings,
            at=at,
            slots=finding,
        )
        if phase.bytes_per_second and phase.host_count
        else (),
        slots=finding,
        adapter=_adapter(phase, ratings),
        slot_count=slot_count,
        is_slot_count_entered=entered is not None,
        request_bytes=request_bytes,
        is_flat_known=phase.quiet_response_seconds is not None,
        hosts=tuple(hosts[:HOSTS_SHOWN]),
    )


def _adapter(phase: StoragePhaseView, ratings: tuple[Rating, ...]) -> AdapterFinding | None:
    """Return whether the nodes' adapters were full, None where nobody tells what they carried.

    An assumed rating holds no condition: nobody is told to buy adapters for it.
    """
    carried, rate = phase.adapter_bytes_per_second, phase.bytes_per_second
    if not carried or not rate or not phase.host_count:
        return None
    entered = rating_at(ratings, kind=RatingKind.ADAPTER, at=phase.starts_at)
    return adapter_reading(
        AdapterScene(
            carried_bytes_per_second=carried,
            moved_bytes_per_second=rate / phase.host_count,
            rated_bytes_per_second=entered.value / BITS_PER_BYTE if entered else None,
        )
    )


def _measured_size(phase: StoragePhaseView) -> float:
    if phase.moved_bytes and phase.requests:
        return phase.moved_bytes / phase.requests
    return REQUEST_BYTES


def _finding(phase: StoragePhaseView, slots: float, request_bytes: float) -> SlotFinding | None:
    """Return what its requests are consistent with, None where too little is known of them."""
    rate, requests, hosts = phase.bytes_per_second, phase.requests, phase.host_count
    if not rate or not requests or not hosts or not phase.request_seconds:
        return None
    queue, whole = (phase.queue_seconds or 0.0) / requests, phase.request_seconds / requests
    if whole <= queue:
        return None
    has_sends = phase.backlog is not None and phase.sends
    quiet = phase.quiet_response_seconds
    return slot_reading(
        SlotScene(
            observed_bytes_per_second=rate / hosts,
            request_seconds=whole,
            queue_seconds=queue,
            backlog_requests=(phase.backlog or 0.0) / (phase.sends or 1.0) if has_sends else 0.0,
            response_seconds=(phase.response_seconds or 0.0) / requests,
            quiet_response_seconds=NOT_KNOWN if quiet is None else quiet,
            slots=round(slots),
            request_bytes=request_bytes,
        )
    )
