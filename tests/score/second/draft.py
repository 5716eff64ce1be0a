"""What was said when, by whom: a session before any collector wrote it down."""

from dataclasses import dataclass, field
from random import Random

from tests.score.second.rig import Rig, RigHost

# Levels of syslog, as journald numbers them.
ERR, WARNING, INFO = 3, 4, 6


@dataclass(frozen=True, slots=True, kw_only=True)
class RankLine:
    """A line of a rank's output, or of the launcher's on a host (rank -1) or of all (host -1)."""

    at: float
    rank: int
    place: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HostLine:
    """A line of a host's system log."""

    at: float
    place: int
    tag: str  # "kernel" or a daemon
    text: str
    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FabricLine:
    """A line of a switch or of the subnet manager, stamped already."""

    at: float
    device: str
    text: str


@dataclass(slots=True, kw_only=True)
class SessionDraft:
    """A session as it happens. `now` ends it: no rank speaks of later steps."""

    rng: Random
    rig: Rig
    stops: float  # when steps stop
    ends: float = 0.0  # when the last of its processes is gone
    spoken: list[RankLine] = field(default_factory=list)
    system: list[HostLine] = field(default_factory=list)
    fabric: list[FabricLine] = field(default_factory=list)
    control: list[tuple[float, str]] = field(default_factory=list)  # the scheduler's own log
    pod_events: list[tuple[float, str, str, str, str]] = field(default_factory=list)
    fates: dict[int, tuple[str, int]] = field(default_factory=dict)  # place → words, exit code
    has_steps: bool = False  # whether progress was told
    decoys: list[str] = field(default_factory=list)
    silent_after: dict[int, float] = field(default_factory=dict)  # place → its last moment
    rebooted: dict[int, float] = field(default_factory=dict)  # place → when it came back

    def say(self, at: float, rank: int, *lines: str) -> None:
        """Let a rank print lines at a moment."""
        place = self.rig.host_of(rank).place
        self.spoken.extend(RankLine(at=at, rank=rank, place=place, text=text) for text in lines)

    def launch(self, at: float, place: int, *lines: str) -> None:
        """Let the launcher print lines: of a host, or the one of all (-1)."""
        self.spoken.extend(RankLine(at=at, rank=-1, place=place, text=text) for text in lines)

    def kernel(self, at: float, place: int, *lines: str, level: int = ERR) -> None:
        """Let a host's kernel print lines."""
        self.daemon(at, place, "kernel", *lines, level=level)

    def daemon(self, at: float, place: int, tag: str, *lines: str, level: int = INFO) -> None:
        """Let a daemon of a host print lines."""
        for number, text in enumerate(lines):
            moment = at + number * 0.000_07
            self.system.append(HostLine(at=moment, place=place, tag=tag, text=text, level=level))

    def event(self, at: float, kind: str, reason: str, about: str, text: str) -> None:
        """Record an event of Kubernetes."""
        self.pod_events.append((at, kind, reason, about, text))

    def clock(self, at: float, place: int) -> float:
        """Return what a host's clock shows at a moment."""
        return at + self.rig.hosts[place].ahead

    def own_clock(self, at: float, rank: int) -> float:
        """Return what the clock of a rank's host shows."""
        return self.clock(at, self.rig.host_of(rank).place)

    def soon(self, least: float, most: float) -> float:
        """Draw a delay in seconds."""
        return self.rng.uniform(least, most)

    def victim(self) -> tuple[RigHost, int]:
        """Draw a host and one of its ranks."""
        rank = self.rng.randrange(self.rig.size)
        return self.rig.host_of(rank), rank

    def others(self, place: int) -> list[int]:
        """Return the ranks of all other hosts."""
        return [one for one in range(self.rig.size) if self.rig.host_of(one).place != place]

    def hexed(self, digits: int) -> str:
        """Draw a number in hexadecimal digits."""
        return f"{self.rng.getrandbits(4 * digits):0{digits}x}"
