"""Steps, saves and loads of a run are kept as numbers, block by block of their stream."""

from typing import ClassVar

import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    dependencies: ClassVar = [
        ("telemetry", "0018_early_warning"),
        ("tenancy", "0012_single_sign_on"),
    ]
    operations: ClassVar = [
        migrations.CreateModel(
            name="ProgressBlock",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("block", models.PositiveBigIntegerField()),
                ("stride", models.PositiveIntegerField(default=1)),
                ("point_count", models.PositiveIntegerField()),
                ("body", models.BinaryField()),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
                (
                    "stream",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="telemetry.logstream",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "stream", "block"), name="progress_block_once"
                    )
                ]
            },
        ),
        isolation.isolate("telemetry_progressblock"),
    ]
