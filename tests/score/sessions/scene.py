"""Who says what when. True time in Unix seconds; stamps are made with the speaker's own clock."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from random import Random

from tests.score.sessions.cluster import GPUS, Host, World, wall


@dataclass(frozen=True, slots=True)
class Utterance:
    """A text of one voice: formatted at `at`, written to its pipe at `written`."""

    written: float
    order: int
    at: float
    kind: str  # rank agent job kernel scheduler fabric storage bmc
    place: int  # of the host; -1 where there is none
    rank: int
    text: str
    is_error: bool = True


@dataclass(slots=True)
class Scene:
    """A session while it is told."""

    rng: Random
    world: World
    said: list[Utterance] = field(default_factory=list)
    decoys: list[str] = field(default_factory=list)
    dead: dict[int, float] = field(default_factory=dict)  # rank → when it fell silent
    cuts: dict[int, float] = field(default_factory=dict)  # host → when its pipes broke
    quiet_kernels: dict[int, tuple[float, float]] = field(default_factory=dict)  # host → span
    ends_at: float = 0.0  # of the collection, set when the story is over
    sequence: int = 1  # of the last collective that everybody finished
    attempt: int = 0
    total: int = 50000  # steps of the whole training
    stopped_at: float = 0.0  # end of the last step that everybody finished
    prelude: Callable[["Scene", float], float] | None = None  # an earlier attempt, told first

    def rank(
        self, rank: int, at: float, text: str, *, late: float = 0.0, is_error: bool = True
    ) -> None:
        """Let a rank say something, unless it is dead; `late`: flushed that much later."""
        if at < self.dead.get(rank, float("inf")):
            self._add("rank", rank // GPUS, rank, at, late, text, is_error=is_error)

    def ranks(self, ranks: Iterable[int], at: float, text: str, *, spread: float = 0.3) -> None:
        """Let several ranks say the same within `spread` seconds."""
        for rank in ranks:
            self.rank(rank, at + self.rng.uniform(0, spread), text)

    def agent(self, place: int, at: float, text: str) -> None:
        """Let the launcher on a host say something."""
        self._add("agent", place, -1, at, 0.0, text)

    def job(self, at: float, text: str, *, place: int = 0) -> None:
        """Let srun, slurmstepd or the job script write into the job's output."""
        self._add("job", place, -1, at, 0.0, text)

    def kernel(self, place: int, at: float, *texts: str) -> None:
        """Let the kernel of a host say something, a line each."""
        for number, text in enumerate(texts):
            self._add("kernel", place, -1, at + number * 2e-5, 0.0, text)

    def scheduler(self, at: float, text: str, *, place: int = -1) -> None:
        """Let the scheduler's own log say something; the text carries no stamp yet."""
        self._add("scheduler", place, -1, at, 0.0, text)

    def stream(self, kind: str, at: float, text: str, *, place: int = -1) -> None:
        """Let another voice (fabric, storage, bmc) say something."""
        self._add(kind, place, -1, at, 0.0, text)

    def silence(self, ranks: Iterable[int], at: float) -> None:
        """Let ranks say nothing from then on."""
        for rank in ranks:
            self.dead[rank] = min(at, self.dead.get(rank, at))

    def local(self, place: int, at: float) -> datetime:
        """Return what the session's processes on a host print as time, naive."""
        return wall(at=at, zone=self.world.session_zone, offset=self.world.hosts[place].offset)

    def host(self, rank: int) -> Host:
        """Return the machine of a rank."""
        return self.world.host_of(rank)

    def pid(self, rank: int) -> int:
        """Return the process id of a rank in its container; each attempt has new ones."""
        return self.host(rank).pids[rank % GPUS] + 997 * self.attempt

    def host_pid(self, rank: int) -> int:
        """Return the process id of a rank as the kernel sees it."""
        return self.host(rank).host_pids[rank % GPUS] + 4001 * self.attempt

    def drop(self, place: int) -> None:
        """Lose everything a host said itself."""
        own = {"rank", "agent", "kernel"}
        self.said = [one for one in self.said if one.place != place or one.kind not in own]

    def use_fabric(self, fabric: str) -> None:
        """Let the session run over another fabric; before anything is told."""
        self.world = replace(self.world, fabric=fabric)

    def use_timeout(self, seconds: int) -> None:
        """Let collectives have another limit; before anything is told."""
        self.world = replace(self.world, timeout=seconds)

    def pick_host(self, *, but: int | None = None) -> int:
        """Return the place of some host, not `but`."""
        return self.rng.choice([one.place for one in self.world.hosts if one.place != but])

    def _add(
        self,
        kind: str,
        place: int,
        rank: int,
        at: float,
        late: float,
        text: str,
        *,
        is_error: bool = True,
    ) -> None:
        self.said.append(
            Utterance(at + late, len(self.said), at, kind, place, rank, text, is_error)
        )
