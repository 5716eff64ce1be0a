"""From lines to the streams that collectors see: labels, prefixes, envelope times."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from apps.simulator.world.machines.cluster import CLUSTER, ZONE, SimulatedCluster
from apps.simulator.world.story import PrintedLine


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """Which stream a line belongs to."""

    stream: str
    host: str
    session: str | None = None
    attempt: int | None = None
    rank: int | None = None
    zone: str = ZONE

    @property
    def labels(self) -> dict[str, str]:
        """Return the labels of a push, marked as simulated."""
        labels = {
            "cluster": CLUSTER,
            "stream": self.stream,
            "host": self.host,
            "tz": self.zone,
            "simulated": "true",
        }
        if self.session is not None:
            labels |= {"session": self.session, "attempt": str(self.attempt)}
        if self.rank is not None:
            labels["rank"] = str(self.rank)
        return labels

    @property
    def path(self) -> str:
        """Return the file of the directory convention."""
        if self.stream == "session" and self.rank is not None:
            return f"session/{self.host}/rank{self.rank}.log"
        if self.stream == "scheduler":
            return "scheduler.log"
        return f"{self.stream}/{self.host}.log"


def key_of(*, cluster: SimulatedCluster, line: PrintedLine) -> Key:
    """Return the stream of a line."""
    attempt = line.attempt
    if attempt is None or line.stream not in {"session", "scheduler"}:
        node = cluster.by_name.get(line.host)
        return Key(stream=line.stream, host=line.host, zone=node.zone if node else "UTC")
    is_session = line.stream == "session"
    return Key(
        stream=line.stream,
        host=line.host,
        session=attempt.session,
        attempt=attempt.number,
        rank=line.rank if is_session and attempt.style.layout == "rank" else None,
        zone=attempt.zone(cluster.by_name[line.host]) if is_session else ZONE,
    )


def texts_of(line: PrintedLine) -> Iterator[str]:
    """Yield the physical lines of a record, with the prefix of a merged file."""
    layout = line.attempt.style.layout if line.attempt and line.stream == "session" else "rank"
    head = ""
    if layout == "srun" and line.rank is not None:
        head = f"{line.rank}: "
    elif layout == "tee" and line.rank is not None:
        head = f"[default{line.rank % 8}]:"
    for text in line.text.split("\n"):
        yield head + text


def envelope_ns(*, cluster: SimulatedCluster, line: PrintedLine, position: int) -> int:
    """Return the collector's stamp in nanoseconds: the host's clock, a little after the print."""
    node = cluster.by_name.get(line.host)
    offset = node.clock_offset_seconds if node else 0.0
    return int((line.at + offset + 0.05) * 1e6) * 1000 + position


def grouped(
    *, cluster: SimulatedCluster, lines: Iterable[PrintedLine]
) -> dict[Key, list[tuple[int, str]]]:
    """Return (envelope time, text) per stream, in the order of the lines."""
    found: dict[Key, list[tuple[int, str]]] = {}
    for line in lines:
        rows = found.setdefault(key_of(cluster=cluster, line=line), [])
        for position, text in enumerate(texts_of(line)):
            rows.append((envelope_ns(cluster=cluster, line=line, position=position), text))
    return found
