"""Keep where the time of recoveries went."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0011_attempt_states"),
        ("reliability", "0001_attempt_measures"),
        ("tenancy", "0013_saml"),
    ]

    operations = [
        migrations.CreateModel(
            name="RecoveryMeasure",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("stopped", models.PositiveIntegerField()),
                ("starts_at", models.DateTimeField()),
                ("detect_ms", models.BigIntegerField(default=0)),
                ("terminate_ms", models.BigIntegerField(default=0)),
                ("requeue_ms", models.BigIntegerField(default=0)),
                ("rendezvous_ms", models.BigIntegerField(default=0)),
                ("health_ms", models.BigIntegerField(default=0)),
                ("start_ms", models.BigIntegerField(default=0)),
                ("load_ms", models.BigIntegerField(default=0)),
                ("first_step_ms", models.BigIntegerField(default=0)),
                (
                    "missing",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=40), default=list, size=None
                    ),
                ),
                ("is_complete", models.BooleanField(default=False)),
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
                        fields=["organization", "starts_at"], name="recovery_measure_by_start"
                    ),
                    models.Index(fields=["session"], name="recovery_measure_by_session"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "attempt", "starts_at"),
                        name="recovery_measure_once",
                    )
                ],
            },
        ),
        isolation.isolate("reliability_recoverymeasure"),
    ]
