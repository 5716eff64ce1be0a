"""Answers that may be asked for again, closed as they are made."""

import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0002_audit_chain")]

    operations = [
        migrations.CreateModel(
            name="KeptAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("credential", models.CharField(max_length=120)),
                ("key", models.CharField(max_length=200)),
                ("digest", models.BinaryField(max_length=32)),
                ("status", models.PositiveSmallIntegerField(null=True)),
                ("body", models.TextField(blank=True)),
                ("created_at", models.DateTimeField()),
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
                    models.Index(fields=["organization", "created_at"], name="kept_answer_by_age")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "credential", "key"), name="kept_answer_once"
                    )
                ],
            },
        ),
        isolation.isolate("tenancy_keptanswer"),
    ]
