"""Reports as they were issued, and when the next ones are due."""

from typing import ClassVar

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    dependencies: ClassVar = [
        ("fleet", "0010_weight"),
        ("reliability", "0002_recovery_measures"),
        ("tenancy", "0013_saml"),
    ]

    operations: ClassVar = [
        migrations.CreateModel(
            name="Report",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.CharField(max_length=20)),
                ("revision", models.PositiveIntegerField()),
                ("audience", models.CharField(max_length=10)),
                ("starts_at", models.DateTimeField()),
                ("ends_at", models.DateTimeField()),
                ("is_simulated", models.BooleanField(default=False)),
                ("document", models.JSONField()),
                ("digest", models.CharField(max_length=64)),
                ("changes", models.JSONField(default=list)),
                ("issuer_name", models.CharField(blank=True, max_length=150)),
                ("issued_at", models.DateTimeField()),
                (
                    "cluster",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="fleet.cluster",
                    ),
                ),
                (
                    "issuer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
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
            ],
            options={
                "indexes": [
                    models.Index(fields=["organization", "-issued_at"], name="report_by_issue")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "public_id", "revision"),
                        name="report_revision_once",
                    ),
                    models.UniqueConstraint(
                        fields=(
                            "organization",
                            "audience",
                            "cluster",
                            "starts_at",
                            "ends_at",
                            "revision",
                        ),
                        name="report_range_once",
                        nulls_distinct=False,
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ReportSchedule",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.CharField(max_length=20)),
                ("audience", models.CharField(max_length=10)),
                (
                    "rhythm",
                    models.CharField(
                        choices=[("weekly", "Weekly"), ("monthly", "Monthly")], max_length=10
                    ),
                ),
                (
                    "recipients",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), default=list, size=None
                    ),
                ),
                ("to_webhook", models.BooleanField(default=False)),
                ("issued_until", models.DateTimeField()),
                ("changed_at", models.DateTimeField()),
                (
                    "cluster",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="fleet.cluster",
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
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "audience", "cluster", "rhythm"),
                        name="report_schedule_once",
                        nulls_distinct=False,
                    ),
                    models.UniqueConstraint(
                        fields=("organization", "public_id"), name="report_schedule_public_id_once"
                    ),
                ],
            },
        ),
        isolation.isolate("reliability_report"),
        isolation.isolate("reliability_reportschedule"),
    ]
