"""A database of the former version keeps its incidents when sentences become facts."""

import json
from importlib import import_module

import pytest

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
from tests.apps.incidents.leaving import leave
from tests.cast.incidents import assemble, attempt_of, stop_of
from tests.former_version import execute, migrate

BEFORE = ("incidents", "0010_evidence_fact")
FACTS = import_module("apps.incidents.migrations.0011_facts")
ACTIONS = [
    {"text": "Reboot the node: the GPU's driver asks for that (Xid 154)", "owner": "operator"}
]
TITLES = {"verdict": "Verdict 1: gpu (0.90), gpu-off-bus (0.80)"}
STATEMENTS = (("incidents", "0016_judgements"), ("incidents", "0017_statements"))
SILENT, UNKNOWN = "Silence of gpu.temperature", "It smelled of smoke"


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_incidents_of_the_former_version_show_the_same() -> None:
    cast = assemble()
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    with organization_scope(*cast.ids):
        keys = sorted(bytes(each.key) for each in TimelineEntry.objects.all())
        row = Incident.objects.get(pk=incident.pk)
        header = {name: getattr(row, name) for name in FACTS.DIGESTED} | {"actions": ACTIONS}
    try:
        migrate(BEFORE)
        execute(
            "UPDATE incidents_incident SET actions = %s, digest = %s",
            json.dumps(ACTIONS),
            FACTS._digest(header),
        )
        execute("UPDATE incidents_incidentsession SET conclusion = '{}'")
        execute("UPDATE incidents_hypothesis SET ruled_out_because = 'x explains it better'")
        execute("UPDATE incidents_timelineentry SET title = %s", TITLES["verdict"])
        execute("UPDATE incidents_timelineentry SET kind = 'verdict'")
    finally:
        execute("SELECT set_config('portal.organizations', '', false)")
        migrate()

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
        migrate(STATEMENTS[0])
        execute("UPDATE incidents_evidenceitem SET statement = NULL")
        execute("UPDATE incidents_timelineentry SET statement = NULL, title = %s", SILENT)
        execute(
            "UPDATE incidents_timelineentry SET title = %s WHERE id = (SELECT min(id)"
            " FROM incidents_timelineentry)",
            UNKNOWN,
        )
        execute(
            "UPDATE incidents_incidentsnapshot SET evidence = %s",
            json.dumps([{"text": UNKNOWN, "cause": "gpu/gpu-off-bus", "fact": None}]),
        )
        migrate(STATEMENTS[1])
    finally:
        execute("SELECT set_config('portal.organizations', '', false)")
        migrate()

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
