"""An incident may be one of GPUs that a job lost and ran on without."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("incidents", "0021_answered_requests")]
    operations: ClassVar = [
        migrations.AlterField(
            model_name="incident",
            name="kind",
            field=models.CharField(
                choices=[
                    ("stop", "Stop"),
                    ("slow", "Slow"),
                    ("shared", "Shared"),
                    ("degraded", "Degraded"),
                ],
                max_length=8,
            ),
        ),
    ]
