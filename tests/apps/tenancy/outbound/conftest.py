"""What tests of requests to outside share."""

import threading
from collections.abc import Iterator

import pytest

from tests.apps.tenancy.outbound.answering_server import Server


@pytest.fixture
def server() -> Iterator[Server]:
    """Run a server for one test."""
    made = Server()
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.hold.set()
    made.shutdown()
    thread.join()
    made.server_close()
