"""What each part of a cluster's nodes measured, minute by minute."""

from typing import Any, ClassVar

import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation


def _id() -> tuple[str, Any]:
    return (
        "id",
        models.BigAutoField(
            auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
        ),
    )


def _of(name: str, to: str, on_delete: Any = django.db.models.deletion.PROTECT) -> tuple[str, Any]:
    return (name, models.ForeignKey(on_delete=on_delete, related_name="+", to=to))


class Migration(migrations.Migration):
    dependencies: ClassVar = [
        ("fleet", "0010_weight"),
        ("telemetry", "0022_collective_tails"),
        ("tenancy", "0013_saml"),
    ]

    operations: ClassVar = [
        migrations.CreateModel(
            name="PartList",
            fields=[
                _id(),
                ("digest", models.BinaryField(max_length=32)),
                ("body", models.BinaryField()),
                _of("organization", "tenancy.organization"),
                _of("source", "telemetry.source", django.db.models.deletion.CASCADE),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "source", "digest"), name="part_list_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="MetricMinute",
            fields=[
                _id(),
                ("signal", models.CharField(max_length=150)),
                ("at", models.DateTimeField()),
                ("read_until", models.DateTimeField()),
                ("body", models.BinaryField()),
                _of("cluster", "fleet.cluster"),
                _of("organization", "tenancy.organization"),
                _of("source", "telemetry.source", django.db.models.deletion.CASCADE),
                _of("parts", "telemetry.partlist"),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["organization", "cluster", "signal", "at"],
                        name="metric_minute_by_time",
                    ),
                    models.Index(fields=["organization", "at"], name="metric_minute_by_age"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "source", "signal", "at"),
                        name="metric_minute_once",
                    )
                ],
            },
        ),
        isolation.isolate("telemetry_partlist"),
        isolation.isolate("telemetry_metricminute"),
    ]
