"""The portal's own processes as the supervisor starts them."""

import os
import secrets
import sys
from collections.abc import Callable, Mapping
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management import call_command
from django.db import connections
from django.db.migrations.executor import MigrationExecutor

from apps.operations.servers import address, embedded, embedded_valkey, private_sockets
from apps.operations.servers.processes import Program
from apps.operations.servers.supervisor import Supervisor

LONG_STEPS = 50  # of a new database: about a minute on two cores


def serve(supervisor: Supervisor, *, base_url: str) -> None:
    """Start everything a portal needs, each once what it needs is ready."""
    var = supervisor.var
    make_secret(var / "secret")
    if settings.PORTAL_EMBEDS_DATABASE:
        if not any(var.glob("pg*/PG_VERSION")):
            supervisor.say(f"  making an empty database in {var}")
        with supervisor.interruptible("making a database"):
            database = embedded.postgres(var=var)
        supervisor.start(database)
        embedded.provision(var=var)
    if settings.PORTAL_EMBEDS_BROKER:
        supervisor.start(embedded_valkey.valkey(var=var))
        _know_queue(var)
    if settings.DATABASES["owner"]["ENGINE"].endswith("postgresql"):
        _migrate(supervisor)
    supervisor.start(*(each(var=var, base_url=base_url) for each in (worker, beat, web)))


def _know_queue(var: Path) -> None:
    """Let this process into the queue: its password may be newer than the settings."""
    url = private_sockets.redis_url(var=var)
    settings.PORTAL_REDIS_URL = settings.CACHES["default"]["LOCATION"] = url
    settings.CELERY_BROKER_URL = private_sockets.celery_url(redis_url=url)


def _migrate(supervisor: Supervisor) -> None:
    executor = MigrationExecutor(connections["owner"])
    steps = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    if steps:
        supervisor.say(f"  bringing the tables up to date: {steps} steps{_wait(steps)}")
        with supervisor.interruptible("bringing the tables up to date"):
            call_command("migrate", database="owner", interactive=False, verbosity=0)
    connections.close_all()


def _wait(steps: int) -> str:
    """Return what to expect of many steps: nothing more is said before the last of them."""
    return ", a minute or so" if steps >= LONG_STEPS else ""


def make_secret(path: Path) -> None:
    """Keep a random key, readable by this user alone, unless one is there or given."""
    if (
        path.exists()
        or os.environ.get("PORTAL_SECRET_KEYS")
        or os.environ.get("PORTAL_SECRET_KEYS_FILE")
    ):
        return
    key = secrets.token_urlsafe(60)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(key + "\n")
    # The settings of this process are older than the file: what it seals others have to open.
    settings.PORTAL_SECRET_KEYS, settings.SECRET_KEY = [key], key


def worker(*, var: Path, base_url: str) -> Program:
    """Return the task worker with its pool."""
    return _celery(
        "worker",
        *("--concurrency", str(settings.PORTAL_WORKER_PROCESSES)),
        *("--queues", "correlate,ingest,default"),
        *("--without-gossip", "--without-mingle", "--without-heartbeat"),
        var=var,
        base_url=base_url,
    )


def beat(*, var: Path, base_url: str) -> Program:
    """Return the clock of the periodic tasks."""
    # The schedule is code and every period is short: nothing to keep between runs.
    return _celery(
        "beat", "--scheduler", "celery.beat.Scheduler", "--pidfile", "", var=var, base_url=base_url
    )


def web(*, var: Path, base_url: str) -> Program:
    """Return the web server."""
    host, port = bound_address(base_url)
    return Program(
        name="web",
        argv=[
            *(
                sys.executable,
                "-m",
                "apps.operations.servers.web",
                "--host",
                host,
                "--port",
                str(port),
            ),
            *("--stop-seconds", "1"),
        ],
        is_ready=lambda: answers(address.near(host), port, "/readyz"),
        log=var / "log" / "web.log",
        environment=environment(var=var, process="web", base_url=base_url),
        directory=settings.BASE_DIR,
    )


def bound_address(base_url: str) -> tuple[str, int]:
    """Return where the web server listens: PORTAL_BIND, an address with or without a port.

    Without one it is that of the base URL, or 8000 behind a proxy, whose port that is.
    """
    where = urlsplit(base_url)
    usual = address.USUAL_PORT
    host, port = address.bound()
    return host, port or (usual if where.scheme == "https" else where.port or usual)


def environment(
    *, var: Path, process: str, base_url: str, more: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the variables of a child: the supervisor's and which part it is."""
    return {
        **os.environ,
        "PORTAL_VAR": str(var),
        "PORTAL_PROCESS": process,
        "PORTAL_BASE_URL": base_url,
        "PYTHONUNBUFFERED": "1",
        # Two processes with one thread each do more here than two with eight.
        "OPENBLAS_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "2",
        **(more or {}),
    }


def answers(host: str, port: int, path: str) -> bool:
    """Whether GET answers 200."""
    connection = HTTPConnection(host, port, timeout=3)
    try:
        connection.request("GET", path, headers={"X-Forwarded-Proto": "https"})
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _celery(command: str, *arguments: str, var: Path, base_url: str) -> Program:
    # Tasks are repeatable: what a stop cuts off is handed out again.
    mark = var / "run" / f"{command}.ready"
    mark.parent.mkdir(mode=0o700, exist_ok=True)
    mark.unlink(missing_ok=True)
    return Program(
        name=command,
        argv=[
            *(sys.executable, "-m", "celery", "--app", "portal", "--quiet", command),
            *("--loglevel", "INFO", *arguments),
        ],
        is_ready=_exists(mark),
        log=var / "log" / f"{command}.log",
        environment=environment(
            var=var, process=command, base_url=base_url, more={"PORTAL_READY_FILE": str(mark)}
        ),
        directory=settings.BASE_DIR,
    )


def _exists(path: Path) -> Callable[[], bool]:
    return path.exists
