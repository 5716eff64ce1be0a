"""Who leaves a cluster reads its incidents as they stood then."""

import django.contrib.postgres.fields
import django.contrib.postgres.fields.ranges
import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0004_leaving"),
        ("incidents", "0003_by_detection"),
        ("tenancy", "0006_former_addresses"),
    ]

    operations = [
        migrations.AddField(
            model_name="incidentparty",
            name="absences",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=django.contrib.postgres.fields.ranges.DateTimeRangeField(),
                db_default=[],
                default=list,
                size=None,
            ),
        ),
        migrations.AddField(
            model_name="incidentparty",
            name="left_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.CreateModel(
            name="IncidentSnapshot",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("taken_at", models.DateTimeField()),
                ("public_id", models.CharField(max_length=20)),
                ("status", models.CharField(max_length=10)),
                ("layer", models.CharField(max_length=12)),
                ("moment", models.DateTimeField()),
                ("touched_by_people", models.BooleanField()),
                (
                    "session_ids",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), default=list, size=None
                    ),
                ),
                ("header", models.JSONField()),
                ("hypotheses", models.JSONField()),
                ("sessions", models.JSONField()),
                ("evidence", models.JSONField()),
                (
                    "incident",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="snapshots",
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
                    models.Index(
                        fields=["incident", "organization"], name="incident_snapshot_by_incident"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "incident"), name="incident_snapshot_once"
                    )
                ],
            },
        ),
        isolation.isolate("incidents_incidentsnapshot"),
        isolation.isolate_shared_until(
            "incidents_hypothesis",
            party_table="incidents_incidentparty",
            column="incident_id",
            key="incident_id",
        ),
        isolation.isolate_shared_until(
            "incidents_incidentsession",
            party_table="fleet_sessionparty",
            column="session_id",
            key="session_id",
        ),
        isolation.isolate_audience_while(
            "incidents_timelineentry",
            party_table="incidents_incidentparty",
            column="incident_id",
            key="incident_id",
        ),
        *(
            isolation.isolate_audience_while(
                table,
                party_table="incidents_incidentparty",
                column="incident_id",
                key="incident_id",
                has_all=False,
            )
            for table in ("incidents_annotation", "incidents_feedback")
        ),
    ]
