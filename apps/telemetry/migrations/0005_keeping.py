"""Lines kept for incidents, what was deleted and by which rule, how much there is."""

import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    dependencies = [
        ("telemetry", "0004_episode"),
        ("tenancy", "0003_kept_answer"),
    ]

    operations = [
        migrations.CreateModel(
            name="KeptLines",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("first_number", models.PositiveBigIntegerField()),
                ("line_count", models.PositiveIntegerField()),
                ("body", models.BinaryField()),
                ("kept_at", models.DateTimeField()),
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
                        fields=("organization", "stream", "first_number"), name="kept_lines_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Deletion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
                ("kind", models.CharField(max_length=12)),
                ("days", models.PositiveIntegerField()),
                ("before", models.DateTimeField()),
                ("oldest_at", models.DateTimeField(null=True)),
                ("row_count", models.PositiveBigIntegerField()),
                ("byte_count", models.PositiveBigIntegerField()),
                ("cited_count", models.PositiveBigIntegerField(default=0)),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["organization", "-at"], name="deletion_by_time")],
            },
        ),
        migrations.CreateModel(
            name="Usage",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=12)),
                ("table", models.CharField(max_length=63)),
                ("until_id", models.BigIntegerField(default=0)),
                ("row_count", models.PositiveBigIntegerField(default=0)),
                ("byte_count", models.PositiveBigIntegerField(default=0)),
                ("oldest_at", models.DateTimeField(null=True)),
                ("measured_at", models.DateTimeField()),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "table"), name="usage_once")
                ],
            },
        ),
        isolation.isolate("telemetry_keptlines"),
        isolation.isolate("telemetry_deletion"),
        isolation.isolate("telemetry_usage"),
    ]
