"""The web process: `python -m apps.operations.servers.web --host 127.0.0.1 --port 8000`.

uvicorn with what the portal needs of it, in one place for all ways to start it.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Final

import uvicorn
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from apps.diagnosis.spelling import in_lines

# Longer than senders wait between two pushes: one that meets a closed connection sends again.
KEEP_ALIVE_SECONDS: Final = 75
STOP_SECONDS: Final = 3


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until asked to stop."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
    asked = _parser().parse_args(arguments)
    try:
        _ = settings.PORTAL_PROCESS  # reads all settings
    except ImproperlyConfigured as error:
        sys.exit(in_lines(text=str(error)))
    uvicorn.run(
        "portal.asgi:application",
        host=asked.host,
        port=asked.port,
        http="apps.operations.admission.connections.protocol:GuardedProtocol",
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=asked.stop_seconds,
        lifespan="off",
        access_log=False,
        server_header=False,
        # What a proxy in front says is read in one place: `http.middleware.behind_proxy`.
        proxy_headers=False,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m apps.operations.servers.web", description=__doc__
    )
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--stop-seconds", type=int, default=STOP_SECONDS)
    return parser


if __name__ == "__main__":
    main()
