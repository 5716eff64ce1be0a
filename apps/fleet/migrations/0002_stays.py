"""Parts have stays, worked out from sightings; what was known becomes sightings."""

import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation

# The owner of the tables is bound by their policies too, while they are forced.
ADOPT = """
    ALTER TABLE fleet_device NO FORCE ROW LEVEL SECURITY;
    ALTER TABLE fleet_sighting NO FORCE ROW LEVEL SECURITY;
    INSERT INTO fleet_sighting (
        organization_id, node_id, kind, "index", uuid, serial, pci, name, netdev, model,
        starts_at, ends_at
    )
    SELECT organization_id, node_id, kind, "index", uuid, '', pci,
           CASE WHEN kind = 'gpu' THEN '' ELSE name END, '',
           CASE WHEN kind = 'gpu' THEN name ELSE '' END,
           first_seen_at, last_seen_at
    FROM fleet_device ON CONFLICT DO NOTHING;
    SET CONSTRAINTS ALL IMMEDIATE;
    ALTER TABLE fleet_device FORCE ROW LEVEL SECURITY;
    ALTER TABLE fleet_sighting FORCE ROW LEVEL SECURITY;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0001_initial"),
        ("tenancy", "0003_kept_answer"),
    ]

    operations = [
        migrations.CreateModel(
            name="Sighting",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=16)),
                ("index", models.IntegerField(null=True)),
                ("uuid", models.CharField(blank=True, max_length=64)),
                ("serial", models.CharField(blank=True, max_length=64)),
                ("pci", models.CharField(blank=True, max_length=20)),
                ("name", models.CharField(blank=True, max_length=120)),
                ("netdev", models.CharField(blank=True, max_length=60)),
                ("model", models.CharField(blank=True, max_length=120)),
                ("starts_at", models.DateTimeField()),
                ("ends_at", models.DateTimeField()),
            ],
        ),
        migrations.RemoveConstraint(
            model_name="device",
            name="device_once",
        ),
        migrations.AddField(
            model_name="device",
            name="netdev",
            field=models.CharField(blank=True, max_length=60),
        ),
        migrations.AddField(
            model_name="device",
            name="serial",
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.AddIndex(
            model_name="device",
            index=models.Index(
                condition=models.Q(("uuid", ""), _negated=True),
                fields=["organization", "uuid"],
                name="device_by_uuid",
            ),
        ),
        migrations.AddConstraint(
            model_name="device",
            constraint=models.UniqueConstraint(
                fields=(
                    "organization",
                    "node",
                    "kind",
                    "index",
                    "uuid",
                    "pci",
                    "name",
                    "first_seen_at",
                ),
                name="device_stay_once",
                nulls_distinct=False,
            ),
        ),
        migrations.AddField(
            model_name="sighting",
            name="node",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="fleet.node"
            ),
        ),
        migrations.AddField(
            model_name="sighting",
            name="organization",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tenancy.organization",
            ),
        ),
        migrations.AddIndex(
            model_name="sighting",
            index=models.Index(
                condition=models.Q(("uuid", ""), _negated=True),
                fields=["organization", "uuid"],
                name="sighting_by_uuid",
            ),
        ),
        migrations.AddIndex(
            model_name="sighting",
            index=models.Index(
                condition=models.Q(("serial", ""), _negated=True),
                fields=["organization", "serial"],
                name="sighting_by_serial",
            ),
        ),
        migrations.AddConstraint(
            model_name="sighting",
            constraint=models.UniqueConstraint(
                fields=(
                    "organization",
                    "node",
                    "kind",
                    "index",
                    "uuid",
                    "serial",
                    "pci",
                    "name",
                    "netdev",
                    "model",
                    "starts_at",
                ),
                name="sighting_once",
                nulls_distinct=False,
            ),
        ),
        isolation.isolate("fleet_sighting"),
        migrations.RunSQL(ADOPT, migrations.RunSQL.noop),
    ]
