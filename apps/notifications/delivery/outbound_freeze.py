"""Sending on hold: a copy of a portal writes to nobody beside the original.

Kept as PostgreSQL's comment on the table of migrations. So it comes in the transaction of a restore
whatever version the backup is of, and only who owns the tables puts it on or lifts it.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from django.db import connection, connections
from psycopg import sql

MARK: Final = "Sending is on hold"
READ: Final = "SELECT obj_description('public.django_migrations'::regclass, 'pg_class')"
TOLD: Final = re.compile(rf"{MARK} since (\d{{4}}-\d\d-\d\d \d\d:\d\d) UTC: (.*)", re.DOTALL)
COPY: Final = "this is a copy, restored from a backup of "


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """Since when nothing is sent. `copied_at`: of when the backup is that a copy came from."""

    since: datetime | None
    copied_at: datetime | None = None


def standing() -> Hold | None:
    """Return how the hold stands, for pages; None where things go out."""
    text = said()
    if not text:
        return None
    told = TOLD.fullmatch(text)
    if told is None:
        return Hold(since=None)
    copied = _moment(told[2].removeprefix(COPY)) if told[2].startswith(COPY) else None
    return Hold(since=_moment(told[1]), copied_at=copied)


def said() -> str:
    """Return since when and why nothing is sent; empty where things go out."""
    with connection.cursor() as cursor:
        cursor.execute(READ)
        comment = str((cursor.fetchone() or ("",))[0] or "")
    return comment if comment.startswith(MARK) else ""


def put_on(*, why: str, now: datetime) -> None:
    """Let nothing go out from now on, once the owner's transaction ends."""
    _comment(f"{MARK} since {now:%Y-%m-%d %H:%M} UTC: {why}")


def lift() -> None:
    """Let what waits go out, and what comes."""
    _comment(None)


def _comment(text: str | None) -> None:
    statement = sql.SQL("COMMENT ON TABLE public.django_migrations IS {}")
    with connections["owner"].cursor() as cursor:
        cursor.execute(statement.format(sql.Literal(text)))


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
