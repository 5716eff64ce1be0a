"""Why a webhook is paused is a fact; what a former version wrote is read once."""

import re

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from apps.diagnosis.model import Statement, statement, statement_json
from apps.tenancy.database import isolation

GONE = "It answered 410: nobody is there any more."
FAILED = re.compile(r"It failed for five days: (?P<answer>.*)\.", re.DOTALL)


def carry_over(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Keep what is known; other words stay as they are."""
    model = apps.get_model("notices", "Webhook")
    rows = model._default_manager.using(schema_editor.connection.alias)  # noqa: SLF001  of the state
    for pk, words in list(rows.exclude(paused_because="").values_list("pk", "paused_because")):
        rows.filter(pk=pk).update(pause=statement_json(_fact(words)))


def _fact(words: str) -> Statement:
    if words == GONE:
        return statement("webhook-gone")
    if found := FAILED.fullmatch(words):
        return statement("webhook-failed-long", answer=found["answer"])
    return statement("text", text=words)


class Migration(migrations.Migration):
    dependencies = [("notices", "0006_names")]

    operations = [
        migrations.AddField(
            model_name="webhook", name="pause", field=models.JSONField(default=None, null=True)
        ),
        isolation.for_rows_of_all(carry_over),
        migrations.RemoveField(model_name="webhook", name="paused_because"),
    ]
