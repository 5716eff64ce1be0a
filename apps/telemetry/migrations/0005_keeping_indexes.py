"""What the retention looks for: batches and events by when they came in. Nobody waits for it."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("telemetry", "0005_keeping"),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="batch",
            index=models.Index(fields=["organization", "received_at"], name="batch_by_age"),
        ),
        AddIndexConcurrently(
            model_name="event",
            index=models.Index(fields=["organization", "received_at"], name="event_by_age"),
        ),
    ]
