"""A portal of its own for a test: `manage.py up` in a directory, and what is left of it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

from django.conf import settings

from apps.operations.management.commands.up import free_port


def environment(var: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the variables of a portal that shares nothing with this run of the tests."""
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith(("PORTAL_", "DJANGO"))
    }
    return {
        **kept,
        "PORTAL_VAR": str(var),
        "PORTAL_BASE_URL": f"http://127.0.0.1:{free_port()}",
        "PORTAL_WORKER_PROCESSES": "1",
        "PORTAL_MAX_DISK_PERCENT": "101",  # this machine's disk decides no test
        **(more or {}),
    }


@contextmanager
def portal(
    var: Path, variables: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """Run `manage.py up` until the block ends."""
    running = subprocess.Popen(
        [sys.executable, "manage.py", "up"],
        cwd=settings.BASE_DIR,
        env=environment(var) if variables is None else dict(variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield running
    finally:
        running.kill()
        running.communicate()


def manage(
    *arguments: str, variables: Mapping[str, str], directory: Path = settings.BASE_DIR
) -> str:
    """Run a command of the portal, of this version or of that in a directory; return its words."""
    done = subprocess.run(  # noqa: S603  our own command
        [sys.executable, "manage.py", *arguments],
        cwd=directory,
        env=dict(variables),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def inside(code: str, *, variables: Mapping[str, str], directory: Path = settings.BASE_DIR) -> Any:
    """Run some lines of Python inside the portal and return the JSON that they print last."""
    said = manage("shell", "--no-imports", "-c", code, variables=variables, directory=directory)
    return json.loads(said.splitlines()[-1])


def read_until(running: subprocess.Popen[str], text: str) -> str:
    """Return what was printed up to a line with this text, or all of it if there is none."""
    assert running.stdout is not None
    lines: list[str] = []
    for line in running.stdout:
        lines.append(line)
        if text in line:
            break
    return "".join(lines)


def processes_of(var: Path) -> dict[int, str]:
    """Return the command lines of living processes that belong to an installation."""
    mark = f"PORTAL_VAR={var}\0".encode()
    lock = str(var / "lock")  # every child keeps it open, whatever its command line says
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ")
            is_named = str(var).encode() in command or mark in (entry / "environ").read_bytes()
            if is_named or any(str(each.readlink()) == lock for each in (entry / "fd").iterdir()):
                found[int(entry.name)] = command.decode()
        except OSError:
            continue  # it ended while we looked, or is another user's
    return found


def wait_until_gone(var: Path, seconds: float) -> dict[int, str]:
    """Return what is left of an installation's processes after at most so many seconds."""
    limit = monotonic() + seconds
    while processes_of(var) and monotonic() < limit:
        Event().wait(0.1)
    return processes_of(var)
