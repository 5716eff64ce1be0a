"""What stands of rows of the time before who may say what was judged, and parties that had left."""

import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from apps.operations.servers import embedded, private_sockets
from apps.operations.servers.processes import Child
from tests.running import environment, inside, manage

AT = datetime(2026, 11, 2, 3, tzinfo=UTC)
BEFORE = (("incidents", "0003"), ("fleet", "0003"))
# What a column that a row says nothing of holds, by its type.
EMPTY: Mapping[str, Any] = {
    "boolean": False, "bigint": 0, "integer": 0, "smallint": 0, "double precision": 0.0,
    "jsonb": Jsonb({}), "timestamp with time zone": AT, "ARRAY": [], "bytea": b"",
}  # fmt: skip
READ = """
import json
from apps.diagnosis.model import statement_of
from apps.fleet.sessions.report_merging import known_word
from apps.fleet.models import Attempt
from apps.incidents.projection.access import access_incident
from apps.incidents.projection.incident_view import read_incident
from apps.tenancy.access import Actor, Right
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from apps.wording import in_english

def word(attempt, field):
    found = known_word(attempt=attempt, field=field)
    return str(found.standing) if found else None

found = {}
tenant, former = (Organization.objects.get(slug=each) for each in ("ten", "old"))
with organization_scope(tenant.pk):
    for each in Attempt.objects.select_related("session").order_by("id"):
        found[each.session.name] = [
            each.hosts_asserted, each.session.is_asserted, word(each, "hosts"), word(each, "state")
        ]
for each in (tenant, former):
    with organization_scope(each.pk):
        actor = Actor(organization=each, rights=frozenset(Right), user=None)
        incident = access_incident(actor=actor, public_id="INC-1")
        views = [read_incident(actor=actor, incident=incident)]
        found[each.slug] = [
            [
                view.header.incident.public_id,
                view.header.left_at is not None,
                [note.text for note in view.annotations],
                [
                    in_english(statement_of(each.statement))
                    for hypothesis in view.hypotheses for each in hypothesis.supporting
                ],
            ]
            for view in views
        ]
print(json.dumps(found))
"""


