"""What the parties say of a verdict."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    dependencies = [
        ("incidents", "0001_initial"),
        ("tenancy", "0004_invitation"),
    ]

    operations = [
        migrations.CreateModel(
            name="Feedback",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("version", models.PositiveIntegerField(default=1)),
                (
                    "judgement",
                    models.CharField(
                        choices=[
                            ("right", "Right"),
                            ("wrong", "Wrong"),
                            ("taken-back", "Taken Back"),
                        ],
                        max_length=10,
                    ),
                ),
                ("actual_layer", models.CharField(blank=True, max_length=12)),
                ("actual_cause", models.CharField(blank=True, max_length=40)),
                ("author_name", models.CharField(max_length=150)),
                ("revision", models.PositiveIntegerField()),
                ("verdict_status", models.CharField(max_length=10)),
                ("layer", models.CharField(max_length=12)),
                ("cause", models.CharField(max_length=40)),
                ("probability", models.FloatField()),
                ("cause_probability", models.FloatField()),
                ("edition", models.CharField(max_length=16)),
                (
                    "audience",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), default=list, size=None
                    ),
                ),
                ("created_at", models.DateTimeField()),
                (
                    "incident",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="incidents.incident",
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
                    models.Index(fields=["incident", "organization"], name="feedback_by_incident")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "incident", "version"), name="feedback_version_once"
                    )
                ],
            },
        ),
        isolation.isolate_audience(
            "incidents_feedback",
            has_all=False,
            party_table="incidents_incidentparty",
            column="incident_id",
            key="incident_id",
        ),
        isolation.append_only("incidents_feedback"),
    ]
