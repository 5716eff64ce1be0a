"""What parties say of a report's revision: written once, never changed."""

from typing import ClassVar

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation

TABLE = "reliability_reportsignature"


class Migration(migrations.Migration):
    dependencies: ClassVar = [
        ("reliability", "0003_reports"),
        ("tenancy", "0013_saml"),
    ]

    operations: ClassVar = [
        migrations.AddField(
            model_name="report",
            name="readers",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.BigIntegerField(), db_default=[], default=list, size=None
            ),
        ),
        migrations.CreateModel(
            name="ReportSignature",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.CharField(max_length=20)),
                ("revision", models.PositiveIntegerField()),
                ("digest", models.CharField(max_length=64)),
                ("number", models.PositiveIntegerField()),
                (
                    "stance",
                    models.CharField(
                        choices=[("settled", "Settled"), ("dissent", "Dissent")], max_length=10
                    ),
                ),
                ("reason", models.TextField(blank=True)),
                ("signer_name", models.CharField(blank=True, max_length=150)),
                ("signed_at", models.DateTimeField()),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
                (
                    "party",
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
                        fields=("organization", "public_id", "revision", "party", "number"),
                        name="report_signature_once",
                    )
                ],
            },
        ),
        isolation.isolate(TABLE),
        isolation.append_only(TABLE),
    ]
