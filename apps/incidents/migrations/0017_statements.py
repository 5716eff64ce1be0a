"""Every piece of evidence and every moment is a fact; what nobody reads back keeps its words."""

from collections.abc import Mapping
from typing import Any

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from apps.incidents.migrations import _former_evidence as former
from apps.tenancy.database import isolation

ROWS = 500


def carry_over(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Put facts beside sentences; `key` and `moment` stay, so nothing is told twice."""
    alias = schema_editor.connection.alias
    for name, columns, fact in (
        ("EvidenceItem", ("text", "cause", "fact"), former.evidence_fact),
        ("TimelineEntry", ("title", "detail"), former.moment_fact),
    ):
        rows = apps.get_model("incidents", name)._default_manager.using(alias)  # noqa: SLF001
        lacking = rows.filter(statement__isnull=True).order_by("pk")
        for row in lacking.values("pk", *columns).iterator(chunk_size=ROWS):
            rows.filter(pk=row["pk"]).update(statement=fact(row))
    snapshots = apps.get_model("incidents", "IncidentSnapshot")._default_manager.using(alias)  # noqa: SLF001
    for pk, evidence in snapshots.order_by("pk").values_list("pk", "evidence").iterator():
        told = [_with_fact(each) for each in evidence]
        snapshots.filter(pk=pk).update(evidence=told)


def _with_fact(piece: Mapping[str, Any]) -> dict[str, Any]:
    return {**piece, "statement": piece.get("statement") or former.evidence_fact(piece)}


class Migration(migrations.Migration):
    dependencies = [("incidents", "0016_judgements")]

    operations = [
        isolation.for_rows_of_all(carry_over),
        migrations.AlterField(
            model_name="evidenceitem", name="statement", field=models.JSONField()
        ),
        migrations.AlterField(
            model_name="timelineentry", name="statement", field=models.JSONField()
        ),
    ]
