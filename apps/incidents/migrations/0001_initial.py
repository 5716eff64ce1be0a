"""First tables, closed in PostgreSQL as they are made."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("fleet", "0001_initial"),
        ("tenancy", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Incident",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.CharField(max_length=20)),
                (
                    "kind",
                    models.CharField(
                        choices=[("stop", "Stop"), ("slow", "Slow"), ("shared", "Shared")],
                        max_length=8,
                    ),
                ),
                ("entity", models.CharField(blank=True, max_length=300)),
                ("episode", models.CharField(blank=True, max_length=40)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("resolved", "Resolved"),
                            ("withdrawn", "Withdrawn"),
                            ("merged", "Merged"),
                        ],
                        default="open",
                        max_length=10,
                    ),
                ),
                ("withdrawn_because", models.CharField(blank=True, max_length=200)),
                ("revision", models.PositiveIntegerField(default=1)),
                ("digest", models.BinaryField(default=bytes, max_length=16)),
                ("is_simulated", models.BooleanField(default=False)),
                ("verdict_status", models.CharField(max_length=10)),
                ("layer", models.CharField(max_length=12)),
                ("cause", models.CharField(max_length=40)),
                ("probability", models.FloatField()),
                ("cause_probability", models.FloatField()),
                ("phase", models.CharField(max_length=10)),
                ("end_state", models.CharField(max_length=10)),
                ("culprits", models.JSONField(default=list)),
                ("restart", models.JSONField(default=dict)),
                ("actions", models.JSONField(default=list)),
                ("coverage", models.JSONField(default=list)),
                ("first_stopper", models.JSONField(null=True)),
                ("parties", models.JSONField(default=list)),
                ("started_at", models.DateTimeField(null=True)),
                ("detected_at", models.DateTimeField()),
                ("newest_evidence_at", models.DateTimeField(null=True)),
                ("settled_at", models.DateTimeField(null=True)),
                ("resolved_at", models.DateTimeField(null=True)),
                ("touched_by_people", models.BooleanField(default=False)),
                (
                    "attempt",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="fleet.attempt",
                    ),
                ),
                (
                    "cluster",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="fleet.cluster",
                    ),
                ),
                (
                    "merged_into",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
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
                    models.Index(fields=["organization", "-started_at"], name="incident_by_start"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "public_id"), name="incident_public_id_once"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("kind", "stop")),
                        fields=("organization", "attempt"),
                        name="incident_stop_once",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("kind", "stop"), _negated=True),
                        fields=("organization", "cluster", "entity", "kind", "episode"),
                        name="incident_episode_once",
                        nulls_distinct=False,
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Hypothesis",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                ("layer", models.CharField(max_length=12)),
                ("cause", models.CharField(max_length=40)),
                ("probability", models.FloatField()),
                ("cause_probability", models.FloatField()),
                ("culprits", models.JSONField(default=list)),
                ("missing", models.JSONField(default=list)),
                ("ruled_out_because", models.CharField(blank=True, max_length=300)),
                ("held", models.JSONField(default=list)),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
                (
                    "incident",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="hypotheses",
                        to="incidents.incident",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "incident", "position"),
                        name="hypothesis_position_once",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="EvidenceItem",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("cause", models.CharField(max_length=60)),
                ("position", models.PositiveSmallIntegerField()),
                ("side", models.CharField(max_length=8)),
                ("weight", models.FloatField()),
                ("layer", models.CharField(blank=True, max_length=12)),
                ("text", models.TextField()),
                ("source", models.CharField(blank=True, max_length=300)),
                ("line", models.PositiveBigIntegerField(null=True)),
                ("at", models.DateTimeField(null=True)),
                ("reference", models.CharField(blank=True, max_length=60)),
                (
                    "attempt",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="fleet.attempt",
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
                    "incident",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="incidents.incident",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "incident", "attempt", "cause", "side", "position"),
                        name="evidence_position_once",
                        nulls_distinct=False,
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Annotation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.CharField(max_length=20)),
                ("version", models.PositiveIntegerField(default=1)),
                ("author_name", models.CharField(max_length=150)),
                ("text", models.TextField()),
                ("lane", models.CharField(blank=True, max_length=12)),
                ("starts_at", models.DateTimeField(null=True)),
                ("ends_at", models.DateTimeField(null=True)),
                (
                    "audience",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), default=list, size=None
                    ),
                ),
                ("is_withdrawn", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField()),
                (
                    "author",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
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
                    "incident",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="incidents.incident",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["incident", "created_at"], name="annotation_by_incident"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "public_id", "version"),
                        name="annotation_version_once",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="IncidentParty",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "parts",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=20), default=list, size=None
                    ),
                ),
                ("sees_culprit", models.BooleanField(default=False)),
                ("acknowledged_at", models.DateTimeField(null=True)),
                (
                    "acknowledged_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
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
                    models.Index(
                        fields=["incident", "organization"], name="incident_party_by_incident"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "incident"), name="incident_party_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="IncidentSession",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("conclusion", models.JSONField()),
                (
                    "attempt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="fleet.attempt",
                    ),
                ),
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
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="fleet.session",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["incident", "attempt"], name="incident_session_by_incident"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "attempt", "incident"), name="incident_session_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="TimelineEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.BinaryField(max_length=16)),
                ("moment", models.BinaryField(max_length=16)),
                ("is_retracted", models.BooleanField(default=False)),
                ("revision", models.PositiveIntegerField()),
                ("lane", models.CharField(max_length=12)),
                ("kind", models.CharField(max_length=20)),
                ("role", models.CharField(blank=True, max_length=12)),
                ("at", models.DateTimeField(null=True)),
                ("ends_at", models.DateTimeField(null=True)),
                ("clock_error_seconds", models.FloatField(null=True)),
                ("order_key", models.BigIntegerField(default=0)),
                ("title", models.CharField(max_length=300)),
                ("detail", models.JSONField(default=dict)),
                ("for_all_parties", models.BooleanField(default=False)),
                (
                    "audience",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), default=list, size=None
                    ),
                ),
                ("created_at", models.DateTimeField()),
                (
                    "attempt",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="fleet.attempt",
                    ),
                ),
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
                    models.Index(fields=["incident", "at"], name="timeline_by_time"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "incident", "key"), name="timeline_key_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Correlation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("due_at", models.DateTimeField()),
                ("claimed_until", models.DateTimeField(null=True)),
                ("settle_at", models.DateTimeField(null=True)),
                ("touched_at", models.DateTimeField()),
                (
                    "attempt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="fleet.attempt",
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
                    models.Index(fields=["organization", "due_at"], name="correlation_by_due")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "attempt"), name="correlation_once"
                    )
                ],
            },
        ),
        isolation.isolate("incidents_incidentparty"),
        isolation.isolate_shared(
            "incidents_incidentsession",
            party_table="fleet_sessionparty",
            column="session_id",
            key="session_id",
        ),
        isolation.isolate("incidents_evidenceitem"),
        isolation.isolate("incidents_correlation"),
        isolation.isolate_shared(
            "incidents_incident", party_table="incidents_incidentparty", column="incident_id"
        ),
        isolation.isolate_shared(
            "incidents_hypothesis",
            party_table="incidents_incidentparty",
            column="incident_id",
            key="incident_id",
        ),
        isolation.isolate_audience(
            "incidents_timelineentry",
            party_table="incidents_incidentparty",
            column="incident_id",
            key="incident_id",
        ),
        isolation.isolate_audience(
            "incidents_annotation",
            has_all=False,
            party_table="incidents_incidentparty",
            column="incident_id",
            key="incident_id",
        ),
        isolation.append_only("incidents_timelineentry"),
    ]
