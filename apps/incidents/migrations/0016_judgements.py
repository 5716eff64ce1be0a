"""Judgements, withdrawals and what was left out are facts; until now they were sentences."""

from typing import Any

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from apps.diagnosis.model import Statement, statement, statement_json
from apps.incidents.migrations import _former_sentences as former
from apps.tenancy.database import isolation

ROWS = 500


def carry_over(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Put facts in the place of reasons, and beside titles; `key` and `moment` stay."""
    alias = schema_editor.connection.alias
    models_of = {
        name: apps.get_model("incidents", name)._default_manager.using(alias)  # noqa: SLF001
        for name in ("Incident", "IncidentSnapshot", "Feedback", "TimelineEntry")
    }
    for row in models_of["Incident"].exclude(withdrawn_because=""):
        why = statement_json(former.withdrawal(row.withdrawn_because))
        models_of["Incident"].filter(pk=row.pk).update(withdrawal=why)
    snapshots = models_of["IncidentSnapshot"]
    for row in snapshots.order_by("pk").iterator(chunk_size=ROWS):
        snapshots.filter(pk=row.pk).update(header=_header(row.header))
    entries = models_of["TimelineEntry"]
    judged = {
        (row.organization_id, row.incident_id, row.version): row
        for row in models_of["Feedback"].select_related("organization")
    }
    found = entries.filter(kind__in=("feedback", "withdrawn", "cut")).order_by("pk")
    for row in found.iterator(chunk_size=ROWS):
        if (row.statement or {"kind": "text"})["kind"] != "text":
            continue
        key = (row.organization_id, row.incident_id, (row.detail or {}).get("version"))
        told = _judgement(judged[key]) if key in judged else former.portal_fact(row.title)
        if told is not None:
            entries.filter(pk=row.pk).update(statement=statement_json(told))


def _header(kept: dict[str, Any]) -> dict[str, Any]:
    """Return the copy of a header with its reason as a fact."""
    rest = {name: value for name, value in kept.items() if name != "withdrawn_because"}
    why = kept.get("withdrawn_because")
    return {"withdrawal": statement_json(former.withdrawal(why)) if why else None} | rest


def _judgement(row: Any) -> Statement:
    """Return what a party said, of its own row: its words need not be read back."""
    organization, number = row.organization.name, row.revision
    who = (
        statement("person", organization=organization, name=row.author_name)
        if row.author_name
        else statement("organization", name=organization)
    )
    if row.judgement == "taken-back":
        return statement("judgement-taken-back", who=who, number=number)
    return statement("judged", who=who, number=number, opinion=_opinion(row))


def _opinion(row: Any) -> Statement:
    if row.judgement == "right":
        return statement("right")
    if not row.actual_layer:
        return statement("wrong")
    if not row.actual_cause:
        return statement("wrong-layer", layer=row.actual_layer)
    return statement("wrong-cause", layer=row.actual_layer, cause=row.actual_cause)


class Migration(migrations.Migration):
    dependencies = [("incidents", "0014_evidence_statement")]

    operations = [
        migrations.AddField(
            model_name="incident",
            name="withdrawal",
            field=models.JSONField(default=None, null=True),
        ),
        isolation.for_rows_of_all(carry_over),
        migrations.RemoveField(model_name="incident", name="withdrawn_because"),
    ]
