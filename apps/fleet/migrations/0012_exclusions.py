"""Which nodes were left out, by whom and why, and when they were in use again."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0011_attempt_states"),
        ("tenancy", "0013_saml"),
    ]

    operations = [
        migrations.CreateModel(
            name="NodeExclusion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("host", models.CharField(max_length=253)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("drain", "Drain"),
                            ("down", "Down"),
                            ("cordon", "Cordon"),
                            ("taint", "Taint"),
                            ("unschedulable", "Unschedulable"),
                            ("job", "Job"),
                            ("manual", "Manual"),
                        ],
                        max_length=16,
                    ),
                ),
                ("session", models.CharField(blank=True, max_length=200)),
                ("starts_at", models.DateTimeField()),
                ("ends_at", models.DateTimeField(null=True)),
                ("standing", models.CharField(max_length=10)),
                ("by", models.CharField(blank=True, max_length=120)),
                ("reason", models.CharField(blank=True, max_length=500)),
                ("cause", models.CharField(blank=True, max_length=40)),
                ("incident", models.CharField(blank=True, max_length=20)),
                ("received_at", models.DateTimeField()),
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
                        fields=["cluster", "organization", "starts_at"], name="exclusion_by_start"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "cluster", "host", "kind", "session", "starts_at"),
                        name="exclusion_once",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="NodeReturn",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("host", models.CharField(blank=True, max_length=253)),
                ("kind", models.CharField(blank=True, max_length=16)),
                ("session", models.CharField(blank=True, max_length=200)),
                ("at", models.DateTimeField()),
                (
                    "in_use",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=253), default=list, size=None
                    ),
                ),
                (
                    "left_out",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=253), default=list, size=None
                    ),
                ),
                ("received_at", models.DateTimeField()),
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
                        fields=["organization", "cluster", "at"], name="node_return_by_time"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "cluster", "host", "kind", "session", "at"),
                        name="node_return_once",
                    )
                ],
            },
        ),
        isolation.isolate("fleet_nodeexclusion"),
        isolation.isolate("fleet_nodereturn"),
    ]
