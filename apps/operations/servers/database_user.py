"""Who PostgreSQL runs as: it refuses root, and we make no users and touch nothing of others."""

import ctypes
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_CLONE_NEWUSER = 0x10000000
_INSIDE = 1000  # what root is called inside its name space; any number but 0
NOBODY = 65534
_libc = ctypes.CDLL(None, use_errno=True)


class NoIdentity(Exception):
    """PostgreSQL can't run here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """How a child stops being root, and who then owns what it writes."""

    change_ids: Callable[[], None] | None
    owner: int | None = None  # uid to give our own new directories to


def choose(*, binary: Path, data: Path) -> Identity:
    """Return the first way that works: as we are, in a user name space, as nobody."""
    if os.geteuid() != 0:
        return Identity(change_ids=None)
    kept = data.stat().st_uid if data.exists() else None
    if kept in {None, 0} and _runs(binary, enter_user_name_space):
        return Identity(change_ids=enter_user_name_space)
    if kept in {None, NOBODY} and _runs(binary, _within(data.parent)):
        return Identity(change_ids=become_nobody, owner=NOBODY)
    raise NoIdentity(
        "PostgreSQL does not run as root, this machine allows no user name spaces, and uid "
        f"{NOBODY} can't use {binary} and {data.parent}. Run the portal as a plain user, or set "
        "PORTAL_DATABASE_URL."
    )


def enter_user_name_space() -> None:
    """Become a plain user in a name space of this process; files it makes still belong to root."""
    if _libc.unshare(_CLONE_NEWUSER):
        raise OSError(ctypes.get_errno(), "unshare")
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{_INSIDE} 0 1", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{_INSIDE} 0 1", encoding="ascii")


def become_nobody() -> None:
    """Give up root for good."""
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def _within(directory: Path) -> Callable[[], None]:
    def change_ids() -> None:
        become_nobody()
        os.chdir(directory)

    return change_ids


def _runs(binary: Path, change_ids: Callable[[], None]) -> bool:
    try:
        done = subprocess.run(  # noqa: S603  PostgreSQL's own binary
            [binary, "--version"],
            preexec_fn=change_ids,
            capture_output=True,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0
