"""What people did and what the portal answered are facts; until now they were sentences."""

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from apps.incidents.migrations import _former_sentences as former
from apps.tenancy.database import isolation

ROWS = 500


def carry_over(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Put facts beside sentences; `key` and `moment` stay, so nothing is told twice."""
    model = apps.get_model("incidents", "TimelineEntry")
    rows = model._default_manager.using(schema_editor.connection.alias)  # noqa: SLF001  of the state
    found = rows.filter(kind__in=former.MOMENTS).order_by("pk")
    for pk, title in found.values_list("pk", "title").iterator(chunk_size=ROWS):
        if told := former.moment_fact(title):
            rows.filter(pk=pk).update(statement=told)


class Migration(migrations.Migration):
    dependencies = [("incidents", "0012_ruled_out")]

    operations = [
        migrations.AddField(
            model_name="timelineentry",
            name="statement",
            field=models.JSONField(default=None, null=True),
        ),
        isolation.for_rows_of_all(carry_over),
    ]
