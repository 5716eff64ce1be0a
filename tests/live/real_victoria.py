"""A real VictoriaMetrics on loopback, empty, to be written into."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.live.serving import free_port, served

BINARY = shutil.which("victoria-metrics")

needs_victoria = pytest.mark.skipif(
    not BINARY,
    reason="no victoria-metrics on this machine: the metrics client was not tried on a real one; "
    "install the package `victoria-metrics` to do so",
)


@contextmanager
def victoria(*, directory: Path, held_back: str = "0s") -> Iterator[str]:
    """Run a server that answers what was written so long ago; yield its URL."""
    assert BINARY
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [
        BINARY,
        f"-storageDataPath={directory / 'data'}",
        f"-httpListenAddr=127.0.0.1:{port}",
        "-retentionPeriod=100y",
        f"-search.latencyOffset={held_back}",
    ]
    with served(command=command, log=directory / "log", ready=f"{url}/health"):
        yield url
