"""The database after a test that commits: only tables that hold something are emptied.

`TRUNCATE` of all of them makes a new file for each table and each index, which takes longer than
most of these tests.
"""

from pathlib import Path
from threading import Event

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

# A request that a test's own hook sent last may still be on its way when the test has seen what it
# waited for.
BUSY = """
SELECT pid FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
  AND backend_type = 'client backend' AND state <> 'idle'
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
        _wait_for_others(server)
        # Neither rows that refer to each other nor what refuses to be deleted stands in the way.
        server.execute("SET session_replication_role = replica")
        for (table,) in server.execute(WRITTEN).fetchall():
            server.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))


def _wait_for_others(server: psycopg.Connection) -> None:
    """Return when nothing else is being done in the database, after 5 s at most.

    What is emptied beside a transaction that writes ends in a deadlock, or leaves its rows to the
    next test.
    """
    pause = Event()
    for _ in range(100):
        if not server.execute(BUSY).fetchall():
            return
        # pg_stat_activity is read once per transaction.
        server.rollback()
        pause.wait(0.05)