class Rows:
    """Writes rows of any version of the tables, past their policies."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def add(self, table: str, **said: Any) -> int:
        """Insert a row; what must be said and is not is empty. Return its id."""
        columns = self._connection.execute(
            "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = %s"
            " AND is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO'",
            [table],
        ).fetchall()
        values = {name: EMPTY.get(kind, "") for name, kind in columns} | said
        query = sql.SQL("INSERT INTO {} ({}) VALUES ({}) RETURNING id").format(
            sql.Identifier(table),
            sql.SQL(", ").join(map(sql.Identifier, values)),
            sql.SQL(", ").join(sql.Placeholder() * len(values)),
        )
        row = self._connection.execute(query, list(values.values())).fetchone()
        assert row is not None
        return int(row[0])


def connect(var: Path) -> psycopg.Connection[Any]:
    """Return a connection that no policy binds."""
    sockets = str(private_sockets.socket_directory(var=var))
    return psycopg.connect(host=sockets, user="postgres", dbname="portal", autocommit=True)


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[tuple[Path, Mapping[str, str]]]:
    """Return where an empty installation of the version before is, and its variables."""
    var = tmp_path / "var"
    var.mkdir(mode=0o711)
    urls = {
        "PORTAL_DATABASE_URL": private_sockets.database_url(var=var, role="portal_app"),
        "PORTAL_OWNER_DATABASE_URL": private_sockets.database_url(var=var, role="portal_owner"),
        "PORTAL_SECRET_KEYS": os.urandom(32).hex(),
    }
    server = Child(embedded.postgres(var=var, is_durable=False))
    try:
        server.wait_ready(seconds=30, pause=Event())
        embedded.provision(var=var)
        variables = environment(var, urls)
        for app, name in BEFORE:
            manage("migrate", "--database", "owner", app, name, variables=variables)
        yield var, variables
    finally:
        server.stop()


def fill(rows: Rows) -> None:
    """Write sessions that several parties told of, and an incident that one of them left."""
    slugs = ("op", "plat", "ten", "vendor", "old")
    by = {
        slug: rows.add("tenancy_organization", slug=slug, name=slug, created_at=AT)
        for slug in slugs
    }
    cluster = rows.add("fleet_cluster", slug="c1", name="C1", created_at=AT)
    parts = {"op": "operator", "plat": "platform", "ten": "tenant", "vendor": "gpu_vendor"}
    for slug, part in parts.items():
        rows.add("fleet_participation", organization_id=by[slug], cluster_id=cluster, part=part)
    attempts = {}
    for name, reporter, place in (
        ("by-platform", "plat", cluster),
        ("by-tenant", "ten", cluster),
        ("by-vendor", "vendor", cluster),
        ("by-nobody", "", cluster),
        ("ad-hoc", "ten", None),
    ):
        told = [reporter, AT.isoformat()]
        session = rows.add(
            "fleet_session", organization_id=by["ten"], cluster_id=place, name=name, public_id=name
        )
        attempts[name] = (
            session,
            rows.add(
                "fleet_attempt",
                organization_id=by["ten"],
                session_id=session,
                number=1,
                state="failed",
                ended_at=AT,
                hosts=["gpu001"],
                field_sources=Jsonb({"hosts": told, "state": told} if reporter else {}),
            ),
        )
    _incident(rows, by, cluster, *attempts["by-platform"])


def _incident(rows: Rows, by: Mapping[str, int], cluster: int, session: int, attempt: int) -> None:
    for slug in ("op", "ten", "old"):
        rows.add("fleet_sessionparty", organization_id=by[slug], session_id=session)
    incident = rows.add(
        "incidents_incident",
        organization_id=by["ten"],
        cluster_id=cluster,
        attempt_id=attempt,
        public_id="INC-1",
        kind="stop",
        status="open",
        layer="gpu",
        verdict_status="likely",
        restart=Jsonb({"advice": "restart", "exclude_hosts": []}),
        coverage=Jsonb([]),
        actions=Jsonb([]),
        culprits=Jsonb([]),
        parties=Jsonb([{"organization": by["ten"], "parts": ["tenant"]}]),
    )
    part_of = {"op": "operator", "ten": "tenant", "old": "platform"}
    for slug, part in part_of.items():
        rows.add(
            "incidents_incidentparty",
            organization_id=by[slug],
            incident_id=incident,
            parts=[part],
            sees_culprit=True,
        )
    rows.add(
        "incidents_hypothesis",
        organization_id=by["ten"],
        incident_id=incident,
        layer="gpu",
        cause="gpu-off-bus",
        culprits=Jsonb([]),
        held=Jsonb([]),
        missing=Jsonb([]),
    )
    for slug in ("ten", "old"):
        rows.add(
            "incidents_evidenceitem",
            organization_id=by[slug],
            incident_id=incident,
            attempt_id=attempt,
            cause="gpu/gpu-off-bus",
            side="for",
            text=f"words of {slug}",
        )
    for text, is_withdrawn in (("stands", False), ("withdrawn", True)):
        rows.add(
            "incidents_annotation",
            organization_id=by["ten"],
            incident_id=incident,
            public_id=text,
            text=text,
            audience=[by["op"], by["old"]],
            is_withdrawn=is_withdrawn,
            version=1,
        )


def test_rows_of_the_time_before_stand_as_the_parts_of_today_say(
    installation: tuple[Path, Mapping[str, str]],
) -> None:
    var, variables = installation
    with connect(var) as connection:
        fill(Rows(connection))
    manage("migrate", "--database", "owner", variables=variables)
    found = inside(READ, variables=variables)

    assert {name: found[name] for name in found if name not in {"ten", "old"}} == {
        "by-platform": [True, True, "asserted", "asserted"],
        "by-tenant": [False, False, "claimed", "asserted"],
        "by-vendor": [False, False, "claimed", "claimed"],
        "by-nobody": [False, False, None, None],
        "ad-hoc": [False, False, "asserted", "asserted"],
    }
    # Of what it withdrew its author reads that it did, and no words.
    assert found["ten"] == [["INC-1", False, ["stands", ""], ["words of ten"]]]
    assert found["old"] == [["INC-1", True, ["stands"], ["words of old"]]]
    with connect(var) as connection:
        left = connection.execute(
            "SELECT o.slug, p.left_at IS NOT NULL, jsonb_array_length(p.attempts_then)"
            " FROM fleet_sessionparty p JOIN tenancy_organization o ON o.id = p.organization_id"
            " ORDER BY o.slug"
        ).fetchall()
        claims = connection.execute("SELECT DISTINCT is_claimed FROM incidents_evidenceitem")
        assert claims.fetchall() == [(False,)]
        audiences = connection.execute(
            "SELECT text, cardinality(audience) FROM incidents_annotation ORDER BY text"
        )
        assert audiences.fetchall() == [("stands", 2), ("withdrawn", 0)]
        open_tables = connection.execute(
            "SELECT relname FROM pg_class WHERE relrowsecurity AND NOT relforcerowsecurity"
        )
        assert open_tables.fetchall() == []
    assert left == [("old", True, 1), ("op", False, None), ("ten", False, None)]
