"""A real Prometheus on loopback, filled by promtool and by scraping a tiny exporter."""

import ipaddress
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from apps.telemetry.sources.address import Address
from apps.tenancy.outbound.policy import Policy
from tests.live.serving import free_port, served

BINARY = shutil.which("prometheus")
TOOL = shutil.which("promtool")

needs_prometheus = pytest.mark.skipif(
    not (BINARY and TOOL),
    reason="no prometheus and promtool on this machine: the metrics client was not tried on a "
    "real server; install the package `prometheus` to do so",
)

CONFIG = """
global: {{scrape_interval: 1s, scrape_timeout: 1s}}
scrape_configs:
- job_name: exporter
  static_configs: [{{targets: ['127.0.0.1:{port}']}}]
"""


def address(url: str) -> Address:
    """Return how a server on loopback is reached."""
    policy = Policy(networks=(ipaddress.ip_network("127.0.0.0/8"),))
    return Address(name="real", url=url, policy=policy)


class Exporter(ThreadingHTTPServer):
    """Serves whatever text it holds as metrics."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Page)
        self.text = ""


class _Page(BaseHTTPRequestHandler):
    server: Exporter

    def do_GET(self) -> None:
        body = self.server.text.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        """Stay quiet."""


@contextmanager
def exporting() -> Iterator[Exporter]:
    """Run an exporter."""
    exporter = Exporter()
    thread = threading.Thread(target=exporter.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield exporter
    finally:
        exporter.shutdown()
        thread.join()
        exporter.server_close()


@contextmanager
def prometheus(*, directory: Path, exporter: Exporter, history: str = "") -> Iterator[str]:
    """Run a server over some OpenMetrics history; yield its URL."""
    assert BINARY
    assert TOOL
    data = directory / "data"
    data.mkdir()
    if history:
        (directory / "history.om").write_text(history)
        command = [TOOL, "tsdb", "create-blocks-from", "openmetrics"]
        subprocess.run(  # noqa: S603  our own arguments
            [*command, str(directory / "history.om"), str(data)],
            check=True,
            capture_output=True,
            timeout=60,
        )
    config = directory / "prometheus.yml"
    config.write_text(CONFIG.format(port=exporter.server_port))
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [
        BINARY,
        f"--config.file={config}",
        f"--storage.tsdb.path={data}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--storage.tsdb.retention.time=10y",
        "--web.enable-remote-write-receiver",
    ]
    with served(command=command, log=directory / "log", ready=f"{url}/-/ready"):
        yield url
