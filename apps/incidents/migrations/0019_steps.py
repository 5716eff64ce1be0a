"""What people did to work on an incident together; since when its verdict stands."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation

TABLE, PARTY_TABLE, KEY = "incidents_incidentstep", "incidents_incidentparty", "incident_id"


class Migration(migrations.Migration):
    dependencies = [("incidents", "0018_threads_and_reading"), ("tenancy", "0010_person_reference")]

    operations = [
        migrations.AddField(
            model_name="incident",
            name="step_count",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="incident",
            name="verdict_at",
            field=models.DateTimeField(default=None, null=True),
        ),
        migrations.CreateModel(
            name="IncidentStep",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("hand-over", "Hand Over"),
                            ("ticket", "Ticket"),
                            ("resolution", "Resolution"),
                            ("action", "Action"),
                        ],
                        max_length=12,
                    ),
                ),
                ("subject", models.CharField(max_length=20)),
                ("state", models.CharField(max_length=20)),
                ("reason", models.CharField(blank=True, max_length=20)),
                ("due_at", models.DateTimeField(null=True)),
                ("ticket", models.CharField(blank=True, max_length=80)),
                ("note", models.CharField(blank=True, max_length=20)),
                ("author_name", models.CharField(max_length=150)),
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
                (
                    "recipient",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
                (
                    "sender",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["incident", "number"], name="incident_step_by_incident")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "incident", "number"), name="incident_step_once"
                    )
                ],
            },
        ),
        isolation.isolate_audience(
            TABLE, party_table=PARTY_TABLE, column=KEY, key=KEY, has_all=False
        ),
        isolation.isolate_audience_while(
            TABLE, party_table=PARTY_TABLE, column=KEY, key=KEY, has_all=False
        ),
        isolation.append_only(TABLE),
    ]
