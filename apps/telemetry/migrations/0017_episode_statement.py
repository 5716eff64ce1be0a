"""What an episode tells is a fact; the sentences of former ones stay in their words."""

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from apps.diagnosis.model import statement, statement_json
from apps.tenancy.database import isolation

ROWS = 500


def carry_over(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Keep each sentence as words: those of the last day are told as facts by the next fusion."""
    model = apps.get_model("telemetry", "Episode")
    rows = model._default_manager.using(schema_editor.connection.alias)  # noqa: SLF001  of the state
    found = rows.exclude(wording="").order_by("pk").values_list("pk", "wording")
    for pk, words in found.iterator(chunk_size=ROWS):
        rows.filter(pk=pk).update(statement=statement_json(statement("text", text=words)))


class Migration(migrations.Migration):
    dependencies = [("telemetry", "0016_claimed_until")]

    operations = [
        migrations.AddField(
            model_name="episode",
            name="statement",
            field=models.JSONField(default=None, null=True),
        ),
        isolation.for_rows_of_all(carry_over),
        migrations.RemoveField(model_name="episode", name="wording"),
    ]
