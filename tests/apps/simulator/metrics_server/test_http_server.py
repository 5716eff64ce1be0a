"""The door of the simulated metrics: who hangs up is no fault, anything else is told."""

from collections.abc import Iterator
from http.server import ThreadingHTTPServer

import pytest

from apps.simulator.metrics_server.http_server import serve


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    """Return a server on a free port."""
    started = serve(port=0, stores=dict, clock=lambda: 0.0)
    yield started
    started.shutdown()
    started.server_close()


@pytest.mark.parametrize(
    ("error", "is_told"),
    [(BrokenPipeError(), False), (ConnectionResetError(), False), (ValueError("odd"), True)],
)
def test_who_hangs_up_leaves_no_traceback(
    server: ThreadingHTTPServer,
    capsys: pytest.CaptureFixture[str],
    error: Exception,
    *,
    is_told: bool,
) -> None:
    try:
        raise error
    except type(error):
        server.handle_error(server.socket, ("127.0.0.1", 1))
    assert ("Traceback" in capsys.readouterr().err) is is_told
