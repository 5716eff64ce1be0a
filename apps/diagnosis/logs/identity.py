"""Which global rank a process of a host is.

NCCL prints host and pid on every line, but the rank only once; so does Ray, which lists its workers
when they start.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from apps.diagnosis.input_values import rank_number
from apps.diagnosis.model import LogLine

INIT = re.compile(
    r"\bcomm 0x[0-9a-f]{1,16} rank (\d{1,7}) nranks (\d{1,7}) .{0,60}busId ([0-9a-f]{1,9})\b"
    r".{0,60} - Init ",
    re.ASCII,
)
MARK = " - Init "
# Keeps the stored state small; a source rarely holds more than the processes of some nodes.
PROCESS_LIMIT = 800
WIDTH_LIMIT = 8


@dataclass(slots=True)
class Process:
    """The widest communicator a process joined, its rank there, and the GPU it sat on."""

    rank: int
    world_size: int
    seat: str


@dataclass(slots=True)
class Identities:
    """(host, pid) → global rank, for one source, where that is certain.

    A rank counts as global only inside the widest communicator of the source. If two GPUs claim one
    rank there, these are groups, whose ranks are local; the same GPU again is a restart. A single
    process in communicators of several widths may not have joined the widest of the job.
    """

    processes: dict[str, Process] = field(default_factory=dict)
    seats: dict[int, str] = field(default_factory=dict)  # rank → GPU, in the widest communicator
    widths: list[int] = field(default_factory=list)
    is_grouped: bool = False
    workers: dict[str, int] = field(default_factory=dict)  # "host:pid" → rank, as Ray lists them

    @property
    def world_size(self) -> int:
        """Return the width of the widest communicator."""
        return max(self.widths, default=0)

    def note_worker(self, *, said: Mapping[str, str]) -> None:
        """Remember what a line of Ray's list of workers says."""
        rank = rank_number(said.get("rank"))
        if rank is not None and len(self.workers) < PROCESS_LIMIT:
            self.workers[f"{said['host']}:{said['pid']}"] = rank

    def worker(self, *, host: str | None, pid: int) -> tuple[str, int] | None:
        """Return host and rank of a worker of Ray, whose node it leaves out where that is its
        driver's; None where several have that number.
        """
        rank = self.workers.get(f"{host}:{pid}")
        if host is not None:
            return None if rank is None else (host, rank)
        found = [(key, rank) for key, rank in self.workers.items() if key.endswith(f":{pid}")]
        return (found[0][0].rpartition(":")[0], found[0][1]) if len(found) == 1 else None

    def note(self, *, host: str | None, pid: int | None, text: str) -> bool:
        """Remember what a set-up line says; return whether anyone's rank may have changed."""
        match = INIT.search(text)
        if match is None or host is None or pid is None:
            return False
        before = self._certainty()
        rank, width, seat = int(match[1]), int(match[2]), f"{host}/{match[3]}"
        if width not in self.widths:
            self._widen(width)
        key = f"{host}:{pid}"
        known = self.processes.get(key)
        if width == self.world_size:
            self.is_grouped |= self.seats.setdefault(rank, seat) != seat
            self.is_grouped |= bool(known and known.world_size == width and known.rank != rank)
        if known is None or width > known.world_size:
            self.processes[key] = Process(rank=rank, world_size=width, seat=seat)
            self._forget()
            return True
        return before != self._certainty()

    def _forget(self) -> None:
        while len(self.processes) > PROCESS_LIMIT:
            gone = self.processes.pop(next(iter(self.processes)))
            self.seats.pop(gone.rank, None)

    def _certainty(self) -> tuple[bool, int, bool]:
        return self.is_grouped, len(self.widths), len(self.seats) > 1

    def _widen(self, width: int) -> None:
        if width > self.world_size:
            self.seats, self.is_grouped = {}, False
        self.widths = sorted([*self.widths, width])[-WIDTH_LIMIT:]

    def rank_of(self, *, host: str | None, pid: int | None) -> int | None:
        """Return the global rank of a process, None unless it is certain."""
        known = self.processes.get(f"{host}:{pid}")
        if known is None or self.is_grouped or known.world_size != self.world_size:
            return None
        return known.rank if len(self.seats) > 1 or len(self.widths) == 1 else None

    def named(self, line: LogLine) -> LogLine:
        """Return `line` with the global rank of its process, where only that is known."""
        if line.rank is not None or line.pid is None:
            return line
        if worker := self.worker(host=line.host, pid=line.pid):
            return replace(line, host=worker[0], rank=worker[1])
        rank = self.rank_of(host=line.host, pid=line.pid)
        return line if rank is None else replace(line, rank=rank)

    def dump(self) -> list[object]:
        """Return plain values for a state that can be stored."""
        processes = [
            [key, one.rank, one.world_size, one.seat] for key, one in self.processes.items()
        ]
        return [self.is_grouped, self.widths, processes, self.workers]

    @classmethod
    def restored(
        cls,
        *,
        is_grouped: bool,
        widths: Sequence[int],
        processes: Sequence[Sequence[object]],
        workers: Mapping[str, int],
    ) -> "Identities":
        """Return the identities of a former `dump`."""
        found = cls(widths=list(widths), is_grouped=is_grouped, workers=dict(workers))
        for key, rank, width, seat in processes:
            one = Process(rank=int(str(rank)), world_size=int(str(width)), seat=str(seat))
            found.processes[str(key)] = one
            if one.world_size == found.world_size:
                found.seats.setdefault(one.rank, one.seat)
        return found
