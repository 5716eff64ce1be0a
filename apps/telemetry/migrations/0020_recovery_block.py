"""What jobs tell of recovering in place is kept, block by block of their steps."""

from typing import ClassVar

import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    dependencies: ClassVar = [
        ("fleet", "0013_lost_gpus"),
        ("telemetry", "0019_progress_block"),
        ("tenancy", "0012_single_sign_on"),
    ]
    operations: ClassVar = [
        migrations.CreateModel(
            name="RecoveryBlock",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("part", models.CharField(max_length=8)),
                ("block", models.PositiveBigIntegerField(default=0)),
                ("fact_count", models.PositiveIntegerField()),
                ("received_at", models.DateTimeField()),
                ("body", models.BinaryField()),
                (
                    "attempt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="fleet.attempt",
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
                (
                    "sender",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["organization", "received_at"], name="recovery_block_by_age"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "attempt", "sender", "part", "block"),
                        name="recovery_block_once",
                    )
                ],
            },
        ),
        isolation.isolate("telemetry_recoveryblock"),
    ]
