"""How much a client's RPC slots can carry, and whether what is seen is consistent with that."""

from dataclasses import dataclass

MIB = 1024**2
# Predicted and observed may differ this much: sizes and service times are means.
LEAST, MOST = 0.5, 2.0
# A server that takes at most this much longer than usual answers as ever.
FLAT = 1.2


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotBound:
    """Little's law on one client's mount: slots in flight, each served in its time."""

    slots: float
    bytes_a_request: float
    service_seconds: float  # of the network and the server, waiting in the client left out
    observed_bytes_a_second: float
    backlog: float  # requests that wait for a slot
    usual_service_seconds: float | None = None

    @property
    def bytes_a_second(self) -> float | None:
        """The most that the slots can carry; None where no time is known."""
        if self.service_seconds <= 0:
            return None
        return self.slots * self.bytes_a_request / self.service_seconds

    @property
    def is_response_flat(self) -> bool | None:
        """Whether the server answers as ever; None where nothing is known of before."""
        if not self.usual_service_seconds:
            return None
        return self.service_seconds <= FLAT * self.usual_service_seconds

    @property
    def is_consistent(self) -> bool:
        """Whether the slots may be what limits: never more than `consistent with`."""
        bound = self.bytes_a_second
        if bound is None or self.observed_bytes_a_second <= 0 or self.backlog <= 0:
            return False
        is_near = LEAST <= bound / self.observed_bytes_a_second <= MOST
        return is_near and self.is_response_flat is not False

    @property
    def wording(self) -> str:
        """One sentence."""
        bound = self.bytes_a_second
        if bound is None:
            return "no service time is known, so nothing can be said of the slots"
        told = (
            f"{self.slots:.0f} slots of {self.bytes_a_request / MIB:.2g} MiB at "
            f"{self.service_seconds * 1e3:.0f} ms carry {bound / 1e9:.2f} GB/s a client; "
            f"{self.observed_bytes_a_second / 1e9:.2f} GB/s were seen"
        )
        verdict = "consistent with" if self.is_consistent else "not explained by"
        return f"{told}: {verdict} the slot limit"
