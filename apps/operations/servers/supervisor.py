"""Start programs in order, watch them, stop them in reverse; one supervisor per var/."""

import fcntl
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from threading import Event
from time import monotonic
from types import FrameType, TracebackType
from typing import Self

from apps.operations.servers.processes import AskedToStop, Child, ProcessFailed, Program

# A former run that was killed takes this long to fall, at most.
_FORMER_RUN_SECONDS = 8.0
_LOOK_SECONDS = 0.2
# A busy machine of two cores takes more than a minute to import a worker's modules.
START_SECONDS = 300.0
_LOG_TURNS = 150  # looks between two at the length of the logs: half a minute


class AlreadyRunning(Exception):
    """Another supervisor keeps this directory."""


class Supervisor:
    """Hold the lock on var/ and the children; every way out of the `with` stops them."""

    def __init__(self, *, var: Path, say: Callable[[str], object]) -> None:
        self.var = var
        self.say = say
        self.stopping = Event()
        self.children: list[Child] = []
        self._is_interruptible = False

    def __enter__(self) -> Self:
        self.var.mkdir(mode=0o711, parents=True, exist_ok=True)
        self.lock = _lock(self.var / "lock", self.stopping)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if self.stopping.is_set():
            with suppress(OSError, UnicodeError):  # the terminal may be gone, or speak no UTF-8
                self.say("stopping…")
        self.stopping.set()
        servers = [child for child in reversed(self.children) if child.program.is_server]
        users = [child for child in reversed(self.children) if not child.program.is_server]
        for together in (users, servers):
            for child in together:
                child.ask_to_stop()
            for child in together:
                child.stop()
        os.close(self.lock)

    def start(self, *programs: Program, seconds: float = START_SECONDS) -> None:
        """Start programs side by side; return once each is ready, raise ProcessFailed if not."""
        begun = monotonic()
        # Children keep the lock open, too: a second start waits until the last one is gone.
        self.children += (Child(each, keep_open=(self.lock,)) for each in programs)
        for child in self.children[-len(programs) :]:
            with self.interruptible(f"waiting for {child.program.name}"):
                child.wait_ready(seconds=seconds, pause=self.stopping, say=self.say)
            self.say(f"  {child.program.name:<12} ready after {monotonic() - begun:4.1f} s")

    def watch(self) -> None:
        """Return when asked to stop; raise ProcessFailed naming a child that ended by itself."""
        for turn in count():
            if self.stopping.wait(_LOOK_SECONDS):
                return
            for child in self.children:
                if not child.is_alive:
                    raise ProcessFailed(child.epitaph())
                if turn % _LOG_TURNS == 0:
                    child.keep_log_short()

    @contextmanager
    def interruptible(self, what: str) -> Iterator[None]:
        """Let a long step end where it is when somebody asks to stop; raise AskedToStop then."""
        if self.stopping.is_set():
            raise AskedToStop(f"stopped before {what}")
        self._is_interruptible = True
        try:
            yield
        except KeyboardInterrupt:
            raise AskedToStop(f"stopped while {what}") from None
        finally:
            self._is_interruptible = False

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        """Stop in order; whoever asks again doesn't want to wait."""
        if self.stopping.is_set():
            for child in self.children:
                child.end_at_once()
        self.stopping.set()
        if self._is_interruptible:
            self._is_interruptible = False
            raise KeyboardInterrupt


def _lock(path: Path, pause: Event) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    limit = monotonic() + _FORMER_RUN_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip()
            if _is_alive(holder) or monotonic() > limit:
                os.close(descriptor)
                raise AlreadyRunning(
                    f"the portal already runs on {path.parent} (process {holder}); stop it first, "
                    "or give this one another PORTAL_VAR"
                ) from None
            pause.wait(0.1)
        else:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode("ascii"), 0)
            return descriptor


def _is_alive(pid: str) -> bool:
    return pid.isdigit() and Path(f"/proc/{pid}").exists()
