"""Private sockets of the embedded servers: their directory, and the addresses behind it."""

import hashlib
import os
import stat
import tempfile
from pathlib import Path
from urllib.parse import quote, urlsplit

from apps.operations.servers import queue_access

# sun_path holds 108 bytes with the closing zero; PostgreSQL adds ".s.PGSQL.5432.lock".
_LONGEST_DIRECTORY_BYTES = 80


class NotEmbeddable(Exception):
    """The servers can't be started here."""


def socket_directory(*, var: Path) -> Path:
    """Return where the sockets are: in var/, or where the path is short enough for a socket."""
    kept = var / "run"
    if len(os.fsencode(kept)) <= _LONGEST_DIRECTORY_BYTES:
        return kept
    digest = hashlib.sha256(os.fsencode(var)).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"portal-{os.getuid()}-{digest}"


def database_url(*, var: Path, role: str, name: str = "portal") -> str:
    """Return the URL of the embedded PostgreSQL for a role."""
    return f"postgresql://{role}@/{name}?host={quote(str(socket_directory(var=var)), safe='/')}"


def redis_url(*, var: Path) -> str:
    """Return the URL of the embedded Valkey."""
    password = queue_access.password_of(var=var)
    who = f"{queue_access.USER}:{password}@" if password else ""
    return f"unix://{who}{socket_directory(var=var)}/valkey.sock?db=0"


def celery_url(*, redis_url: str) -> str:
    """Return the same server in the words of the task queue."""
    parts = urlsplit(redis_url)
    if parts.scheme != "unix":
        return redis_url
    database = parts.query.removeprefix("db=") or "0"
    return f"redis+socket://{parts.netloc}{parts.path}?virtual_host={database}"


def prepare_sockets(*, var: Path) -> Path:
    """Make the private directory of the sockets; refuse one that others can write to."""
    directory = socket_directory(var=var)
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = directory.lstat()
    if not stat.S_ISDIR(found.st_mode) or stat.S_IMODE(found.st_mode) & 0o077:
        raise NotEmbeddable(f"{directory} must be a directory with mode 0700")
    return directory
