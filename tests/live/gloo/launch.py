"""One run: its launchers on this machine, what is done to it, and what it leaves behind."""

import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from time import monotonic

from tests.live.serving import free_port

PROGRAM = Path(__file__).with_name("program.py")
RANKS = 4
LIMIT = 150.0  # seconds; only what never ends meets it
QUIET = {
    "OMP_NUM_THREADS": "1",
    "GLOO_SOCKET_IFNAME": "lo",
    "TORCH_NCCL_DUMP_ON_TIMEOUT": "0",
    "PYTHONUNBUFFERED": "1",
}


@dataclass(slots=True, kw_only=True)
class Run:
    """What has been started, and where its words go."""

    python: str
    folder: Path
    launchers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def text(self) -> str:
        """Return all that was printed until now."""
        return "".join(path.read_text(errors="replace") for path in self.logs())

    def logs(self) -> list[Path]:
        """Return the files that the launchers write."""
        return sorted(self.folder.glob("logs/**/*.log"))

    def wait_for(self, words: str, times: int = 1) -> None:
        """Wait until the logs hold these words so often."""
        until = monotonic() + LIMIT
        while self.text().count(words) < times and monotonic() < until:
            Event().wait(0.2)

    def pid_of(self, rank: int) -> int:
        """Return the process of a rank."""
        return int((self.folder / f"rank{rank}.pid").read_text(encoding="ascii"))


Act = Callable[[Run], None]


def ran(*, python: str, folder: Path, shape: str, arguments: Sequence[str], act: Act | None) -> Run:
    """Start a run of this shape, do to it what `act` does, and wait for its end."""
    run = Run(python=python, folder=folder)
    with ExitStack() as stack:
        for name, command, more in stack.enter_context(SHAPES[shape](python)):
            _start(run, name, [*command, *arguments, "--folder", str(folder)], more)
        stack.callback(_stop, run)
        if act is not None:
            act(run)
        for launcher in run.launchers:
            launcher.wait(timeout=LIMIT)
    return run


def _start(run: Run, name: str, command: list[str], more: dict[str, str]) -> None:
    path = run.folder / "logs" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as log:
        launcher = subprocess.Popen(  # noqa: S603  our own program
            command,
            stdout=log,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            cwd=run.folder,
            env={**os.environ, **QUIET, **more},
            start_new_session=True,
        )
    run.launchers.append(launcher)


def _stop(run: Run) -> None:
    for launcher in run.launchers:
        try:
            os.killpg(launcher.pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
        launcher.wait(timeout=LIMIT)


Command = tuple[str, list[str], dict[str, str]]


def _torchrun(python: str, *options: str) -> list[str]:
    return [python, "-m", "torch.distributed.run", *options, str(PROGRAM)]


@contextmanager
def _alone(python: str) -> Iterator[list[Command]]:
    options = ("--standalone", "--nproc-per-node", str(RANKS))
    yield [("train.log", _torchrun(python, *options), {})]


@contextmanager
def _restarting(python: str) -> Iterator[list[Command]]:
    options = ("--standalone", "--max-restarts", "2", "--nproc-per-node", str(RANKS))
    yield [("train.log", _torchrun(python, *options), {})]


@contextmanager
def _port_taken(python: str) -> Iterator[list[Command]]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        at = ("--master-addr", "127.0.0.1", "--master-port", str(taken.getsockname()[1]))
        yield [("train.log", _torchrun(python, *at, "--nproc-per-node", str(RANKS)), {})]


@contextmanager
def _two_agents(python: str) -> Iterator[list[Command]]:
    port = free_port()
    options = ("--nnodes", "2", "--nproc-per-node", "2", "--rdzv-backend", "c10d")
    at = ("--rdzv-id", "run-7", "--rdzv-endpoint", f"127.0.0.1:{port}", "--local-addr", "127.0.0.1")
    first = _torchrun(python, *options, *at, "--rdzv-conf", "is_host=1")
    second = _torchrun(python, *options, *at, "--rdzv-conf", "is_host=0")
    yield [("session/gpu001.log", first, {}), ("session/gpu002.log", second, {})]


@contextmanager
def _agent_without_peer(python: str) -> Iterator[list[Command]]:
    options = ("--nnodes", "2", "--nproc-per-node", "2", "--rdzv-backend", "c10d")
    at = ("--rdzv-id", "run-7", "--rdzv-endpoint", f"127.0.0.1:{free_port()}")
    conf = ("--rdzv-conf", "join_timeout=8,is_host=1")
    yield [("session/gpu001.log", _torchrun(python, *options, *at, *conf), {})]


@contextmanager
def _rendezvous_absent(python: str) -> Iterator[list[Command]]:
    options = ("--nnodes", "2", "--nproc-per-node", "2", "--rdzv-backend", "c10d")
    at = ("--rdzv-id", "run-7", "--rdzv-endpoint", f"127.0.0.1:{free_port()}")
    conf = ("--rdzv-conf", "is_host=0,read_timeout=5,timeout=5")
    yield [("session/gpu002.log", _torchrun(python, *options, *at, *conf), {})]


def _bare(python: str, ranks: Sequence[int], world: int) -> list[Command]:
    port = str(free_port())
    return [
        (
            f"session/gpu001/rank{rank}.log",
            [python, str(PROGRAM)],
            {
                "RANK": str(rank),
                "LOCAL_RANK": str(rank),
                "WORLD_SIZE": str(world),
                "MASTER_ADDR": "127.0.0.1",
                "MASTER_PORT": port,
            },
        )
        for rank in ranks
    ]


@contextmanager
def _too_few(python: str) -> Iterator[list[Command]]:
    yield _bare(python, range(RANKS), RANKS * 2)


@contextmanager
def _no_first(python: str) -> Iterator[list[Command]]:
    yield _bare(python, range(1, RANKS), RANKS)


SHAPES = {
    "alone": _alone,
    "restarting": _restarting,
    "port taken": _port_taken,
    "two agents": _two_agents,
    "agent without peer": _agent_without_peer,
    "rendezvous absent": _rendezvous_absent,
    "too few": _too_few,
    "no first": _no_first,
}


def kill_rank(rank: int, *, after: str, number: int = signal.SIGKILL) -> Act:
    """Return an act: wait for these words, then send a rank a signal."""

    def act(run: Run) -> None:
        run.wait_for(after)
        os.kill(run.pid_of(rank), number)

    return act


def signal_launcher(index: int, *, after: str, number: int, times: int = 1) -> Act:
    """Return an act: wait for these words, then send a launcher a signal."""

    def act(run: Run) -> None:
        run.wait_for(after, times)
        run.launchers[index].send_signal(number)

    return act


def lose_node(index: int, *, after: str, ranks: Sequence[int]) -> Act:
    """Return an act: kill a launcher and its ranks at once, as when their node goes."""

    def act(run: Run) -> None:
        run.wait_for(after)
        os.kill(run.launchers[index].pid, signal.SIGKILL)
        for rank in ranks:
            try:
                os.kill(run.pid_of(rank), signal.SIGKILL)
            except ProcessLookupError:
                continue

    return act
