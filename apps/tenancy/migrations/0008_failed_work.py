"""Keep what of the work fails, and what was set aside."""

import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    dependencies = [
        ("tenancy", "0007_refusal_counts"),
    ]

    operations = [
        migrations.CreateModel(
            name="FailedWork",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=20)),
                ("subject", models.CharField(max_length=80)),
                ("attempt_count", models.PositiveIntegerField(default=0)),
                ("error", models.CharField(blank=True, max_length=200)),
                ("began_at", models.DateTimeField()),
                ("tried_at", models.DateTimeField()),
                ("set_aside_at", models.DateTimeField(null=True)),
                ("edition", models.CharField(max_length=16)),
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
                        condition=models.Q(("set_aside_at__isnull", False)),
                        fields=["organization", "-set_aside_at"],
                        name="failed_work_set_aside",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "kind", "subject"), name="failed_work_once"
                    )
                ],
            },
        ),
        isolation.isolate("tenancy_failedwork"),
    ]
