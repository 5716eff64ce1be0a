"""Many rows, changed or new, written by one statement with an array for each column.

Django's `bulk_update` builds an expression for each value: for the streams of a push from many
hosts that was two thirds of the work of reading it. Its `bulk_create` builds a placeholder for each
value where a column holds bytes, and psycopg looks for them in the text: for the events of a flood
that was most of the work of writing them.
"""

from collections.abc import Sequence
from typing import Any, Final

from django.db import connection
from django.db.models import Field, Model
from psycopg import sql

ROWS_AT_ONCE: Final = 2000
STATEMENT: Final = sql.SQL(
    "UPDATE {table} SET {values} FROM unnest({arrays}) AS new ({names}) WHERE {table}.id = new.id"
)

INSERTED: Final = sql.SQL(
    "INSERT INTO {table} ({names}) SELECT * FROM unnest({arrays}) ON CONFLICT DO NOTHING"
)


def insert_new_rows(*, rows: Sequence[Model]) -> None:
    """Write rows of one model, without those that are there by any of its constraints.

    Needs their scope. The rows don't learn their ids.
    """
    for start in range(0, len(rows), ROWS_AT_ONCE):
        _insert(rows=rows[start : start + ROWS_AT_ONCE])


def update_rows(*, rows: Sequence[Model], fields: Sequence[str]) -> None:
    """Write these fields of rows of one model, found by their ids. Needs their scope.

    For plain columns: numbers, text, bytes, times.
    """
    for start in range(0, len(rows), ROWS_AT_ONCE):
        _update(rows=rows[start : start + ROWS_AT_ONCE], fields=fields)


def _insert(*, rows: Sequence[Model]) -> None:
    meta = rows[0]._meta  # noqa: SLF001  Django's public name for it
    columns = [_Column(each) for each in meta.concrete_fields if not each.primary_key]
    statement = INSERTED.format(
        table=sql.Identifier(meta.db_table),
        names=sql.SQL(", ").join([each.name for each in columns]),
        arrays=sql.SQL(", ").join([each.array() for each in columns]),
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [each.values(rows) for each in columns])


def _update(*, rows: Sequence[Model], fields: Sequence[str]) -> None:
    meta = rows[0]._meta  # noqa: SLF001  Django's public name for it
    concrete = {each.name: each for each in meta.concrete_fields}
    columns = [_Column(concrete[name]) for name in ("id", *fields)]
    statement = STATEMENT.format(
        table=sql.Identifier(meta.db_table),
        values=sql.SQL(", ").join([each.assigned() for each in columns[1:]]),
        arrays=sql.SQL(", ").join([each.array() for each in columns]),
        names=sql.SQL(", ").join([each.name for each in columns]),
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [each.values(rows) for each in columns])


class _Column:
    """A field as it stands in the statement."""

    def __init__(self, field: "Field[Any, Any]") -> None:
        self.field = field
        self.name = sql.Identifier(str(field.column))

    def assigned(self) -> sql.Composed:
        return sql.SQL("{0} = new.{0}").format(self.name)

    def array(self) -> sql.Composed:
        # Without its length, so that text that is too long is refused, not cut.
        kind, _, _ = str(self.field.db_type(connection)).partition("(")
        return sql.SQL("%s::{}[]").format(sql.SQL(kind))

    def values(self, rows: Sequence[Model]) -> list[Any]:
        said = [getattr(row, self.field.attname) for row in rows]
        return [self.field.get_db_prep_save(each, connection) for each in said]
