"""Programs that are asked, with limits on their time and on what they may print."""

import io
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Final

SECONDS: Final = 60.0
MOST_BYTES: Final = 256 * 1024 * 1024
BLOCK: Final = 64 * 1024
MOST_COMPLAINT: Final = 500
# Stamps with their zone: the reader of the tar sits elsewhere.
ENVIRONMENT: Final = {
    "LC_ALL": "C",
    "SLURM_TIME_FORMAT": "%Y-%m-%dT%H:%M:%S%z",
    "PAGER": "cat",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramAnswer:
    """What a program said: `code` is its exit status, -1 if it never ran or took too long."""

    code: int
    complaint: str = ""

    @property
    def is_given(self) -> bool:
        """Say whether the program did what it was asked."""
        return self.code == 0


# Writes what the command prints into a file.
Ask = Callable[[Sequence[str], Path], ProgramAnswer]


def ask(command: Sequence[str], into: Path) -> ProgramAnswer:
    """Run a command without a shell and without input; what it prints goes into the file."""
    try:
        with into.open("wb") as out, TemporaryFile() as err:
            process = subprocess.Popen(  # noqa: S603  names were checked, no shell here
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=err,
                env=os.environ | ENVIRONMENT,
                start_new_session=True,  # srun and ssh have children, too
            )
            stopped = _copied(process, out)
            err.seek(0)
            said = err.read(64 * 1024).decode(errors="replace")
    except FileNotFoundError:
        return ProgramAnswer(code=-1, complaint=f"no {command[0]} here")
    except OSError as error:
        return ProgramAnswer(code=-1, complaint=f"{command[0]}: {error.strerror}")
    if stopped:
        return ProgramAnswer(code=-1, complaint=stopped)
    code = process.returncode
    return ProgramAnswer(
        code=code, complaint=_last_line(said) or f"exit status {code}" if code else ""
    )


def _copied(process: subprocess.Popen[bytes], out: IO[bytes]) -> str:
    """Copy what a program prints until it ends; return why it was ended before, if it was."""
    late = threading.Event()

    def end() -> None:
        late.set()
        _kill(process)

    timer = threading.Timer(SECONDS, end)
    timer.start()
    printed = process.stdout or io.BytesIO()
    try:
        left = MOST_BYTES
        while left > 0 and (block := printed.read(min(left, BLOCK))):
            out.write(block)
            left -= len(block)
        if left <= 0:
            _kill(process)
        process.wait()
    finally:
        timer.cancel()
        _kill(process)
        printed.close()
    if late.is_set():
        return f"no answer within {SECONDS:.0f} s"
    return f"it printed more than {MOST_BYTES // 2**20} MiB" if left <= 0 else ""


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a program with its children."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _last_line(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return printable(lines[-1][:MOST_COMPLAINT]) if lines else ""


def printable(said: str) -> str:
    """Return words of others without what a terminal would obey."""
    return "".join(letter if letter.isprintable() else "?" for letter in said)
