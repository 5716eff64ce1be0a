"""A real VictoriaMetrics on loopback, empty, to be written into."""

import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from tests.live.real_prometheus import _free_port

BINARY = shutil.which("victoria-metrics")

needs_victoria = pytest.mark.skipif(
    not BINARY,
    reason="no victoria-metrics on this machine: the metrics client was not tried on a real one; "
    "install the package `victoria-metrics` to do so",
)


@contextmanager
def victoria(*, directory: Path) -> Iterator[str]:
    """Run a server; yield its URL."""
    assert BINARY
    port = _free_port()
    url = f"http://127.0.0.1:{port}"
    log = (directory / "log").open("wb")
    arguments = [
        f"-storageDataPath={directory / 'data'}",
        f"-httpListenAddr=127.0.0.1:{port}",
        "-retentionPeriod=100y",
        # What was written a moment ago is answered, too.
        "-search.latencyOffset=0s",
    ]
    process = subprocess.Popen([BINARY, *arguments], stdout=log, stderr=log)  # noqa: S603
    try:
        _wait_ready(url, process)
        yield url
    finally:
        process.terminate()
        process.wait(timeout=20)
        log.close()


def _wait_ready(url: str, process: subprocess.Popen[bytes]) -> None:
    pause = threading.Event()
    for _ in range(200):
        assert process.poll() is None, "the server ended; see its log"
        try:
            if requests.get(f"{url}/health", timeout=1).ok:
                return
        except requests.ConnectionError:
            pass
        pause.wait(0.05)
    raise AssertionError("the server did not become ready in 10 s")
