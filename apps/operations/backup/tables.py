"""Every table as PostgreSQL sees it: its columns, its rows out and in, its counters."""

from collections.abc import Callable, Generator, Iterable
from typing import Final

import psycopg
from psycopg import sql

# What the migrations make themselves; who is signed in where, which is as good as a password.
LEFT_OUT: Final = frozenset({"django_migrations", "django_session", "usersessions_usersession"})
BINARY: Final = sql.SQL("(FORMAT binary)")

Connection = psycopg.Connection[tuple[object, ...]]


def names(connection: Connection) -> list[str]:
    """Return the tables that a backup holds, in order; partitions go with their table."""
    rows = connection.execute(
        "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition"
        " AND relnamespace = 'public'::regnamespace ORDER BY relname COLLATE \"C\""
    )
    return [str(name) for (name,) in rows if name not in LEFT_OUT]


def columns(connection: Connection, table: str) -> tuple[str, ...]:
    """Return the columns of a table that hold values of their own, in order."""
    rows = connection.execute(
        "SELECT column_name FROM information_schema.columns WHERE table_schema = 'public'"
        " AND table_name = %s AND is_generated = 'NEVER' ORDER BY ordinal_position",
        [table],
    )
    return tuple(str(name) for (name,) in rows)


def count(connection: Connection, table: str) -> int:
    """Return how many rows the connection sees in a table."""
    query = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))
    row = connection.execute(query).fetchone()
    return int(str(row[0])) if row else 0


def rows_out(
    connection: Connection, table: str, named: tuple[str, ...]
) -> Generator[bytes, None, None]:
    """Yield the rows that the connection sees, in binary, in an order that any server gives."""
    query = sql.SQL("COPY (SELECT {} FROM {} ORDER BY {}) TO STDOUT {}").format(
        _list(named), sql.Identifier(table), _order(connection, table), BINARY
    )
    with connection.cursor() as cursor, cursor.copy(query) as copy:
        for block in copy:
            yield bytes(block)


def rows_in(
    connection: Connection, table: str, named: tuple[str, ...], blocks: Iterable[bytes]
) -> int:
    """Write rows that `rows_out` gave; return how many. Needs the right to pass the policies."""
    query = sql.SQL("COPY {} ({}) FROM STDIN {}").format(
        sql.Identifier(table), _list(named), BINARY
    )
    with connection.cursor() as cursor:
        with cursor.copy(query) as copy:
            for block in blocks:
                copy.write(block)
        return cursor.rowcount


def empty(connection: Connection, tables: Iterable[str]) -> None:
    """Take away what the migrations put into tables that nobody uses yet."""
    if named := tuple(tables):
        connection.execute(sql.SQL("TRUNCATE {} CASCADE").format(_list(named)))


def sequences(connection: Connection) -> dict[str, int]:
    """Return the counters that were used, and where each stands."""
    rows = connection.execute(
        "SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = 'public'"
        " AND last_value IS NOT NULL ORDER BY sequencename"
    )
    return {str(name): int(str(value)) for name, value in rows}


def set_sequence(connection: Connection, name: str, value: int) -> None:
    """Let a counter go on from a value."""
    query = sql.SQL("SELECT setval({}, %s)").format(sql.Literal(f'public."{name}"'))
    connection.execute(query, [value])


def policies(connection: Connection) -> dict[str, bool]:
    """Return which tables are under forced row-level security."""
    rows = connection.execute(
        "SELECT relname, relrowsecurity AND relforcerowsecurity FROM pg_class"
        " WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace"
    )
    return {str(name): bool(is_forced) for name, is_forced in rows}


def without_force(connection: Connection, named: Iterable[str], work: Callable[[], None]) -> None:
    """Do something as the owner whom the policies don't bind for that long.

    In one transaction: nobody else ever sees the tables without, whatever happens.
    """
    closed = sorted(named)
    _force(connection, closed, sql.SQL("NO FORCE"))
    work()
    _force(connection, closed, sql.SQL("FORCE"))


def _force(connection: Connection, named: Iterable[str], how: sql.SQL) -> None:
    for table in named:
        statement = sql.SQL("ALTER TABLE {} {} ROW LEVEL SECURITY")
        connection.execute(statement.format(sql.Identifier(table), how))


def _order(connection: Connection, table: str) -> sql.Composed:
    """Return the columns of the primary key; text by its bytes, whatever a server's locale is."""
    rows = connection.execute(
        "SELECT attname, attcollation <> 0 FROM pg_index JOIN pg_attribute ON attrelid = indrelid"
        " WHERE indrelid = %s::regclass AND indisprimary AND attnum = ANY (indkey)"
        " ORDER BY array_position(indkey::int2[], attnum)",
        [f'public."{table}"'],
    )
    key: list[sql.Composable] = [
        sql.SQL('{} COLLATE "C"' if is_text else "{}").format(sql.Identifier(str(name)))
        for name, is_text in rows
    ]
    return sql.SQL(", ").join(key or [sql.SQL("1")])


def _list(named: tuple[str, ...]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, named))
