"""One of several tenants finds a shared incident by when its own session broke."""

from django.db import migrations, models

from apps.tenancy.database import isolation

FILL = """
    UPDATE incidents_incidentparty p SET moment = own.at
    FROM (
        SELECT s.incident_id, s.organization_id,
            min((s.conclusion->>'started_at')::timestamptz) AS at
        FROM incidents_incidentsession s
        JOIN incidents_incident i ON i.id = s.incident_id AND i.kind = 'shared'
        GROUP BY s.incident_id, s.organization_id) own
    WHERE own.incident_id = p.incident_id AND own.organization_id = p.organization_id
        AND NOT p.parts && ARRAY['operator', 'platform']::varchar[]
"""


class Migration(migrations.Migration):
    dependencies = [("incidents", "0007_followed_by")]

    operations = [
        migrations.AddField(
            model_name="incidentparty",
            name="moment",
            field=models.DateTimeField(null=True),
        ),
        isolation.in_scope_of_all(FILL),
    ]
