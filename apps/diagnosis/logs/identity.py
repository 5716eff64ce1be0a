"""Which global rank a process of a host is: NCCL prints host and pid on every line, the rank only
once."""

import re
from dataclasses import dataclass, field

INIT = re.compile(
    r"\bcomm (0x[0-9a-f]{1,16}) rank (\d{1,7}) nranks (\d{1,7}) "
    r".{0,200}commId (0x[0-9a-f]{1,16}) - Init ",
    re.ASCII,
)
# Keeps the stored state small; a source rarely holds more than one session's processes of some
# nodes.
PROCESS_LIMIT = 800


@dataclass(slots=True)
class Process:
    """The widest communicator a process joined, and its rank there."""

    rank: int
    world_size: int


@dataclass(slots=True)
class Identities:
    """(host, pid) → global rank, for one source.

    A rank counts as global only inside the widest communicator of the source, and only while no
    second
    communicator of that width is seen: several of one width are groups, whose ranks are local.
    """

    processes: dict[str, Process] = field(default_factory=dict)
    world_size: int = 0
    communicators: set[str] = field(default_factory=set)

    def note(self, *, host: str | None, pid: int | None, text: str) -> None:
        """Remember what an `Init START` or `Init COMPLETE` line says about its process."""
        match = INIT.search(text)
        if match is None or host is None or pid is None:
            return
        rank, world_size, communicator = int(match[2]), int(match[3]), match[4]
        key = f"{host}:{pid}"
        known = self.processes.get(key)
        if known is None or world_size > known.world_size:
            self.processes[key] = Process(rank=rank, world_size=world_size)
        if world_size > self.world_size:
            self.world_size, self.communicators = world_size, {communicator}
        elif world_size == self.world_size and len(self.communicators) < 2:
            self.communicators.add(communicator)
        while len(self.processes) > PROCESS_LIMIT:
            del self.processes[next(iter(self.processes))]

    def rank_of(self, *, host: str | None, pid: int | None) -> int | None:
        """Return the global rank of a process, None unless it is certain."""
        if len(self.communicators) != 1:
            return None
        known = self.processes.get(f"{host}:{pid}")
        return known.rank if known and known.world_size == self.world_size else None

    def dump(self) -> list[object]:
        """Return plain values for a state that can be stored."""
        return [
            self.world_size,
            sorted(self.communicators),
            [[key, one.rank, one.world_size] for key, one in self.processes.items()],
        ]

    @classmethod
    def restored(cls, *, dump: list[object]) -> "Identities":
        """Return the identities of a former `dump`."""
        world_size, communicators, processes = dump
        found = cls(world_size=int(str(world_size)))
        if isinstance(communicators, list) and isinstance(processes, list):
            found.communicators = {str(one) for one in communicators}
            found.processes = {
                str(key): Process(rank=int(rank), world_size=int(size))
                for key, rank, size in processes
            }
        return found
