"""How much one organization may keep, where that is not what everybody may."""

import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    dependencies = [
        ("telemetry", "0008_anomaly_by_age"),
        ("tenancy", "0003_kept_answer"),
    ]

    operations = [
        migrations.CreateModel(
            name="Quota",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("max_bytes", models.PositiveBigIntegerField()),
                ("set_at", models.DateTimeField()),
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
                    models.UniqueConstraint(fields=("organization",), name="quota_once")
                ],
            },
        ),
        isolation.isolate("telemetry_quota"),
    ]
