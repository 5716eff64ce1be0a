"""Is there room for what is pushed: a backlog that shrinks, a quota, a disk."""

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import connection

from apps.telemetry.models import LogStream
from apps.telemetry.retention import quota, usage

MOST_STREAMS: Final = 200_000
DATABASE_SECONDS: Final = 15.0  # the size of a database is asked for so often at most


class OverQuota(Exception):
    """The organization has more waiting than it may; send it again later."""


class StorageFull(OverQuota):
    """The organization keeps as much as it may; nothing is deleted before its time."""


class DiskFull(OverQuota):
    """A disk that the portal writes to is nearly full; what was acknowledged stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disk:
    """How full one place is that the portal writes to."""

    name: str  # storage, database
    used: int
    size: int

    @property
    def percent(self) -> float:
        """The share that is used."""
        return 100 * self.used / self.size if self.size else 0.0


def require_quota(*, organization_id: int) -> None:
    """Raise StorageFull where an organization keeps what it may. Needs the scope."""
    limit = quota.limit_of(organization_id=organization_id)
    stored = usage.stored_bytes(organization_id=organization_id) if limit else 0
    if stored > limit:
        raise StorageFull(
            f"this organization keeps {quota.size_text(stored)} "
            f"and may keep {quota.size_text(limit)} "
            "(manage.py quota, PORTAL_MAX_STORED_BYTES); nothing goes before its time: raise the "
            "limit, or shorten how long a class is kept"
        )


def require_streams(*, organization_id: int) -> None:
    """Raise OverQuota where an organization has too many streams of logs. Needs the scope.

    As last measured: who makes more at once meets the limit a little later.
    """
    count = usage.row_count(organization_id=organization_id, model=LogStream)
    if count > MOST_STREAMS:
        raise OverQuota(
            f"this organization has {count} streams of logs and may have {MOST_STREAMS}; nothing "
            "of this was stored. A label with ever new values makes a stream of each: leave it "
            "out of the labels, or shorten how long events are kept"
        )


def require_disk() -> None:
    """Raise DiskFull before a disk is so full that something breaks."""
    for disk in disks():
        if disk.percent >= settings.PORTAL_MAX_DISK_PERCENT:
            raise DiskFull(
                f"the disk of the {disk.name} is {disk.percent:.0f} % full and may be "
                f"{settings.PORTAL_MAX_DISK_PERCENT} % (PORTAL_MAX_DISK_PERCENT); nothing was "
                "stored, send it again later"
            )


def disks() -> list[Disk]:
    """Return each place that the portal writes to and can see."""
    found = [_file_system("storage", Path(settings.PORTAL_STORAGE))]
    if settings.PORTAL_EMBEDS_DATABASE:
        found.append(_file_system("database", Path(settings.PORTAL_VAR)))
    elif settings.PORTAL_DATABASE_DISK_BYTES:
        size = settings.PORTAL_DATABASE_DISK_BYTES
        found.append(Disk(name="database", used=_database_size(), size=size))
    return found


def _file_system(name: str, path: Path) -> Disk:
    while not path.exists() and path != path.parent:
        path = path.parent
    found = os.statvfs(path)
    # As df counts: what only root may fill is no room.
    used = (found.f_blocks - found.f_bfree) * found.f_frsize
    return Disk(name=name, used=used, size=used + found.f_bavail * found.f_frsize)


_measured: tuple[float, int] = (-DATABASE_SECONDS, 0)


def _database_size() -> int:
    global _measured  # noqa: PLW0603  one figure of one process, read on every push
    at, size = _measured
    if time.monotonic() - at >= DATABASE_SECONDS:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_database_size(current_database())")
            (size,) = cursor.fetchone()
        _measured = (time.monotonic(), int(size))
    return int(size)
