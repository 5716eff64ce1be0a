"""Numbers in the Prometheus text format."""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One metric: what it is called, what kind it is, what it says."""

    name: str
    kind: str  # gauge counter histogram
    help: str

    def header(self) -> list[str]:
        """Return the lines in front of its samples."""
        return [f"# HELP {self.name} {self.help}", f"# TYPE {self.name} {self.kind}"]


@dataclass(slots=True, kw_only=True)
class Histogram:
    """How many were at most so long, and how long all of them together."""

    bounds: tuple[float, ...]
    counts: list[int] = field(default_factory=list)  # per interval, the last one open
    total: float = 0.0

    def __post_init__(self) -> None:
        """Begin with nothing."""
        self.counts = self.counts or [0] * (len(self.bounds) + 1)

    def add(self, value: float) -> None:
        """Count one."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def lines(self, name: str, **labels: str) -> list[str]:
        """Return its samples."""
        found, running = [], 0
        for bound, count in zip([*map(str, self.bounds), "+Inf"], self.counts, strict=True):
            running += count
            found.append(sample(f"{name}_bucket", running, **labels, le=bound))
        found.append(sample(f"{name}_sum", self.total, **labels))
        return [*found, sample(f"{name}_count", running, **labels)]


def sample(name: str, value: float, **labels: str) -> str:
    """Return one line."""
    told = ",".join(f'{key}="{_escaped(each)}"' for key, each in labels.items())
    return f"{name}{{{told}}} {value}" if told else f"{name} {value}"


def text(parts: Iterable[tuple[Family, Iterable[str]]]) -> str:
    """Return the whole page: each family's header and its samples."""
    lines = [line for family, samples in parts for line in (*family.header(), *samples)]
    return "\n".join(lines) + "\n"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
