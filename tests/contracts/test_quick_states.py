"""Tests run on the tables that people have, though theirs are made in a shorter way."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import psycopg
import pytest
from django.conf import settings
from django.db import connections

from apps.operations.servers import embedded
from apps.operations.servers.private_sockets import socket_directory
from apps.operations.servers.processes import Child
from tests.prepared import prepare

pytestmark = [
    pytest.mark.sweep,
    pytest.mark.skipif(
        not settings.PORTAL_EMBEDS_DATABASE,
        reason="the server is not ours, so that nothing is shortened: unset PORTAL_DATABASE_URL",
    ),
]
# Days of raw text come and go; all else is compared as PostgreSQL writes it down.
LASTING = """
CREATE TEMPORARY VIEW lasting AS SELECT * FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND NOT relispartition
  AND relkind IN ('r', 'p', 'v', 'S')
"""
WRITTEN_DOWN = {
    "tables": "SELECT relname, relkind, relrowsecurity, relforcerowsecurity, relacl FROM lasting",
    "columns": "SELECT relname, attname, format_type(atttypid, atttypmod), attnotnull,"
    " attidentity, pg_get_expr(adbin, adrelid)"
    " FROM pg_attribute JOIN lasting ON lasting.oid = attrelid"
    " LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum"
    " WHERE attnum > 0 AND NOT attisdropped",
    "constraints": "SELECT relname, conname, pg_get_constraintdef(pg_constraint.oid)"
    " FROM pg_constraint JOIN lasting ON conrelid = lasting.oid",
    "indexes": "SELECT relname, pg_get_indexdef(indexrelid)"
    " FROM pg_index JOIN lasting ON indrelid = oid",
    "policies": "SELECT tablename, policyname, cmd, roles, qual, with_check FROM pg_policies",
    "triggers": "SELECT relname, pg_get_triggerdef(pg_trigger.oid)"
    " FROM pg_trigger JOIN lasting ON tgrelid = lasting.oid WHERE NOT tgisinternal",
    "functions": "SELECT proname, proacl, pg_get_functiondef(oid) FROM pg_proc"
    " WHERE pronamespace = 'public'::regnamespace",
    "migrations": "SELECT app, name FROM django_migrations",
}


@contextmanager
def served(var: Path) -> Iterator[None]:
    """Let the PostgreSQL of an installation run, and nothing else of it."""
    server = Child(embedded.postgres(var=var, is_durable=False))
    try:
        server.wait_ready(seconds=60, pause=Event())
        yield
    finally:
        server.stop()


def written_down(var: Path, database: str) -> dict[str, set[str]]:
    """Return what PostgreSQL says of all that migrations made in a database, by what it is."""
    where = str(socket_directory(var=var))
    with psycopg.connect(host=where, user="postgres", dbname=database) as server:
        server.execute(LASTING)
        return {
            what: {repr(row) for row in server.execute(query.encode())}
            for what, query in WRITTEN_DOWN.items()
        }


@pytest.mark.django_db(databases=["default", "owner"])
def test_tables_of_tests_are_those_of_a_portal(tmp_path: Path) -> None:
    var = prepare(tmp_path / "var")
    with served(var):
        theirs = written_down(var, "portal")
    ours = written_down(Path(settings.PORTAL_VAR), connections["owner"].settings_dict["NAME"])

    assert len(theirs["tables"]) > 50
    assert {what: (ours[what] - rows, rows - ours[what]) for what, rows in theirs.items()} == {
        what: (set(), set()) for what in WRITTEN_DOWN
    }
