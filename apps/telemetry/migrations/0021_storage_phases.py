"""Rollups of the storage path, saves and loads, what storage is rated at, what traces say."""

from typing import ClassVar

import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    dependencies: ClassVar = [
        ("fleet", "0010_weight"),
        ("telemetry", "0020_recovery_block"),
        ("tenancy", "0013_saml"),
    ]

    operations: ClassVar = [
        migrations.CreateModel(
            name="LoggedCheckpoints",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("due_at", models.DateTimeField(null=True)),
                ("starts_at", models.DateTimeField(null=True)),
                ("ends_at", models.DateTimeField(null=True)),
                ("body", models.JSONField(default=list)),
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
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("due_at__isnull", False)),
                        fields=["organization", "due_at"],
                        name="logged_checkpoints_due",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "session"), name="logged_checkpoints_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="StoragePhase",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("mount", models.CharField(blank=True, max_length=500)),
                ("kind", models.CharField(max_length=4)),
                ("starts_at", models.DateTimeField()),
                ("ends_at", models.DateTimeField()),
                ("moved_bytes", models.FloatField()),
                ("peak_bytes_per_second", models.FloatField()),
                ("figures", models.JSONField(default=dict)),
                ("hosts", models.BinaryField(default=bytes)),
                (
                    "cluster",
                    models.ForeignKey(
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
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="telemetry.source",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["organization", "cluster", "-starts_at"],
                        name="storage_phase_by_time",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "source", "mount", "kind", "starts_at"),
                        name="storage_phase_once",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="StorageRating",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=16)),
                ("value", models.FloatField()),
                ("valid_from", models.DateTimeField()),
                ("entered_at", models.DateTimeField()),
                ("entered_by", models.CharField(max_length=150)),
                (
                    "cluster",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
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
                "indexes": [
                    models.Index(
                        fields=["organization", "cluster", "kind"], name="storage_rating_by_kind"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="StorageSlot",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("mount", models.CharField(blank=True, max_length=500)),
                ("starts_at", models.DateTimeField()),
                ("is_busy", models.BooleanField(default=False)),
                ("is_active", models.BooleanField(default=False)),
                ("totals", models.BinaryField()),
                ("hosts", models.BinaryField(default=bytes)),
                (
                    "cluster",
                    models.ForeignKey(
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
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="telemetry.source",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["organization", "cluster", "starts_at"], name="storage_slot_by_time"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "source", "mount", "starts_at"),
                        name="storage_slot_once",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="StragglerFinding",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.CharField(max_length=20)),
                ("attempt_number", models.PositiveIntegerField()),
                ("digest", models.BinaryField(max_length=32)),
                ("added_at", models.DateTimeField()),
                ("added_by", models.CharField(max_length=150)),
                ("form", models.CharField(max_length=12)),
                ("cause", models.CharField(blank=True, max_length=20)),
                ("slowdown", models.FloatField(null=True)),
                ("discrepancy", models.FloatField(null=True)),
                ("body", models.JSONField(default=dict)),
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
            ],
            options={
                "indexes": [
                    models.Index(fields=["organization", "-added_at"], name="straggler_by_age")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "public_id"), name="straggler_public_id_once"
                    ),
                    models.UniqueConstraint(
                        fields=("organization", "session", "attempt_number", "digest"),
                        name="straggler_trace_once",
                    ),
                ],
            },
        ),
        isolation.isolate("telemetry_loggedcheckpoints"),
        isolation.isolate("telemetry_storagephase"),
        isolation.isolate("telemetry_storagerating"),
        isolation.isolate("telemetry_storageslot"),
        isolation.isolate("telemetry_stragglerfinding"),
    ]
