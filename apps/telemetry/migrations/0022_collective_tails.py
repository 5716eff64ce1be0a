"""The latest collectives that logs of sessions tell."""

from typing import ClassVar

import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    dependencies: ClassVar = [
        ("fleet", "0010_weight"),
        ("telemetry", "0021_storage_phases"),
        ("tenancy", "0013_saml"),
    ]

    operations: ClassVar = [
        migrations.CreateModel(
            name="CollectiveTail",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("due_at", models.DateTimeField(null=True)),
                ("told_at", models.DateTimeField()),
                ("body", models.BinaryField(default=bytes)),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="fleet.session",
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
                "indexes": [
                    models.Index(
                        condition=models.Q(("due_at__isnull", False)),
                        fields=["organization", "due_at"],
                        name="collective_tail_due",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "stream"), name="collective_tail_once"
                    )
                ],
            },
        ),
        isolation.isolate("telemetry_collectivetail"),
    ]
