"""What a client's RPC slots allow, and what slow saves are consistent with.

By Little's law a mount moves at most slots x bytes of a request / time that the server takes. The
504-GPU study first put its slow saves down to 128 slots and later no longer did: requests queue and
the transport backs up together, which a full slot table does, and other things, too. Both readings
are judged here, and neither is called the cause.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

SLOTS, REQUEST_BYTES = 128, 2**20
# A bound that is this far from what is seen explains nothing.
LEAST_RATIO, MOST_RATIO = 0.5, 2.0
FLAT_RISE: Final = 0.25  # of the server's response while clients queue
QUEUED_SHARE: Final = 0.5


class SlotReading(StrEnum):
    """What slow requests are consistent with."""

    SLOT_LIMIT = "slot-limit"  # the client's slots are full, the server answers as ever
    QUEUEING = "queueing"  # requests queue and the transport backs up; by what, stays open
    NEITHER = "neither"


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotScene:
    """What was measured of one node's mount while it saved or loaded."""

    observed_bytes_per_second: float
    request_seconds: float  # mean, from the program's view
    queue_seconds: float  # mean, of that in the client's queue
    backlog_requests: float  # mean, waiting for the transport
    response_seconds: float  # mean, of the server
    quiet_response_seconds: float  # the same while little is asked
    slots: int = SLOTS
    request_bytes: float = REQUEST_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotFinding:
    """The bound, and which of the conditions hold."""

    bound_bytes_per_second: float
    observed_share: float  # of the bound
    is_near_bound: bool
    has_backlog: bool
    is_server_flat: bool
    is_queueing: bool  # most of a request's time
    reading: SlotReading


def slot_bound(
    *, slots: int = SLOTS, request_bytes: float = REQUEST_BYTES, served_seconds: float
) -> float:
    """Return the most bytes per second that the slots of one mount allow.

    `served_seconds` is a request's time without its queueing. Raises ValueError if it is not above
    0.
    """
    if served_seconds <= 0:
        raise ValueError("a request without time outside of the queue has no bound")
    return slots * request_bytes / served_seconds


def slot_reading(scene: SlotScene) -> SlotFinding:
    """Return what a mount's requests are consistent with; raises ValueError as `slot_bound`."""
    bound = slot_bound(
        slots=scene.slots,
        request_bytes=scene.request_bytes,
        served_seconds=scene.request_seconds - scene.queue_seconds,
    )
    share = scene.observed_bytes_per_second / bound
    is_near = share > 0 and LEAST_RATIO <= 1 / share <= MOST_RATIO
    has_backlog = scene.backlog_requests > 0
    is_flat = scene.response_seconds <= (1 + FLAT_RISE) * scene.quiet_response_seconds
    is_queueing = scene.queue_seconds > QUEUED_SHARE * scene.request_seconds
    return SlotFinding(
        bound_bytes_per_second=bound,
        observed_share=share,
        is_near_bound=is_near,
        has_backlog=has_backlog,
        is_server_flat=is_flat,
        is_queueing=is_queueing,
        reading=_reading(
            is_slots=is_near and has_backlog and is_flat, is_queue=is_queueing and has_backlog
        ),
    )


def _reading(*, is_slots: bool, is_queue: bool) -> SlotReading:
    if is_slots:
        return SlotReading.SLOT_LIMIT
    return SlotReading.QUEUEING if is_queue else SlotReading.NEITHER
