"""A server program on loopback for as long as a block lasts."""

import socket
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import requests

READY_SECONDS = 20.0
PAUSE_SECONDS = 0.05


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@contextmanager
def served(
    *,
    command: Sequence[str],
    log: Path,
    ready: str,
    end_seconds: float = 30,
    ready_seconds: float = READY_SECONDS,
    folder: Path | None = None,
) -> Iterator[int]:
    """Run a program until the block ends, from the moment it answers at its address `ready`.

    It works in `folder`, or where this program does. Yields the number of its process.
    """
    with log.open("wb") as heard:
        process = subprocess.Popen(command, stdout=heard, stderr=heard, cwd=folder)  # noqa: S603  tests' own
        try:
            _wait(ready, process, log, ready_seconds)
            yield process.pid
        finally:
            process.terminate()
            process.wait(timeout=end_seconds)


def _wait(ready: str, process: subprocess.Popen[bytes], log: Path, seconds: float) -> None:
    pause = threading.Event()
    for _ in range(int(seconds / PAUSE_SECONDS)):
        assert process.poll() is None, f"the server ended: {log.read_text()[-2000:]}"
        try:
            if requests.get(ready, timeout=1).ok:
                return
        except requests.ConnectionError:
            pass
        pause.wait(PAUSE_SECONDS)
    raise AssertionError(f"not ready in {seconds:.0f} s: {log.read_text()[-2000:]}")
