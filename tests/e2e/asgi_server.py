"""The portal as it runs: uvicorn in a thread, for what a server of WSGI can't do."""

import asyncio
import gc
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from threading import Event, Thread
from typing import Final

import pytest
import uvicorn

# A stream that is cut off leaves the connection of its thread, which is gone: whoever collects it
# is warned. The web process of a portal returns each to its pool once an answer is made.
CUT_OFF: Final = pytest.mark.filterwarnings("ignore:.*was deleted while still open:ResourceWarning")
WAIT: Final = 0.02
SECONDS: Final = 20.0


@contextmanager
def serving() -> Iterator[str]:
    """Serve the whole application on a free port, and return its address."""
    config = uvicorn.Config(
        import_module("portal.asgi").application,
        host="127.0.0.1",
        port=0,
        lifespan="off",
        log_config=None,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    thread = Thread(target=lambda: asyncio.run(server.serve()))
    thread.start()
    try:
        for _ in range(int(SECONDS / WAIT)):
            if server.started:
                break
            Event().wait(WAIT)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()
        import_module("apps.web.live.change_hub").HUB.close()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            gc.collect()
