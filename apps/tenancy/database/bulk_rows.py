"""Many rows, changed or new, written by one statement that is given all of them as one JSON text.

Django's `bulk_update` builds an expression for each value: for the streams of a push from many
hosts that was two thirds of the work of reading it. Its `bulk_create` builds a placeholder for each
value where a column holds bytes, and psycopg looks for them in the text: for the events of a flood
that was most of the work of writing them. psycopg quotes each element of an array in Python, which
was half of it; a JSON text is made and quoted at once.
"""

import json
import math
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from django.db import connection
from django.db.models import Field, Model
from psycopg import Binary, sql
from psycopg.types.json import Jsonb

ROWS_AT_ONCE: Final = 2000
AS_THEY_ARE: Final = frozenset({bool, int, str, type(None)})
STATEMENT: Final = sql.SQL(
    "UPDATE {table} SET {values} FROM json_to_recordset(%s) AS new ({columns}) "
    "WHERE {table}.id = new.id"
)
INSERTED: Final = sql.SQL(
    "INSERT INTO {table} ({names}) SELECT * FROM json_to_recordset(%s) AS new ({columns}) "
)
WITHOUT_KNOWN: Final = sql.SQL("ON CONFLICT DO NOTHING")
OVER_KNOWN: Final = sql.SQL("ON CONFLICT ({key}) DO UPDATE SET {values}")


def insert_new_rows(*, rows: Sequence[Model]) -> None:
    """Write rows of one model, without those that are there by any of its constraints.

    Needs their scope. The rows don't learn their ids.
    """
    for start in range(0, len(rows), ROWS_AT_ONCE):
        _insert(rows=rows[start : start + ROWS_AT_ONCE], conflict=WITHOUT_KNOWN)


def insert_or_update_rows(
    *, rows: Sequence[Model], key: Sequence[str], fields: Sequence[str]
) -> None:
    """Write rows of one model; where one of the same key is there, these fields of it.

    Needs their scope. The rows don't learn their ids; no two of them have the same key.
    """
    for start in range(0, len(rows), ROWS_AT_ONCE):
        part = rows[start : start + ROWS_AT_ONCE]
        concrete = _concrete(part)
        conflict = OVER_KNOWN.format(
            key=sql.SQL(", ").join([_Column(concrete[name]).name for name in key]),
            values=sql.SQL(", ").join([_Column(concrete[name]).replaced() for name in fields]),
        )
        _insert(rows=part, conflict=conflict)


def update_rows(*, rows: Sequence[Model], fields: Sequence[str]) -> None:
    """Write these fields of rows of one model, found by their ids. Needs their scope.

    For plain columns: numbers, text, bytes, times.
    """
    for start in range(0, len(rows), ROWS_AT_ONCE):
        _update(rows=rows[start : start + ROWS_AT_ONCE], fields=fields)


def _insert(*, rows: Sequence[Model], conflict: sql.Composable) -> None:
    columns = [_Column(each) for each in _concrete(rows).values() if not each.primary_key]
    statement = INSERTED.format(
        table=_table(rows),
        names=sql.SQL(", ").join([each.name for each in columns]),
        columns=sql.SQL(", ").join([each.typed() for each in columns]),
    )
    with connection.cursor() as cursor:
        cursor.execute(statement + conflict, [_text(columns, rows)])


def _update(*, rows: Sequence[Model], fields: Sequence[str]) -> None:
    concrete = _concrete(rows)
    columns = [_Column(concrete[name]) for name in ("id", *fields)]
    statement = STATEMENT.format(
        table=_table(rows),
        values=sql.SQL(", ").join([each.assigned() for each in columns[1:]]),
        columns=sql.SQL(", ").join([each.typed() for each in columns]),
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [_text(columns, rows)])


def _text(columns: "Sequence[_Column]", rows: Sequence[Model]) -> str:
    names = [each.column for each in columns]
    values = zip(*(each.values(rows) for each in columns), strict=True)
    return json.dumps([dict(zip(names, row, strict=True)) for row in values], default=_plain)


def _plain(value: Any) -> Any:
    """Return what JSON has no kind for as PostgreSQL reads it in a text."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Jsonb):
        return value.obj
    return f"\\x{bytes(value.obj if isinstance(value, Binary) else value).hex()}"


def _table(rows: Sequence[Model]) -> sql.Identifier:
    return sql.Identifier(rows[0]._meta.db_table)  # noqa: SLF001  Django's public name for it


def _concrete(rows: Sequence[Model]) -> "dict[str, Field[Any, Any]]":
    meta = rows[0]._meta  # noqa: SLF001  Django's public name for it
    return {each.name: each for each in meta.concrete_fields}


class _Column:
    """A field as it stands in the statement."""

    def __init__(self, field: "Field[Any, Any]") -> None:
        self.field = field
        self.column = str(field.column)
        self.name = sql.Identifier(self.column)

    def assigned(self) -> sql.Composed:
        return sql.SQL("{0} = new.{0}").format(self.name)

    def replaced(self) -> sql.Composed:
        return sql.SQL("{0} = EXCLUDED.{0}").format(self.name)

    def typed(self) -> sql.Composed:
        # Without its length, so that text that is too long is refused, not cut.
        kind, _, _ = str(self.field.db_type(connection)).partition("(")
        return sql.SQL("{} {}").format(self.name, sql.SQL(kind))

    def values(self, rows: Sequence[Model]) -> list[Any]:
        said = [getattr(row, self.field.attname) for row in rows]
        return [each if type(each) in AS_THEY_ARE else self._prepared(each) for each in said]

    def _prepared(self, value: Any) -> Any:
        said = self.field.get_db_prep_save(value, connection)
        # JSON has no numbers without an end; PostgreSQL reads their names.
        return str(said) if isinstance(said, float) and not math.isfinite(said) else said
