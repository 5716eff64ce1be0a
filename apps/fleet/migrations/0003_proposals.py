"""Parts in a cluster are offered and asked back, with the consent of both sides."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0002_stays"),
        ("tenancy", "0004_invitation"),
    ]

    operations = [
        migrations.AddField(
            model_name="participation",
            name="since",
            field=models.DateTimeField(null=True),
        ),
        migrations.CreateModel(
            name="PartProposal",
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
                        choices=[("offer", "Offer"), ("withdrawal", "Withdrawal")], max_length=12
                    ),
                ),
                (
                    "part",
                    models.CharField(
                        choices=[
                            ("operator", "Operator"),
                            ("tenant", "Tenant"),
                            ("platform", "Platform"),
                            ("gpu_vendor", "Gpu Vendor"),
                            ("network_vendor", "Network Vendor"),
                            ("storage_vendor", "Storage Vendor"),
                        ],
                        max_length=20,
                    ),
                ),
                (
                    "layers",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=16), default=list, size=None
                    ),
                ),
                ("slug", models.CharField(max_length=40)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("accepted", "Accepted"),
                            ("declined", "Declined"),
                            ("taken_back", "Taken Back"),
                        ],
                        max_length=12,
                    ),
                ),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("answered_at", models.DateTimeField(null=True)),
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
                (
                    "recipient",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "public_id"), name="proposal_public_id_once"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state", "open")),
                        fields=("organization", "cluster", "kind", "part", "slug"),
                        name="proposal_open_once",
                    ),
                ],
            },
        ),
        isolation.isolate_addressed("fleet_partproposal", column="recipient_id"),
    ]
