"""What `manage.py up` needs beside good settings, looked at before anything is made."""

import errno
import os
import socket
from collections.abc import Callable
from pathlib import Path

from django.conf import settings

from apps.operations.servers import address

PROGRAMS = ("initdb", "postgres")
# The web process of a run that was killed falls a moment after it.
TRIES, BETWEEN_SECONDS = 6, 0.5


class NotStartable(Exception):
    """A setting names what is not there, or can't be used; the text names it."""


def check() -> None:
    """Raise NotStartable for folders, programs and an address that this machine can't give."""
    _check_folder("PORTAL_VAR", settings.PORTAL_VAR)
    _check_folder("PORTAL_STORAGE", settings.PORTAL_STORAGE)
    if settings.PORTAL_EMBEDS_DATABASE:
        _check_programs(os.environ.get("PORTAL_PG_BIN", ""))
    host, port = address.bound()
    if (error := _refusal(host, port or 0)) and error.errno != errno.EADDRINUSE:
        raise NotStartable(f"PORTAL_BIND: nobody can listen on {_shown(host, port)}: {_why(error)}")


def check_port(*, host: str, port: int, wait: Callable[[float], bool]) -> None:
    """Raise NotStartable where another program listens there, and goes on to.

    `wait` is told for how many seconds; it says whether to give up at once.
    """
    error = _refusal(host, port)
    for _ in range(TRIES):
        if error is None or wait(BETWEEN_SECONDS):
            return
        error = _refusal(host, port)
    if error:
        raise NotStartable(
            f"nobody can listen on {_shown(host, port)}: {_why(error)}; PORTAL_BIND names another"
        )


def _check_folder(name: str, path: Path) -> None:
    there = next(each for each in (path, *path.parents) if each.exists())
    if not there.is_dir():
        raise NotStartable(f"{name}={path}: {there} is no folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise NotStartable(f"{name}={path}: {there} can't be written to")


def _check_programs(folder: str) -> None:
    missing = [each for each in PROGRAMS if folder and not (Path(folder) / each).is_file()]
    if missing:
        raise NotStartable(f"PORTAL_PG_BIN={folder}: no {' and no '.join(missing)} in it")


def _refusal(host: str, port: int) -> OSError | None:
    """Return why a server could not listen there, None where it could."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, place = found[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(place)
    except OSError as error:
        return error
    return None


def _shown(host: str, port: int | None) -> str:
    name = f"[{host}]" if ":" in host else host
    return f"{name}:{port}" if port else name


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
