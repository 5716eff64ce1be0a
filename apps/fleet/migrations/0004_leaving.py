"""Who stops running a cluster reads sessions as they stood then."""

from django.db import migrations, models

from apps.tenancy.database import isolation

# Organizations that left before this was kept: from now on nothing new reaches them.
LEFT_BEFORE = """
    UPDATE fleet_sessionparty p SET left_at = now(), attempts_then = coalesce(
        (SELECT jsonb_agg(to_jsonb(a) ORDER BY a.number, a.id)
         FROM fleet_attempt a WHERE a.session_id = p.session_id), '[]')
    FROM fleet_session s
    WHERE s.id = p.session_id AND s.organization_id <> p.organization_id
        AND NOT EXISTS (
            SELECT 1 FROM fleet_participation t WHERE t.cluster_id = s.cluster_id
            AND t.organization_id = p.organization_id AND t.part IN ('operator', 'platform'))
"""


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0003_proposals"),
        ("tenancy", "0006_former_addresses"),
    ]

    operations = [
        migrations.AddField(
            model_name="sessionparty",
            name="attempts_then",
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name="sessionparty",
            name="left_at",
            field=models.DateTimeField(null=True),
        ),
        isolation.in_scope_of_all(LEFT_BEFORE),
        isolation.isolate_shared_until(
            "fleet_attempt", party_table="fleet_sessionparty", column="session_id", key="session_id"
        ),
    ]
