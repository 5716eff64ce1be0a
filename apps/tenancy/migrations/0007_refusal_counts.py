"""Refusals of one kind are counted, and stand in the record by the minute."""

import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    dependencies = [
        ("tenancy", "0006_former_addresses"),
    ]

    operations = [
        migrations.AddField(
            model_name="auditentry",
            name="count",
            field=models.PositiveIntegerField(db_default=1, default=1),
        ),
        migrations.CreateModel(
            name="RefusalCount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("actor", models.CharField(max_length=120)),
                ("subject", models.CharField(max_length=120)),
                ("remote_address", models.GenericIPAddressField(null=True)),
                ("minute", models.DateTimeField()),
                ("count", models.PositiveIntegerField(default=1)),
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
                        fields=("organization", "actor", "subject", "minute"),
                        name="refusal_count_once",
                    )
                ],
            },
        ),
        isolation.isolate("tenancy_refusalcount"),
    ]
