"""Questions that one test asks the database over and over, answered once.

A reading asks eleven times for the same incident, and each time most questions are the same, down
to the scope they are asked in. Here an answer holds until a row of one of its tables is written.
Scopes are opened without a savepoint and set only before a question really goes out. What a page,
an answer of REST or a format of a file makes of it runs as it does elsewhere, and the sample in
test_equal_channels.py is read without any of this.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import pytest
from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models.sql import compiler
from django.db.models.sql.constants import MULTI, SINGLE

from apps.api.v1.views.incident.exports import IncidentExport
from apps.incidents.models import Incident
from apps.incidents.projection import incident_view
from apps.incidents.projection.header_values import IncidentFacts
from apps.incidents.projection.values import LookFirst
from apps.sharing.ledger_kinds import LedgerChannel
from apps.tenancy import scope
from apps.tenancy.access import Actor
from apps.tenancy.one_reading import one_reading

TABLES: Final = re.compile(r'"(\w+)"')
SET: Final = "SELECT set_config(%s, %s, true)"
Answer = tuple[frozenset[str], list[tuple[Any, ...]]]  # the names in its question, its rows


@dataclass(slots=True)
class RememberedAnswers:
    """What was answered, by scope and question; and the scope that is wanted and that is set."""

    answers: dict[tuple[str, str, str], Answer] = field(default_factory=dict)
    wanted: str = ""
    set_now: str | None = None  # None: not known
    asked_count: int = 0
    known_count: int = 0

    def rows(self, asked: compiler.SQLCompiler, sql: str, params: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a question, from memory where they are known."""
        key = (self.wanted, sql, repr(params))
        self.asked_count += 1
        if key in self.answers:
            self.known_count += 1
            return self.answers[key][1]
        with asked.connection.cursor() as cursor:
            cursor.execute(sql, params)
            found: list[tuple[Any, ...]] = cursor.fetchall()
        self.answers[key] = (frozenset(TABLES.findall(sql)), found)
        return found

    def forget(self, table: str) -> None:
        """Drop what was answered of a table that is written."""
        old = [key for key, (names, _) in self.answers.items() if table in names]
        for key in old:
            del self.answers[key]

    def before(self, execute: Any, sql: Any, params: Any, many: Any, context: Any) -> Any:
        """Set the scope that is wanted before a statement goes to the database."""
        statement = str(sql)
        if statement.startswith("ROLLBACK"):
            self.set_now = None  # it goes back to what it was, whatever that is
        elif self.set_now != self.wanted and not statement.startswith(("SAVEPOINT", "RELEASE")):
            self.set_now = self.wanted
            execute(SET, [scope.SETTING, self.wanted], False, context)
        return execute(sql, params, many, context)

    def enter(self, value: str) -> str:
        """Want a scope, and return the one before."""
        former, self.wanted = self.wanted, value
        return former

    def leave(self, former: str) -> None:
        """Want the scope before again."""
        self.wanted = former

    @contextmanager
    def atomic(self) -> Iterator[None]:
        """Stand in for a savepoint: the scope is as before also where an error ends it."""
        former = self.wanted
        try:
            yield
        finally:
            self.wanted = former


@contextmanager
def remembered_answers() -> Iterator[RememberedAnswers]:
    """Remember what the database answers until the block ends. Needs a transaction that is open."""
    memory = RememberedAnswers()
    ask = compiler.SQLCompiler.execute_sql

    def answer(self: compiler.SQLCompiler, result_type: Any = MULTI, **more: Any) -> Any:
        of_rows = type(self) in (compiler.SQLCompiler, compiler.SQLAggregateCompiler)
        if not of_rows or result_type not in (MULTI, SINGLE) or self.query.select_for_update:
            if not of_rows:
                memory.forget(self.query.get_meta().db_table)
            return ask(self, result_type, **more)
        try:
            sql, params = self.as_sql()
        except EmptyResultSet:
            return iter([]) if result_type == MULTI else None
        rows = memory.rows(self, sql, params)
        if result_type == MULTI:
            return [[row[: self.col_count] for row in rows] if self.has_extra_select else rows]
        return rows[0][: self.col_count] if rows else None

    def insert(self: compiler.SQLInsertCompiler, *args: Any, **more: Any) -> Any:
        memory.forget(self.query.get_meta().db_table)
        return put(self, *args, **more)

    put = compiler.SQLInsertCompiler.execute_sql
    with pytest.MonkeyPatch.context() as patch, connection.execute_wrapper(memory.before):
        patch.setattr(compiler.SQLCompiler, "execute_sql", answer)
        patch.setattr(compiler.SQLInsertCompiler, "execute_sql", insert)
        patch.setattr(scope, "transaction", memory)
        patch.setattr(scope, "_enter", memory.enter)
        patch.setattr(scope, "_set", memory.leave)
        yield memory
    with connection.cursor() as cursor:
        cursor.execute(SET, [scope.SETTING, ""])


@contextmanager
def one_reading_of_a_party() -> Iterator[None]:
    """Work out once, for one party's reading of one incident, what each way of asking begins with:
    what others show, the view of a page, and the document that all formats of a file are made of.
    """
    known: dict[tuple[Any, ...], Any] = {}
    read, write = incident_view.read_incident, IncidentExport.document

    def read_once(
        *,
        actor: Actor,
        incident: Incident,
        channel: LedgerChannel | None,
        look_first: LookFirst | None = None,
    ) -> Any:
        if look_first is not None:  # what it ends is no reading to keep
            return read(actor=actor, incident=incident, channel=channel, look_first=look_first)
        key = (actor.organization.pk, incident.pk, channel)
        if key not in known:
            known[key] = read(actor=actor, incident=incident, channel=channel)
        return known[key]

    def write_once(self: IncidentExport, incident: IncidentFacts) -> Any:
        key = (self.actor.organization.pk, incident.public_id)
        if key not in known:
            known[key] = write(self, incident)
        return known[key]

    with pytest.MonkeyPatch.context() as patch, one_reading():
        patch.setattr(incident_view, "read_incident", read_once)
        patch.setattr(IncidentExport, "document", write_once)
        yield
