"""Who may say what: parts that ended, agreements about hosts, and the worth of what was told."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation

PARTS = [
    ("operator", "Operator"),
    ("tenant", "Tenant"),
    ("platform", "Platform"),
    ("gpu_vendor", "Gpu Vendor"),
    ("network_vendor", "Network Vendor"),
    ("storage_vendor", "Storage Vendor"),
]
# Judged by the parts of today: nobody wrote down who had which when it was told. The owner of the
# tables is bound by their policies too, while they are forced.
JUDGE = """
    ALTER TABLE fleet_session NO FORCE ROW LEVEL SECURITY;
    ALTER TABLE fleet_attempt NO FORCE ROW LEVEL SECURITY;
    ALTER TABLE fleet_participation NO FORCE ROW LEVEL SECURITY;
    CREATE TEMPORARY TABLE running_parties ON COMMIT DROP AS
        SELECT DISTINCT p.cluster_id, o.slug FROM fleet_participation p
        JOIN tenancy_organization o ON o.id = p.organization_id
        WHERE p.part IN ('operator', 'platform');
    UPDATE fleet_attempt a SET
        hosts_asserted = (
            SELECT EXISTS (
                SELECT 1 FROM running_parties r
                WHERE r.cluster_id = s.cluster_id AND r.slug = a.field_sources -> 'hosts' ->> 0
            )
        ),
        field_sources = (
            SELECT coalesce(jsonb_object_agg(each.key, each.value || to_jsonb(
                CASE
                    WHEN EXISTS (
                        SELECT 1 FROM running_parties r
                        WHERE r.cluster_id = s.cluster_id AND r.slug = each.value ->> 0
                    ) THEN 'asserted'
                    WHEN each.key NOT IN ('hosts', 'ranks') AND each.value ->> 0 = (
                        SELECT o.slug FROM tenancy_organization o WHERE o.id = a.organization_id
                    ) THEN 'asserted'
                    ELSE 'claimed'
                END
            )), '{}'::jsonb)
            FROM jsonb_each(a.field_sources) each
        )
        FROM fleet_session s WHERE s.id = a.session_id AND s.cluster_id IS NOT NULL;
    UPDATE fleet_session s SET is_asserted = true
        FROM fleet_attempt a, jsonb_each(a.field_sources) e
        WHERE a.session_id = s.id AND s.cluster_id IS NOT NULL AND EXISTS (
            SELECT 1 FROM running_parties r
            WHERE r.cluster_id = s.cluster_id AND r.slug = e.value ->> 0
        );
    DROP TABLE running_parties;
    SET CONSTRAINTS ALL IMMEDIATE;
    ALTER TABLE fleet_participation FORCE ROW LEVEL SECURITY;
    ALTER TABLE fleet_attempt FORCE ROW LEVEL SECURITY;
    ALTER TABLE fleet_session FORCE ROW LEVEL SECURITY;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0004_leaving"),
        ("tenancy", "0006_former_addresses"),
    ]

    operations = [
        migrations.AddField(
            model_name="attempt",
            name="contradictions",
            field=models.JSONField(default=list),
        ),
        migrations.AddField(
            model_name="attempt",
            name="hosts_asserted",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="participation",
            name="hosts_agreed_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="session",
            name="is_asserted",
            field=models.BooleanField(default=False),
        ),
        migrations.CreateModel(
            name="CrossPartyNote",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("action", models.CharField(max_length=60)),
                ("subject", models.CharField(max_length=120)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
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
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "cluster", "action", "by", "subject"),
                        name="cross_party_note_once",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="FormerParticipation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("part", models.CharField(choices=PARTS, max_length=20)),
                (
                    "layers",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=16), default=list, size=None
                    ),
                ),
                ("hosts_agreed_at", models.DateTimeField(null=True)),
                ("since", models.DateTimeField(null=True)),
                ("until", models.DateTimeField()),
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
                "indexes": [models.Index(fields=["cluster"], name="former_part_by_cluster")],
            },
        ),
        isolation.isolate("fleet_crosspartynote"),
        isolation.isolate("fleet_formerparticipation"),
        isolation.lookup_function(
            "portal_parties_ever",
            argument="sought bigint",
            returns="SETOF bigint",
            body=(
                "SELECT p.organization_id FROM fleet_participation p WHERE p.cluster_id = sought"
                " UNION SELECT f.organization_id FROM fleet_formerparticipation f"
                " WHERE f.cluster_id = sought ORDER BY 1"
            ),
            tables=("fleet_participation", "fleet_formerparticipation"),
        ),
        migrations.RunSQL(JUDGE, migrations.RunSQL.noop),
    ]
