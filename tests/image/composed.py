"""Run the services of docker/compose.yml from the image, with real servers under their names.

`unshare --net --mount python -m tests.image.composed CONTAINER FOLDER`. Commands, variables,
secrets and health checks are the file's own; what the engine of containers does is not tried.
"""

import fcntl
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

import psycopg
import yaml

from apps.operations.servers import embedded, embedded_valkey, private_sockets
from apps.operations.servers.processes import Child, Program
from tests.image.building import ROOT, buildah, inside

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker/compose.yml").read_text("utf-8"))
DEFAULT = re.compile(r"\$\{[A-Z_]+:-([^}]*)\}")
SECONDS = 90


def main(container: str, folder: Path) -> None:
    """Start everything in the file's order and wait until a task was done."""
    switch_loopback_on()
    give_names(folder / "hosts")
    secrets = folder / "secrets"
    subprocess.run(  # noqa: S603  our own script
        [ROOT / "docker/make-secrets.sh", secrets], check=True, stdout=subprocess.DEVNULL
    )
    children = [Child(valkey(folder)), Child(postgres(folder))]
    try:
        for child in children:
            child.wait_ready(seconds=30, pause=Event())
        make_roles(folder, secrets)
        subprocess.run(service(container, folder, "migrate"), check=True, timeout=SECONDS)  # noqa: S603
        children += [Child(program(container, folder, each)) for each in ("web", "worker", "beat")]
        wait_for(lambda: is_healthy(container, folder), "web is healthy")
        wait_for(does_work, "work is done")
    except TimeoutError:
        print(*[child.epitaph() for child in children], sep="\n")  # noqa: T201  for the test
        raise
    finally:
        for child in reversed(children):
            stop(child)


def switch_loopback_on() -> None:
    """Give this new network the one interface that it needs."""
    request = struct.pack("16sH14s", b"lo", 0x1 | 0x40, b"")  # IFF_UP | IFF_RUNNING
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, 0x8914, request)  # SIOCSIFFLAGS


def give_names(hosts: Path) -> None:
    """Let the file's names mean this machine, here and in the containers that copy it."""
    hosts.write_text(f"127.0.0.1 localhost {' '.join(COMPOSE['services'])}\n")
    subprocess.run(  # noqa: S603  our own arguments
        [str(shutil.which("mount")), "--bind", hosts, "/etc/hosts"], check=True
    )


def postgres(folder: Path) -> Program:
    """Return a server that asks for passwords, as that of the file does."""
    made = embedded.postgres(var=folder, is_durable=False)
    (data,) = folder.glob("pg*/pg_hba.conf")
    data.write_text("local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n")
    return replace(made, argv=[*made.argv, "-h", "127.0.0.1"])


def valkey(folder: Path) -> Program:
    """Return a server that listens where the file says."""
    made = embedded_valkey.valkey(var=folder)
    at = list(made.argv).index("--aclfile")
    rules = ["--aclfile", str(folder / "secrets" / "valkey_acl")]
    argv = [*made.argv[:at], *rules, *made.argv[at + 2 :], "--port", "6379", "--bind", "127.0.0.1"]
    socket = private_sockets.socket_directory(var=folder) / "valkey.sock"
    return replace(made, argv=argv, is_ready=socket.exists)


def make_roles(folder: Path, secrets: Path) -> None:
    """Run what the file lets PostgreSQL run when it is new."""
    where = str(private_sockets.socket_directory(var=folder))
    with psycopg.connect(host=where, user="postgres", dbname="postgres", autocommit=True) as server:
        for statement in (secrets / "roles.sql").read_text().split(";"):
            if statement.strip():
                server.execute(statement.encode())


def service(container: str, folder: Path, name: str, command: list[str] | None = None) -> list[str]:
    """Return the command line of a service, or of another command in its place."""
    told = COMPOSE["services"][name]
    mounts = {folder / "secrets" / each: f"/run/secrets/{each}" for each in told["secrets"]}
    given = {key: value for key, value in told["environment"].items() if value is not None}
    variables = {key: resolved(value) for key, value in given.items()}
    default = json.loads(buildah("inspect", container))["OCIv1"]["config"]["Cmd"]
    return inside(
        container,
        *[resolved(each) for each in command or told.get("command", default)],
        variables=variables,
        mounts=mounts,
    )


def program(container: str, folder: Path, name: str) -> Program:
    """Return a service as the supervisor's kind of child."""
    return Program(
        name=name,
        argv=service(container, folder, name),
        is_ready=lambda: True,
        log=folder / f"{name}.log",
        environment=os.environ,
    )


def resolved(value: str) -> str:
    """Put the defaults of the file in, as compose does where nobody sets another value."""
    return DEFAULT.sub(r"\1", value)


def is_healthy(container: str, folder: Path) -> bool:
    """Ask as the file's health check does."""
    kind, *command = COMPOSE["services"]["web"]["healthcheck"]["test"]
    assert kind == "CMD"
    asked = service(container, folder, "web", command)
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0  # noqa: S603


def does_work() -> bool:
    """Whether the clock's hint reached a worker and its task ended well."""
    with urllib.request.urlopen("http://127.0.0.1:8000/metrics", timeout=5) as answer:
        return 'last_success_timestamp_seconds{task="telemetry.sweep"}' in answer.read().decode()


def wait_for(is_so: Callable[[], bool], what: str) -> None:
    """Return once it is so; fail when it never is."""
    limit = monotonic() + SECONDS
    while not is_so():
        if monotonic() > limit:
            raise TimeoutError(f"never: {what}")
        Event().wait(0.5)
    print(what, flush=True)  # noqa: T201  read by the test


def stop(child: Child) -> None:
    """End a child and all that it started."""
    if child.is_alive:
        os.killpg(child.process.pid, signal.SIGTERM)
    child.stop()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
