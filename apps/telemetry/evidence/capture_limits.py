"""What is to be captured of an incident, and within which limits."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from apps.diagnosis.detection.metrics.frames import Grid
from apps.diagnosis.detection.metrics.identity import NamedDevice
from apps.telemetry.metrics.pulls import signal_reading
from apps.telemetry.models import EvidenceCapture, Source

# How long a source is asked for one incident: a quick look at once, the rest when it is over.
SECONDS: Final[Mapping[int, float]] = {1: 6.0, 2: 9.0}
MAX_BYTES: Final = 20 * 2**20  # of one incident, all its sources together
HOSTLESS: Final = frozenset({"server", "switch"})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CaptureOrder:
    """What is to be kept, of which hosts, and within which limits."""

    capture: EvidenceCapture
    source: Source
    names: signal_reading.Names
    grid: Grid
    suspects: frozenset[str]
    peers: frozenset[str]
    shared: tuple[str, ...] = ()  # file systems and servers under suspicion
    linked: frozenset[str] = frozenset()  # hosts at a switch under suspicion
    parts: tuple[NamedDevice, ...] = ()  # what sat in the hosts then
    seconds: float = sum(SECONDS.values())
    room: int = MAX_BYTES
