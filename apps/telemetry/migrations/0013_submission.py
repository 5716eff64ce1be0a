"""Inventories and session events wait for a worker in rows of their own."""

import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0003_proposals"),
        ("telemetry", "0012_batch_dead"),
        ("tenancy", "0006_former_addresses"),
    ]

    operations = [
        migrations.CreateModel(
            name="Submission",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.CharField(max_length=20)),
                (
                    "kind",
                    models.CharField(
                        choices=[("inventory", "Inventory"), ("session-events", "Session Events")],
                        max_length=16,
                    ),
                ),
                ("digest", models.BinaryField(max_length=32)),
                ("received_at", models.DateTimeField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("accepted", "Accepted"),
                            ("interpreted", "Interpreted"),
                            ("dead", "Dead"),
                        ],
                        default="accepted",
                        max_length=12,
                    ),
                ),
                ("attempt_count", models.PositiveSmallIntegerField(default=0)),
                ("claimed_until", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("first_entry", models.PositiveIntegerField(default=0)),
                ("entry_count", models.PositiveIntegerField(default=0)),
                ("accepted_count", models.PositiveIntegerField(default=0)),
                ("byte_count", models.PositiveIntegerField(default=0)),
                ("rejected", models.JSONField(default=list)),
                ("error", models.CharField(blank=True, max_length=300)),
                ("body", models.BinaryField()),
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
                        condition=models.Q(("state", "accepted")),
                        fields=["organization", "id"],
                        name="submission_waiting",
                    ),
                    models.Index(fields=["organization", "public_id"], name="submission_by_name"),
                    models.Index(fields=["organization", "finished_at"], name="submission_by_age"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state", "accepted")),
                        fields=("organization", "digest"),
                        name="submission_waits_once",
                    )
                ],
            },
        ),
        isolation.isolate("telemetry_submission"),
    ]
