"""Batches that were set aside, found quickly: they are looked for every few seconds."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("telemetry", "0011_batch_failed_versions"),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="batch",
            index=models.Index(
                fields=["organization", "id"],
                condition=models.Q(state="dead"),
                name="batch_dead",
            ),
        ),
    ]
