"""What was said to the servers and the portal is in no log: a planted word is looked for."""

import io
import logging
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import DatabaseError, connection, transaction

from apps.operations.process_log.log_lines import JsonLines
from apps.operations.process_log.loggers import logging_of
from apps.operations.servers.processes import _open_log
from apps.tenancy.models import Organization, User
from tests.cast import make

CANARY = "pbkdf2-canary-5f1c"
NEEDS_EMBEDDED = pytest.mark.skipif(
    not settings.PORTAL_EMBEDS_DATABASE,
    reason="the server is not ours, nor its log: unset PORTAL_DATABASE_URL",
)


def _twice() -> None:
    for _ in range(2):
        make.organization(CANARY)


def _not_null() -> None:
    values: dict[str, Any] = {"username": CANARY, "password": CANARY, "is_active": None}
    User.objects.create(**values)


def _bad_number() -> None:
    _say("SELECT %s::bigint", CANARY)


def _too_long() -> None:
    Organization.objects.create(slug=CANARY * 30, name="x")


def _no_such_table() -> None:
    _say(f"SELECT * FROM nowhere WHERE a = '{CANARY}'")  # noqa: S608  a literal of ours


def _no_policy() -> None:
    _say("INSERT INTO tenancy_auditentry (actor, organization_id) VALUES (%s, 1)", CANARY)


def _own_words() -> None:
    _say(f"DO $$ BEGIN RAISE EXCEPTION 'x' USING DETAIL = '{CANARY}'; END $$")


def _bound() -> None:
    _say("SELECT 1")
    # Parameters apart from the statement, as Django can be set to send them.
    psycopg.Cursor(connection.connection).execute("SELECT %s::text::bigint", [CANARY])


def _slow() -> None:
    _say("SELECT pg_sleep(0.1), %s", CANARY)


def _say(statement: str, *values: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values or None)


FAULTS = (
    *(_twice, _not_null, _bad_number, _too_long, _no_such_table),
    *(_no_policy, _own_words, _bound, _slow),
)


def written_by(act: Callable[[], None]) -> str:
    """Return what the portal's own log says of an act that may fail, at its most talkative."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        with transaction.atomic():
            act()
    except (DatabaseError, psycopg.Error):
        logging.getLogger("portal.test").exception("task.ended")
    finally:
        root.removeHandler(handler)
    return stream.getvalue()


@NEEDS_EMBEDDED
@pytest.mark.django_db
@pytest.mark.parametrize("act", FAULTS)
def test_no_value_of_a_statement_that_fails_is_in_a_log(act: Callable[[], None]) -> None:
    said = written_by(act)

    logs = sorted((Path(settings.PORTAL_VAR) / "log").glob("*.log"))
    assert {each.name for each in logs} >= {"postgresql.log", "valkey.log"}
    found = [each.name for each in logs if CANARY.encode() in each.read_bytes()]
    assert found == []
    assert CANARY not in said


@NEEDS_EMBEDDED
@pytest.mark.django_db
def test_the_log_still_tells_of_the_server() -> None:
    said = (Path(settings.PORTAL_VAR) / "log" / "postgresql.log").read_text(encoding="utf-8")

    assert "database system is ready to accept connections" in said


def test_statements_are_no_lines_of_the_log_at_any_level() -> None:
    chosen = logging_of(level="DEBUG")["loggers"]
    assert chosen["django.db.backends"]["level"] == "WARNING"
    assert chosen["celery"]["level"] == "INFO"


def test_a_log_is_closed_to_others_also_one_that_was_open(tmp_path: Path) -> None:
    former = tmp_path / "log" / "web.log"
    former.parent.mkdir()
    former.write_text("x\n")
    former.chmod(0o644)

    umask = os.umask(0)
    try:
        for path in (former, tmp_path / "log" / "new.log"):
            _open_log(path).close()
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
    finally:
        os.umask(umask)
    assert former.read_text() == "x\n"
