"""A database of the former version keeps its incidents when sentences become facts."""

import json
from importlib import import_module
from typing import Any

import pytest
from django.db import connections
from django.db.migrations.executor import MigrationExecutor

from apps.diagnosis.model import statement_of
from apps.fleet.models import ParticipationRole
from apps.incidents.models import (
    EvidenceItem,
    Hypothesis,
    Incident,
    IncidentSnapshot,
    TimelineEntry,
)
from apps.tenancy.scope import organization_scope
from apps.wording import in_english
from tests.apps.incidents.cast import assemble, attempt_of, stop_of
from tests.apps.incidents.leaving import leave

BEFORE = ("incidents", "0010_evidence_fact")
FACTS = import_module("apps.incidents.migrations.0011_facts")
ACTIONS = [
    {"text": "Reboot the node: the GPU's driver asks for that (Xid 154)", "owner": "operator"}
]
TITLES = {"verdict": "Verdict 1: gpu (0.90), gpu-off-bus (0.80)"}
STATEMENTS = (("incidents", "0014_evidence_statement"), ("incidents", "0015_statements"))
SILENT, UNKNOWN = "Silence of gpu.temperature", "It smelled of smoke"


def _migrate(*targets: tuple[str, str]) -> None:
    """Go to these migrations; without any, to the newest of all, as other tests need them."""
    executor = MigrationExecutor(connections["owner"])
    executor.migrate(list(targets) or executor.loader.graph.leaf_nodes())


def _execute(statement: str, *values: Any) -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "SELECT set_config('portal.organizations', (SELECT string_agg(id::text, ',')"
            " FROM tenancy_organization), false)"
        )
        cursor.execute(statement, values)


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_incidents_of_the_former_version_show_the_same() -> None:
    cast = assemble()
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    with organization_scope(*cast.ids):
        keys = sorted(bytes(each.key) for each in TimelineEntry.objects.all())
        row = Incident.objects.get(pk=incident.pk)
        header = {name: getattr(row, name) for name in FACTS.DIGESTED} | {"actions": ACTIONS}
    try:
        _migrate(BEFORE)
        _execute(
            "UPDATE incidents_incident SET actions = %s, digest = %s",
            json.dumps(ACTIONS),
            FACTS._digest(header),
        )
        _execute("UPDATE incidents_incidentsession SET conclusion = '{}'")
        _execute("UPDATE incidents_hypothesis SET ruled_out_because = 'x explains it better'")
        _execute("UPDATE incidents_timelineentry SET title = %s", TITLES["verdict"])
        _execute("UPDATE incidents_timelineentry SET kind = 'verdict'")
    finally:
        _execute("SELECT set_config('portal.organizations', '', false)")
        _migrate()

    with organization_scope(*cast.ids):
        row = Incident.objects.get(pk=incident.pk)
        told = {name: getattr(row, name) for name in FACTS.DIGESTED}
        assert row.actions[0]["statement"] == {"kind": "reboot-asked", "values": {}}
        assert bytes(row.digest) == FACTS._digest(told)
        (fell,) = {json.dumps(each.ruled_out) for each in Hypothesis.objects.all()}
        assert json.loads(fell)["kind"] == "explained-better-by-cause"
        entries = list(TimelineEntry.objects.all())
        assert sorted(bytes(each.key) for each in entries) == keys
        assert {(each.statement or {}).get("kind") for each in entries} == {"verdict"}


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_evidence_and_moments_of_the_former_version_are_told_as_before() -> None:
    cast = assemble()
    stop_of(cast, attempt_of(cast, cast.tenant))
    leave(cast.vendor, cast, ParticipationRole.GPU_VENDOR)
    with organization_scope(*cast.ids):
        keys = sorted(bytes(each.key) for each in TimelineEntry.objects.all())
        texts = sorted(each.text for each in EvidenceItem.objects.all())
    assert texts
    try:
        _migrate(STATEMENTS[0])
        _execute("UPDATE incidents_evidenceitem SET statement = NULL")
        _execute("UPDATE incidents_timelineentry SET statement = NULL, title = %s", SILENT)
        _execute(
            "UPDATE incidents_timelineentry SET title = %s WHERE id = (SELECT min(id)"
            " FROM incidents_timelineentry)",
            UNKNOWN,
        )
        _execute(
            "UPDATE incidents_incidentsnapshot SET evidence = %s",
            json.dumps([{"text": UNKNOWN, "cause": "gpu/gpu-off-bus", "fact": None}]),
        )
        _migrate(STATEMENTS[1])
    finally:
        _execute("SELECT set_config('portal.organizations', '', false)")
        _migrate()

    kept = {"kind": "text", "values": {"text": UNKNOWN}}
    silent = {"detector": "silence", "signal": "gpu.temperature"}
    with organization_scope(*cast.ids):
        entries = list(TimelineEntry.objects.order_by("id"))
        assert sorted(bytes(each.key) for each in entries) == keys
        assert entries[0].statement == kept
        assert all(each.statement["values"] == silent for each in entries[1:])
        items = EvidenceItem.objects.all()
        assert sorted(in_english(statement_of(each.statement)) for each in items) == texts
        (snapshot,) = IncidentSnapshot.objects.all()
        assert [each["statement"] for each in snapshot.evidence] == [kept]
