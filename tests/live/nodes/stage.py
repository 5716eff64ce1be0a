"""One run on nodes: what is started, awaited and broken, and what it leaves behind."""

import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event as Pause
from time import monotonic

from tests.live.nodes.cluster import Cluster
from tests.live.nodes.kernel_log import lines_after

PROGRAMS = Path(__file__).with_name("programs")
LIMIT = 150.0  # seconds; only what never ends meets it
QUIET = {
    "OMP_NUM_THREADS": "1",
    "PYTHONUNBUFFERED": "1",
    "GLOO_SOCKET_IFNAME": "eth0",
    "TORCH_NCCL_DUMP_ON_TIMEOUT": "0",
    "TOKENIZERS_PARALLELISM": "false",
}
PASSED_ON = ("PATH", "HOME", "LANG", "TMPDIR")


class NeverSaid(AssertionError):
    """A run that never came to where it was to be broken."""


@dataclass(slots=True, kw_only=True)
class Stage:
    """A cluster, a folder for what the run leaves, and the launchers on its nodes."""

    cluster: Cluster
    folder: Path
    python: str
    kernel_from: int
    stack: ExitStack
    launchers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def logs(self) -> Path:
        """Return where logs go: `session/<host>.log`, `kernel/<host>.log` and the like."""
        return self.folder / "logs"

    @property
    def scratch(self) -> Path:
        """Return a folder that all nodes share."""
        at = self.folder / "shared"
        at.mkdir(exist_ok=True)
        return at

    def start(
        self,
        host: str,
        command: Sequence[str],
        *,
        log: str,
        before: str = "",
        limits: str = "",
        environment: Mapping[str, str] | None = None,
    ) -> int:
        """Start a command on a node, its output into a log; return its process."""
        path = self.logs / log
        path.parent.mkdir(parents=True, exist_ok=True)
        passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        bin_folder = str(Path(self.python).parent)
        passed["PATH"] = f"{bin_folder}:{passed.get('PATH', '/usr/bin:/bin')}:/usr/sbin:/sbin"
        with path.open("ab") as heard:
            launcher = subprocess.Popen(  # noqa: S603  our own programs
                self.cluster.inside(host, command, before=before, limits=limits),
                stdout=heard,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                cwd=self.scratch,
                env={**passed, **QUIET, **(environment or {})},
                start_new_session=True,
            )
        self.launchers.append(launcher)
        return launcher.pid

    def program(self, name: str) -> str:
        """Return the path of one of the programs."""
        return str(PROGRAMS / f"{name}.py")

    def text(self) -> str:
        """Return all that was printed until now."""
        paths = sorted(self.logs.rglob("*.log"))
        return "".join(path.read_text(errors="replace") for path in paths)

    def wait_for(self, words: str, times: int = 1, limit: float = LIMIT) -> None:
        """Wait until the logs hold these words so often; raise NeverSaid where they never do."""
        until = monotonic() + limit
        while self.text().count(words) < times:
            all_ended = all(each.poll() is not None for each in self.launchers)
            if monotonic() > until or all_ended:
                raise NeverSaid(f"{words!r} was not printed: {self.text()[-3000:]}")
            Pause().wait(0.2)

    def wait(self, limit: float = LIMIT) -> None:
        """Wait for the end of all launchers; end those that go on after so many seconds."""
        until = monotonic() + limit
        for each in self.launchers:
            with suppress(subprocess.TimeoutExpired):
                each.wait(timeout=max(0.1, until - monotonic()))
        self.end()

    def end(self) -> None:
        """End whatever still runs."""
        for each in self.launchers:
            with suppress(ProcessLookupError):
                os.killpg(each.pid, signal.SIGKILL)
        for name in self.cluster.names:
            for pid in self.cluster.processes(name):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        for each in self.launchers:
            each.wait()

    def pid(self, rank: int) -> int:
        """Return the process of a rank, as it wrote it down."""
        return int((self.scratch / f"rank{rank}.pid").read_text(encoding="ascii"))

    def signal_rank(self, rank: int, number: int) -> None:
        """Send a rank a signal."""
        os.kill(self.pid(rank), number)

    def keep_kernel(self, host: str, about: str, *, log: str = "") -> None:
        """Keep what the kernel said meanwhile as a node's, of lines that a pattern is about.

        The nodes share one kernel, and other programs of this machine do, too.
        """
        lines = [each for each in lines_after(self.kernel_from) if re.search(about, each.text)]
        if lines:
            path = self.logs / (log or f"kernel/{host}.log")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f"{each.on(host)}\n" for each in lines), encoding="utf-8")
