"""The database after a test that commits: only tables that hold something are emptied.

`TRUNCATE` of all of them makes a new file for each table and each index, which takes longer than
most of these tests.
"""

from pathlib import Path

import psycopg
from django.conf import settings
from django.db import connections
from django.test import TransactionTestCase
from psycopg import sql

from apps.operations.servers.private_sockets import socket_directory

# Pages that were ever written, of the tables of tests; what migrations themselves put there stays.
WRITTEN = """
SELECT relname FROM pg_class
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0
  AND relname NOT IN ('django_migrations', 'django_content_type', 'auth_permission')
"""


def empty_what_was_written() -> None:
    """Let tests that commit end by that, in the server of this run.

    Elsewhere Django empties all: what is done here takes PostgreSQL's superuser.
    """
    if settings.PORTAL_EMBEDS_DATABASE:
        TransactionTestCase._fixture_teardown = _empty  # type: ignore[attr-defined]


def _empty(_: TransactionTestCase) -> None:
    with psycopg.connect(
        host=str(socket_directory(var=Path(settings.PORTAL_VAR))),
        user="postgres",
        dbname=connections["owner"].settings_dict["NAME"],
    ) as server:
        # Neither rows that refer to each other nor what refuses to be deleted stands in the way.
        server.execute("SET session_replication_role = replica")
        for (table,) in server.execute(WRITTEN).fetchall():
            server.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))
