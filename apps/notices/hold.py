"""Sending on hold: a copy of a portal writes to nobody beside the original.

Kept as PostgreSQL's comment on the table of migrations. So it comes in the transaction of a restore
whatever version the backup is of, and only who owns the tables puts it on or lifts it.
"""

from datetime import datetime
from typing import Final

from django.db import connection, connections
from psycopg import sql

MARK: Final = "Sending is on hold"
READ: Final = "SELECT obj_description('public.django_migrations'::regclass, 'pg_class')"


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
