"""What all requests of a process share on their way: limits, room, look-ups, refusals, turns."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings

from apps.operations.admission.bodies.body import Receive, Send
from apps.operations.admission.bodies.body_limits import Rooms
from apps.operations.admission.credentials import THREADS, Credentials
from apps.operations.admission.fair_queue import FairQueue
from apps.operations.admission.recent_refusals import RecentRefusals
from apps.operations.admission.sign_ins import SignIns

Application = Callable[[Any, Receive, Send], Awaitable[None]]
WAITING: Final = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissionLimits:
    """What the portal allows, from its settings."""

    body_bytes: int
    in_flight_bytes: int
    concurrent: int
    behind_proxy: bool


def limits_from_settings() -> AdmissionLimits:
    """Return the limits of this installation."""
    return AdmissionLimits(
        body_bytes=settings.PORTAL_MAX_BODY_BYTES,
        in_flight_bytes=settings.PORTAL_MAX_INFLIGHT_BYTES,
        # Two connections of the pool are left for what looks at credentials.
        concurrent=max(2, settings.PORTAL_POOL_SIZE - THREADS),
        behind_proxy=settings.PORTAL_TRUST_PROXY,
    )


class AdmissionState:
    """What all requests of a process share on their way: room, look-ups, refusals, turns."""

    def __init__(self, application: Application, *, limits: AdmissionLimits) -> None:
        self.application, self.limits = application, limits
        self.rooms = Rooms(body_bytes=limits.body_bytes, in_flight_bytes=limits.in_flight_bytes)
        self.credentials = Credentials()
        self.sign_ins = SignIns()
        self.refusals = RecentRefusals()
        # Nobody takes all of it: what is left is for who comes from elsewhere.
        each = max(1, limits.concurrent // 2)
        self.work = FairQueue(
            capacity=limits.concurrent, each=each, waiting=WAITING, each_waiting=WAITING // 4
        )
