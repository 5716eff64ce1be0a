"""Episodes: findings of metrics that belong together."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0001_initial"),
        ("telemetry", "0003_evidence_outlives_source"),
        ("tenancy", "0003_kept_answer"),
    ]

    operations = [
        migrations.CreateModel(
            name="Episode",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.CharField(max_length=20)),
                ("entity", models.JSONField()),
                ("entity_key", models.CharField(max_length=300)),
                ("host", models.CharField(blank=True, max_length=253)),
                ("layer", models.CharField(max_length=12)),
                ("score", models.FloatField()),
                ("is_page", models.BooleanField()),
                ("is_fatal", models.BooleanField(default=False)),
                ("starts_at", models.DateTimeField()),
                ("raised_at", models.DateTimeField()),
                ("told_at", models.DateTimeField()),
                ("ends_at", models.DateTimeField(null=True)),
                ("withdrawn_at", models.DateTimeField(null=True)),
                (
                    "families",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=40), default=list, size=None
                    ),
                ),
                (
                    "hosts",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=253), default=list, size=None
                    ),
                ),
                (
                    "causes",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=40), default=list, size=None
                    ),
                ),
                ("wording", models.CharField(blank=True, max_length=500)),
                ("contributions", models.JSONField(default=list)),
                ("is_simulated", models.BooleanField(default=False)),
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
                "indexes": [
                    models.Index(
                        fields=["organization", "cluster", "-raised_at"], name="episode_by_cluster"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "public_id"), name="episode_public_id_once"
                    ),
                    models.UniqueConstraint(
                        fields=("organization", "cluster", "entity_key", "is_page", "raised_at"),
                        name="episode_once",
                    ),
                ],
            },
        ),
        isolation.isolate("telemetry_episode"),
    ]
