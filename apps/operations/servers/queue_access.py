"""Who may say what to Valkey: the portal by a password of its own, and only what it needs.

Whoever can write to the queue can hand the workers tasks, so nobody else gets in: the user that
a server without rules has (`default`) is off.
"""

import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from kombu.transport import redis as transport
from redis import WatchError

USER: Final = "portal"
# What the portal keeps there: its cache and counts, three queues with their priorities, and what
# kombu writes down about them.
KEYS: Final = ("portal:*", "correlate*", "ingest*", "default*", "_kombu.*", "unacked*")
# No scripts, no look at or change of the server, nothing that empties it; docs/operations.md has
# the same line for a server of one's own.
COMMANDS: Final = (
    *("-@all", "+@read", "+@write", "+@transaction", "+@connection"),
    *("-@dangerous", "-@admin", "-@scripting"),
)


def rule(*, password: str) -> str:
    """Return the line that lets the portal in; it holds the digest of the password alone."""
    digest = hashlib.sha256(password.encode()).hexdigest()
    keys = " ".join(f"~{each}" for each in KEYS)
    return f"user {USER} on #{digest} resetchannels {keys} {' '.join(COMMANDS)}"


def password_of(*, var: Path) -> str:
    """Return the password of the embedded server, empty before its first start."""
    try:
        return _file(var).read_text(encoding="ascii").strip()
    except OSError:
        return ""


def make_password(*, var: Path) -> str:
    """Keep a random password that this user alone reads, unless there is one; return it."""
    var.mkdir(parents=True, exist_ok=True)
    if not password_of(var=var):
        half = _file(var).with_suffix(f".{os.getpid()}")
        write_closed(half, secrets.token_urlsafe(32))
        try:
            os.link(half, _file(var))  # whole or not at all; of two at once one wins
        except FileExistsError:
            pass
        finally:
            half.unlink()
    return password_of(var=var)


def write_rules(*, var: Path, path: Path) -> None:
    """Write the rules that the embedded server starts with."""
    line = rule(password=make_password(var=var))
    path.unlink(missing_ok=True)
    write_closed(path, f"user default off resetkeys resetchannels -@all\n{line}")


def write_closed(path: Path, text: str) -> None:
    """Write a new file that this user alone may read."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text + "\n")


@contextmanager
def mutex(client: Any, name: str, expire: int) -> Iterator[None]:
    """Hold a lock of the server or raise MutexHeld: kombu's own, without a script.

    The lock of the client library is let go by a script in Lua, which the portal may not run.
    """
    mark = secrets.token_hex(16).encode()
    if not client.set(name, mark, nx=True, ex=expire):
        raise transport.MutexHeld
    try:
        yield
    finally:
        _let_go(client, name, mark)


def _let_go(client: Any, name: str, mark: bytes) -> None:
    with client.pipeline() as pipe:
        try:
            pipe.watch(name)
            if pipe.get(name) == mark:
                pipe.multi()
                pipe.delete(name)
                pipe.execute()
        except WatchError:
            return  # it ended meanwhile, and is another's


def _file(var: Path) -> Path:
    return var / "valkey.secret"
