"""A migration that waits for a long reader does not hold up everybody else meanwhile."""

from threading import Thread

import psycopg
import pytest
from django.db import connections

from apps.tenancy.database.migration_locks import lock_patiently

TABLE = "telemetry_logchunk"
READ = "SELECT count(*) FROM telemetry_logchunk"


def connect() -> "psycopg.Connection[tuple[object, ...]]":
    """Return a connection of its own, of the owner."""
    known = connections["owner"].get_connection_params()
    names = ("dbname", "user", "password", "host", "port")
    return psycopg.connect(**{name: known[name] for name in names if name in known})


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_who_comes_while_a_long_reader_is_waited_for_is_let_through() -> None:
    with connect() as reader, connect() as migrating, connect() as other:
        reader.execute(READ)
        statement = lock_patiently(f"{TABLE} IN ACCESS EXCLUSIVE MODE")
        waiting = Thread(target=migrating.execute, args=(statement,))
        waiting.start()
        while not other.execute(
            "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = %s::regclass", [TABLE]
        ).fetchall():
            other.execute("SELECT pg_sleep(0.02)")
        other.rollback()

        other.execute("SET lock_timeout = '20s'")
        other.execute(READ)
        other.rollback()
        assert waiting.is_alive()
        reader.rollback()
        waiting.join()

        held = "SELECT mode FROM pg_locks WHERE relation = %s::regclass AND pid = %s"
        modes = other.execute(held, [TABLE, migrating.info.backend_pid]).fetchall()
        assert modes == [("AccessExclusiveLock",)]
