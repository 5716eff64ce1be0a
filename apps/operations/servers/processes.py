"""Children of the supervisor: they end when it does, whatever ended it."""

import ctypes
import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from time import monotonic
from typing import BinaryIO

_PR_SET_PDEATHSIG = 1
_LOG_LIMIT_BYTES = 16 * 2**20
WORD_SECONDS = 20.0  # without one people take a slow start for a hang
_libc = ctypes.CDLL(None, use_errno=True)


class ProcessFailed(Exception):
    """A process ended by itself or never became ready."""


class AskedToStop(ProcessFailed):
    """Somebody asked everything to stop before it was ready: an end like any other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What to run, how it ends and how to see that it is ready."""

    name: str
    argv: Sequence[str]
    is_ready: Callable[[], bool]
    log: Path
    environment: Mapping[str, str]
    directory: Path = Path("/")
    stop_signal: signal.Signals = signal.SIGTERM
    # Sent by the kernel when the supervisor dies without a word.
    death_signal: signal.Signals = signal.SIGKILL
    stop_seconds: float = 1.5
    # Sent to who is told to end at once: what ends it without harm where that takes no time.
    kill_signal: signal.Signals = signal.SIGKILL
    # Others need it to the end: it stops after those that nobody needs, and by itself.
    is_server: bool = False
    # Runs in the child before the death signal is set: a change of ids clears that signal.
    change_ids: Callable[[], None] | None = None


class Child:
    """A running program."""

    def __init__(self, program: Program, *, keep_open: Sequence[int] = ()) -> None:
        self.program = program
        self._asked_at: float | None = None
        with _open_log(program.log) as log:
            # Only the main thread may: the death signal follows the thread that started it.
            self.process = subprocess.Popen(  # noqa: S603  our own command lines
                program.argv,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=dict(program.environment),
                cwd=program.directory,
                pass_fds=keep_open,
                start_new_session=True,
                preexec_fn=_prepare(program),  # noqa: PLW1509  the supervisor has one thread
            )

    @property
    def is_alive(self) -> bool:
        """Whether it still runs."""
        return self.process.poll() is None

    def wait_ready(
        self, *, seconds: float, pause: Event, say: Callable[[str], object] | None = None
    ) -> None:
        """Return once it is ready; raise ProcessFailed if it ended or took too long.

        Whoever waits with `say` is told now and then what is still waited for.
        """
        begun = monotonic()
        word_due = begun + WORD_SECONDS
        while not self.program.is_ready():
            now = monotonic()
            if not self.is_alive:
                raise ProcessFailed(self.epitaph())
            if now > begun + seconds:
                raise ProcessFailed(
                    f"{self.program.name} was not ready after {seconds:.0f} s; "
                    f"its log is {self.program.log}"
                )
            if say and now > word_due:
                word_due = now + WORD_SECONDS
                say(
                    f"  {self.program.name} runs and is not ready after {now - begun:.0f} s: "
                    f"waiting for it, {seconds:.0f} s at most; its log is {self.program.log}"
                )
            if pause.wait(0.05):
                raise AskedToStop(f"stopped while waiting for {self.program.name}")

    def epitaph(self) -> str:
        """Say how it ended, where its log is and what stands at the end of it."""
        code = self.process.poll()
        how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        lines = self.program.log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:]
        tail = "".join(f"\n    {line}" for line in lines)
        return f"{self.program.name} ended ({how}); its log is {self.program.log}{tail}"

    def keep_log_short(self, *, limit: int = _LOG_LIMIT_BYTES) -> None:
        """Put a log that grew too long aside, in place of the one that was put there before."""
        log = self.program.log
        if log.stat().st_size > limit:
            shutil.copy(log, log.with_suffix(".1.log"))  # and its mode
            os.truncate(log, 0)  # the process appends, so it goes on at the start

    def ask_to_stop(self) -> None:
        """Ask it to end, once, and go on."""
        if self._asked_at is None:
            self._asked_at = monotonic()
            self.process.send_signal(self.program.stop_signal)

    def end_at_once(self) -> None:
        """Make it end, with what it started, and go on."""
        self._asked_at = self._asked_at or monotonic()
        if self.process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, self.program.kill_signal)

    def stop(self) -> None:
        """Ask it to end, then make it end, and wait until it has.

        Its time began when it was asked: those that were asked together have it together.
        """
        if not self.is_alive:
            return
        self.ask_to_stop()
        left = self.program.stop_seconds - (monotonic() - (self._asked_at or 0))
        try:
            self.process.wait(max(left, 0))
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def die_with_parent(*, parent: int, how: signal.Signals) -> None:
    """Ask the kernel to send this process a signal when its parent ends."""
    _libc.prctl(_PR_SET_PDEATHSIG, int(how), 0, 0, 0)
    if os.getppid() != parent:  # it ended before the kernel knew
        os.kill(os.getpid(), signal.SIGKILL)


def _prepare(program: Program) -> Callable[[], None]:
    parent = os.getpid()

    def prepare() -> None:
        if program.change_ids:
            program.change_ids()
        # The memory of a process that fails holds keys and other people's lines.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        die_with_parent(parent=parent, how=program.death_signal)

    return prepare


def _open_log(path: Path) -> BinaryIO:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    log = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab")
    os.fchmod(log.fileno(), 0o600)  # one of a former version was readable by others
    return log
