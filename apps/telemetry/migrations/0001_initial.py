"""First tables, closed in PostgreSQL as they are made."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("fleet", "0001_initial"),
        ("tenancy", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Batch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.CharField(max_length=20)),
                ("digest", models.BinaryField(max_length=32)),
                ("received_at", models.DateTimeField()),
                ("protocol", models.CharField(max_length=12)),
                ("upload", models.CharField(blank=True, max_length=20)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("accepted", "Accepted"),
                            ("interpreted", "Interpreted"),
                            ("dead", "Dead"),
                        ],
                        default="accepted",
                        max_length=12,
                    ),
                ),
                ("attempt_count", models.PositiveSmallIntegerField(default=0)),
                ("enqueued_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("line_count", models.PositiveIntegerField(default=0)),
                ("byte_count", models.PositiveBigIntegerField(default=0)),
                ("rejected", models.JSONField(default=list)),
                ("error", models.CharField(blank=True, max_length=300)),
                ("body", models.BinaryField()),
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
                        condition=models.Q(("state", "accepted")),
                        fields=["organization", "id"],
                        name="batch_waiting",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "digest"), name="batch_digest_once"
                    ),
                    models.UniqueConstraint(
                        fields=("organization", "public_id"), name="batch_public_id_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="LogStream",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("label_digest", models.BinaryField(max_length=32)),
                ("labels", models.JSONField()),
                ("kind", models.CharField(blank=True, max_length=12)),
                ("host", models.CharField(blank=True, max_length=253)),
                ("rank", models.IntegerField(null=True)),
                ("zone", models.CharField(blank=True, max_length=64)),
                ("is_ordered_by_stamp", models.BooleanField(default=False)),
                ("line_count", models.PositiveBigIntegerField(default=0)),
                ("read_until", models.BigIntegerField(default=0)),
                ("reader_state", models.BinaryField(default=bytes)),
                ("open_from", models.BigIntegerField(null=True)),
                ("first_at", models.DateTimeField(null=True)),
                ("last_at", models.DateTimeField(null=True)),
                ("last_received_at", models.DateTimeField(null=True)),
                (
                    "attempt",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
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
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="fleet.session",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["organization", "session"], name="stream_by_session"),
                    models.Index(fields=["organization", "cluster", "host"], name="stream_by_host"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "label_digest"), name="stream_labels_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="LogChunk",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("part", models.PositiveIntegerField(default=0)),
                ("first_key", models.BigIntegerField()),
                ("last_key", models.BigIntegerField()),
                ("first_number", models.PositiveBigIntegerField(default=1)),
                ("line_count", models.PositiveIntegerField()),
                ("starts_at", models.DateTimeField(null=True)),
                ("ends_at", models.DateTimeField(null=True)),
                ("state_before", models.BinaryField(null=True)),
                ("body", models.BinaryField()),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="telemetry.batch",
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
                    "stream",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="telemetry.logstream",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["organization", "stream", "first_key"], name="chunk_by_key"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "stream", "batch", "part"), name="chunk_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("fingerprint", models.BinaryField(max_length=16)),
                ("signature", models.CharField(max_length=80)),
                ("role", models.CharField(max_length=12)),
                ("layer", models.CharField(blank=True, max_length=12)),
                ("severity", models.CharField(max_length=8)),
                ("at", models.DateTimeField(null=True)),
                ("local_at", models.DateTimeField(null=True)),
                ("uptime_seconds", models.FloatField(null=True)),
                ("received_at", models.DateTimeField()),
                ("order_key", models.BigIntegerField()),
                ("host", models.CharField(blank=True, max_length=253)),
                ("rank", models.IntegerField(null=True)),
                ("body", models.JSONField()),
                (
                    "attempt",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
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
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="fleet.session",
                    ),
                ),
                (
                    "stream",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="telemetry.logstream",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["organization", "stream", "order_key"], name="event_by_stream"
                    ),
                    models.Index(
                        fields=["organization", "cluster", "host", "at"], name="event_by_host"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "fingerprint"), name="event_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Progress",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("host", models.CharField(blank=True, max_length=253)),
                ("rank", models.IntegerField(null=True)),
                ("signature", models.CharField(max_length=80)),
                ("at", models.DateTimeField(null=True)),
                ("order_key", models.BigIntegerField()),
                ("body", models.JSONField()),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
                (
                    "stream",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="telemetry.logstream",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "stream", "host", "rank", "signature"),
                        name="progress_once",
                        nulls_distinct=False,
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Source",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.CharField(max_length=20)),
                ("kind", models.CharField(max_length=20)),
                ("name", models.CharField(max_length=120)),
                ("url", models.URLField(blank=True, max_length=500)),
                ("auth", models.CharField(default="none", max_length=10)),
                ("credential", models.BinaryField(null=True)),
                ("verify_tls", models.BooleanField(default=True)),
                ("ca_pem", models.TextField(blank=True)),
                (
                    "allowed_networks",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=50), default=list, size=None
                    ),
                ),
                ("label_map", models.JSONField(default=dict)),
                ("zone", models.CharField(blank=True, max_length=64)),
                ("is_simulated", models.BooleanField(default=False)),
                ("is_enabled", models.BooleanField(default=True)),
                ("created_at", models.DateTimeField()),
                ("state", models.CharField(default="waiting", max_length=12)),
                ("last_success_at", models.DateTimeField(null=True)),
                ("last_attempt_at", models.DateTimeField(null=True)),
                ("last_error", models.CharField(blank=True, max_length=300)),
                ("failure_count", models.PositiveIntegerField(default=0)),
                ("series_count", models.PositiveIntegerField(null=True)),
                ("read_until", models.DateTimeField(null=True)),
                ("claimed_until", models.DateTimeField(null=True)),
                (
                    "cluster",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
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
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "public_id"), name="source_public_id_once"
                    ),
                    models.UniqueConstraint(
                        fields=("organization", "cluster", "name"), name="source_name_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SeriesState",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("signal", models.CharField(max_length=80)),
                ("until", models.DateTimeField()),
                ("body", models.BinaryField()),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="telemetry.source",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "source", "signal"), name="series_state_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="EvidenceCapture",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("incident_owner", models.BigIntegerField()),
                ("incident_public_id", models.CharField(max_length=20)),
                ("capture_pass", models.PositiveSmallIntegerField()),
                ("state", models.CharField(default="due", max_length=10)),
                ("due_at", models.DateTimeField()),
                ("attempt_count", models.PositiveSmallIntegerField(default=0)),
                ("error", models.CharField(blank=True, max_length=300)),
                ("request", models.JSONField()),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="telemetry.source",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "incident_public_id", "source", "capture_pass"),
                        name="capture_once",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="EvidenceBlock",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("incident_owner", models.BigIntegerField()),
                ("incident_public_id", models.CharField(max_length=20)),
                ("capture_pass", models.PositiveSmallIntegerField()),
                ("entity", models.JSONField()),
                ("entity_key", models.CharField(max_length=300)),
                ("family", models.CharField(max_length=40)),
                (
                    "signals",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=80), size=None
                    ),
                ),
                (
                    "units",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=24), size=None
                    ),
                ),
                ("starts_at", models.DateTimeField()),
                ("step_seconds", models.FloatField()),
                (
                    "shape",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.PositiveIntegerField(), size=2
                    ),
                ),
                ("dtype", models.CharField(default="<f4", max_length=8)),
                ("body", models.BinaryField()),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="telemetry.source",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=(
                            "organization",
                            "incident_public_id",
                            "source",
                            "capture_pass",
                            "entity_key",
                            "family",
                        ),
                        name="block_once",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Anomaly",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("fingerprint", models.BinaryField(max_length=16)),
                ("kind", models.CharField(max_length=30)),
                ("signal", models.CharField(max_length=80)),
                ("family", models.CharField(max_length=40)),
                ("layer", models.CharField(max_length=12)),
                ("role", models.CharField(max_length=12)),
                ("host", models.CharField(blank=True, max_length=253)),
                ("entity", models.JSONField()),
                ("starts_at", models.DateTimeField()),
                ("ends_at", models.DateTimeField(null=True)),
                ("score", models.FloatField(default=0.0)),
                ("value", models.FloatField(null=True)),
                ("baseline", models.FloatField(null=True)),
                ("unit", models.CharField(blank=True, max_length=24)),
                ("body", models.JSONField(default=dict)),
                (
                    "causes",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=40), default=list, size=None
                    ),
                ),
                (
                    "cluster",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
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
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="telemetry.source",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["organization", "cluster", "host", "starts_at"],
                        name="anomaly_by_host",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "fingerprint"), name="anomaly_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="TouchedWindow",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("host", models.CharField(blank=True, max_length=253)),
                ("mount", models.CharField(blank=True, max_length=500)),
                ("starts_at", models.DateTimeField(null=True)),
                ("ends_at", models.DateTimeField(null=True)),
                ("is_telling", models.BooleanField(default=True)),
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
                    "cluster",
                    models.ForeignKey(
                        null=True,
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
                (
                    "session",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="fleet.session",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["organization", "id"], name="touched_by_organization"),
                ],
            },
        ),
        migrations.CreateModel(
            name="VoiceExtent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("host", models.CharField(blank=True, max_length=253)),
                ("rank", models.IntegerField(null=True)),
                ("line_count", models.PositiveBigIntegerField(default=0)),
                ("body", models.JSONField()),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
                (
                    "stream",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="telemetry.logstream",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "stream", "host", "rank"),
                        name="extent_once",
                        nulls_distinct=False,
                    ),
                ],
            },
        ),
        isolation.isolate("telemetry_source"),
        isolation.isolate("telemetry_seriesstate"),
        isolation.isolate("telemetry_batch"),
        isolation.isolate("telemetry_logstream"),
        isolation.isolate("telemetry_logchunk"),
        isolation.isolate("telemetry_event"),
        isolation.isolate("telemetry_progress"),
        isolation.isolate("telemetry_voiceextent"),
        isolation.isolate("telemetry_anomaly"),
        isolation.isolate("telemetry_evidenceblock"),
        isolation.isolate("telemetry_evidencecapture"),
        isolation.isolate("telemetry_touchedwindow"),
        migrations.RunSQL(
            # Compressed already: a second compression costs time and saves nothing.
            """
            ALTER TABLE telemetry_batch ALTER COLUMN body SET STORAGE EXTERNAL;
            ALTER TABLE telemetry_logchunk ALTER COLUMN body SET STORAGE EXTERNAL;
            ALTER TABLE telemetry_evidenceblock ALTER COLUMN body SET STORAGE EXTERNAL;
            ALTER TABLE telemetry_seriesstate ALTER COLUMN body SET STORAGE EXTERNAL;
            """,
            migrations.RunSQL.noop,
        ),
    ]
