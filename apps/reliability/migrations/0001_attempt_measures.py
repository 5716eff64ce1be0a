"""What attempts did with their time, hour by hour, and what a GPU-hour costs."""

from typing import ClassVar

import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    initial = True

    dependencies: ClassVar = [
        ("fleet", "0010_weight"),
        ("tenancy", "0013_saml"),
    ]

    operations: ClassVar = [
        migrations.CreateModel(
            name="AttemptHour",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("productive_ms", models.BigIntegerField(default=0)),
                ("lost_progress_ms", models.BigIntegerField(default=0)),
                ("recovery_ms", models.BigIntegerField(default=0)),
                ("save_ms", models.BigIntegerField(default=0)),
                ("restore_ms", models.BigIntegerField(default=0)),
                ("queue_ms", models.BigIntegerField(default=0)),
                ("straggler_ms", models.BigIntegerField(default=0)),
                ("unknown_ms", models.BigIntegerField(default=0)),
                ("hour", models.DateTimeField()),
                ("is_told", models.BooleanField(default=False)),
                ("gpus", models.PositiveIntegerField(null=True)),
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
                    models.Index(fields=["organization", "hour"], name="attempt_hour_by_hour"),
                    models.Index(fields=["session"], name="attempt_hour_by_session"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "attempt", "hour"), name="attempt_hour_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="AttemptMeasure",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("productive_ms", models.BigIntegerField(default=0)),
                ("lost_progress_ms", models.BigIntegerField(default=0)),
                ("recovery_ms", models.BigIntegerField(default=0)),
                ("save_ms", models.BigIntegerField(default=0)),
                ("restore_ms", models.BigIntegerField(default=0)),
                ("queue_ms", models.BigIntegerField(default=0)),
                ("straggler_ms", models.BigIntegerField(default=0)),
                ("unknown_ms", models.BigIntegerField(default=0)),
                ("starts_at", models.DateTimeField()),
                ("ends_at", models.DateTimeField()),
                ("is_running", models.BooleanField(default=False)),
                ("is_told", models.BooleanField(default=False)),
                ("is_unsure", models.BooleanField(default=False)),
                ("gpus", models.PositiveIntegerField(null=True)),
                ("downtime_ms", models.BigIntegerField(null=True)),
                ("is_downtime_of_steps", models.BooleanField(default=False)),
                ("last_step", models.BigIntegerField(null=True)),
                ("saved_step", models.BigIntegerField(null=True)),
                ("stepping_ms", models.BigIntegerField(null=True)),
                ("save_count", models.PositiveIntegerField(null=True)),
                ("save_interval_ms", models.BigIntegerField(null=True)),
                ("save_wait_ms", models.BigIntegerField(null=True)),
                ("mfu", models.FloatField(null=True)),
                ("measured_at", models.DateTimeField()),
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
                        fields=["organization", "starts_at"], name="attempt_measure_by_start"
                    ),
                    models.Index(fields=["session"], name="attempt_measure_by_session"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "attempt"), name="attempt_measure_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="GpuPrice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("per_gpu_hour", models.DecimalField(decimal_places=4, max_digits=12)),
                ("currency", models.CharField(max_length=3)),
                ("changed_at", models.DateTimeField()),
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
                    models.UniqueConstraint(fields=("organization",), name="gpu_price_once"),
                    models.CheckConstraint(
                        condition=models.Q(("per_gpu_hour__gt", 0)), name="gpu_price_is_positive"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="MeasureOrder",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("due_at", models.DateTimeField(null=True)),
                ("claimed_until", models.DateTimeField(null=True)),
                ("touched_at", models.DateTimeField()),
                ("edition", models.PositiveSmallIntegerField(default=0)),
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
                    models.Index(fields=["organization", "due_at"], name="measure_order_by_due")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "session"), name="measure_order_once"
                    )
                ],
            },
        ),
        isolation.isolate("reliability_attemptmeasure"),
        isolation.isolate("reliability_attempthour"),
        isolation.isolate("reliability_measureorder"),
        isolation.isolate("reliability_gpuprice"),
    ]
