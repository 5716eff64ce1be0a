"""Metrics that are sent: durable bodies, and the rolling window they are kept in."""

import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0001_initial"),
        ("telemetry", "0001_initial"),
        ("tenancy", "0003_kept_answer"),
    ]

    operations = [
        migrations.CreateModel(
            name="PushedMetric",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=300)),
                ("part", models.PositiveIntegerField(default=0)),
                ("kind", models.CharField(blank=True, max_length=16)),
                ("unit", models.CharField(blank=True, max_length=24)),
                ("help", models.CharField(blank=True, max_length=300)),
                ("series_count", models.PositiveIntegerField(default=0)),
                ("digests", models.BinaryField(default=bytes)),
                ("labels", models.BinaryField(default=bytes)),
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
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "source", "name", "part"), name="pushed_metric_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PushedBlock",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("starts_at", models.DateTimeField()),
                ("sample_count", models.PositiveIntegerField()),
                ("byte_count", models.PositiveIntegerField()),
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
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="telemetry.source",
                    ),
                ),
                (
                    "metric",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="telemetry.pushedmetric",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["organization", "source", "starts_at"], name="pushed_block_by_time"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "metric", "starts_at"), name="pushed_block_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PushedState",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(blank=True, max_length=60)),
                ("body_count", models.PositiveBigIntegerField(default=0)),
                ("sample_count", models.PositiveBigIntegerField(default=0)),
                ("histogram_count", models.PositiveBigIntegerField(default=0)),
                ("exemplar_count", models.PositiveBigIntegerField(default=0)),
                ("outside_count", models.PositiveBigIntegerField(default=0)),
                ("refused_count", models.PositiveBigIntegerField(default=0)),
                ("window_bytes", models.PositiveBigIntegerField(default=0)),
                ("newest_at", models.DateTimeField(null=True)),
                ("last_body_at", models.DateTimeField(null=True)),
                ("forward_state", models.CharField(default="off", max_length=10)),
                ("forward_error", models.CharField(blank=True, max_length=300)),
                ("forward_failure_count", models.PositiveIntegerField(default=0)),
                ("forward_due_at", models.DateTimeField(null=True)),
                ("forward_claimed_until", models.DateTimeField(null=True)),
                ("forwarded_count", models.PositiveBigIntegerField(default=0)),
                ("forward_dropped_count", models.PositiveBigIntegerField(default=0)),
                ("forwarded_at", models.DateTimeField(null=True)),
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
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "cluster", "key"), name="pushed_state_once"
                    ),
                    models.UniqueConstraint(
                        fields=("organization", "source"), name="pushed_state_of_source_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PushedBody",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.BinaryField(max_length=32)),
                ("protocol", models.CharField(max_length=12)),
                ("only_cluster", models.CharField(blank=True, max_length=80)),
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
                ("is_to_forward", models.BooleanField(default=False)),
                ("attempt_count", models.PositiveSmallIntegerField(default=0)),
                ("enqueued_at", models.DateTimeField(null=True)),
                ("sample_count", models.PositiveIntegerField(default=0)),
                ("byte_count", models.PositiveBigIntegerField(default=0)),
                ("error", models.CharField(blank=True, max_length=300)),
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
                        condition=models.Q(("state", "accepted")),
                        fields=["organization", "source", "id"],
                        name="pushed_body_waiting",
                    ),
                    models.Index(
                        condition=models.Q(("is_to_forward", True)),
                        fields=["organization", "source", "id"],
                        name="pushed_body_to_forward",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "source", "digest"), name="pushed_body_once"
                    )
                ],
            },
        ),
        isolation.isolate("telemetry_pushedstate"),
        isolation.isolate("telemetry_pushedbody"),
        isolation.isolate("telemetry_pushedmetric"),
        isolation.isolate("telemetry_pushedblock"),
        migrations.RunSQL(
            # Compressed already, or digests: a second compression costs time and saves nothing.
            """
            ALTER TABLE telemetry_pushedbody ALTER COLUMN body SET STORAGE EXTERNAL;
            ALTER TABLE telemetry_pushedmetric ALTER COLUMN digests SET STORAGE EXTERNAL;
            ALTER TABLE telemetry_pushedmetric ALTER COLUMN labels SET STORAGE EXTERNAL;
            ALTER TABLE telemetry_pushedblock ALTER COLUMN body SET STORAGE EXTERNAL;
            """,
            migrations.RunSQL.noop,
        ),
    ]
