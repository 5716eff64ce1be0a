"""What the hourly look for old findings reads. Nobody waits for it."""

import django.db.models.functions
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("telemetry", "0007_chunks_by_day"),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="anomaly",
            index=models.Index(
                models.F("organization"),
                django.db.models.functions.Coalesce("ends_at", "starts_at"),
                name="anomaly_by_age",
            ),
        ),
    ]
