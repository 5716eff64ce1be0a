"""What parties of a cluster changed, each of its own word."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0015_loss_told_at"),
        ("tenancy", "0014_page_changes"),
    ]

    operations = [
        migrations.CreateModel(
            name="ClusterChange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.CharField(max_length=20)),
                ("key", models.CharField(max_length=200)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("deploy", "Deploy"),
                            ("configuration", "Configuration"),
                            ("driver", "Driver"),
                            ("firmware", "Firmware"),
                            ("kernel", "Kernel"),
                            ("maintenance", "Maintenance"),
                            ("other", "Other"),
                        ],
                        max_length=16,
                    ),
                ),
                ("layer", models.CharField(max_length=16)),
                ("starts_at", models.DateTimeField()),
                ("ends_at", models.DateTimeField(null=True)),
                (
                    "hosts",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=253), default=list, size=None
                    ),
                ),
                ("title", models.CharField(max_length=200)),
                ("before", models.CharField(blank=True, max_length=80)),
                ("after", models.CharField(blank=True, max_length=80)),
                ("reference", models.CharField(blank=True, max_length=120)),
                ("url", models.CharField(blank=True, max_length=500)),
                ("by", models.CharField(blank=True, max_length=120)),
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
                        fields=["cluster", "organization", "-starts_at"],
                        name="cluster_change_by_start",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "cluster", "key"), name="cluster_change_once"
                    ),
                    models.UniqueConstraint(
                        fields=("organization", "public_id"), name="cluster_change_public_id_once"
                    ),
                ],
            },
        ),
        isolation.isolate("fleet_clusterchange"),
    ]
