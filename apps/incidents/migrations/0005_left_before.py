"""What was left or withdrawn before the portal knew the difference."""

from django.db import migrations

from apps.tenancy.database import isolation

# Organizations without any part in the cluster: incidents as they stand at this upgrade.
COPIES = """
    INSERT INTO incidents_incidentsnapshot (
        organization_id, incident_id, taken_at, public_id, status, layer, moment,
        touched_by_people, session_ids, header, hypotheses, sessions, evidence)
    SELECT p.organization_id, i.id, now(), i.public_id, i.status, i.layer,
        coalesce(i.started_at, i.detected_at), i.touched_by_people, coalesce(s.ids, '{}'),
        to_jsonb(i) - 'digest', coalesce(h.found, '[]'), coalesce(s.found, '[]'),
        coalesce(e.found, '[]')
    FROM incidents_incidentparty p
    JOIN incidents_incident i ON i.id = p.incident_id
    LEFT JOIN LATERAL (
        SELECT jsonb_agg(to_jsonb(r) ORDER BY r.position, r.id) AS found
        FROM incidents_hypothesis r WHERE r.incident_id = i.id) h ON true
    LEFT JOIN LATERAL (
        SELECT array_agg(DISTINCT r.session_id) AS ids, jsonb_agg(
            to_jsonb(r) || jsonb_build_object('attempt', to_jsonb(a), 'session', to_jsonb(n))
            ORDER BY r.attempt_id, r.id) AS found
        FROM incidents_incidentsession r
        JOIN fleet_attempt a ON a.id = r.attempt_id
        JOIN fleet_session n ON n.id = r.session_id
        WHERE r.incident_id = i.id AND (
            r.organization_id = p.organization_id OR EXISTS (
                SELECT 1 FROM fleet_sessionparty q WHERE q.session_id = r.session_id
                AND q.organization_id = p.organization_id))) s ON true
    LEFT JOIN LATERAL (
        SELECT jsonb_agg(to_jsonb(r) ORDER BY r.id) AS found
        FROM incidents_evidenceitem r
        WHERE r.incident_id = i.id AND r.organization_id = p.organization_id) e ON true
    WHERE i.cluster_id IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM fleet_participation t WHERE t.cluster_id = i.cluster_id
        AND t.organization_id = p.organization_id)
"""
LEFT = """
    UPDATE incidents_incidentparty p SET left_at = c.taken_at
    FROM incidents_incidentsnapshot c
    WHERE c.incident_id = p.incident_id AND c.organization_id = p.organization_id
"""
WITHDRAWN = """
    UPDATE incidents_annotation a SET audience = '{}'
    FROM incidents_annotation w
    WHERE w.is_withdrawn AND w.organization_id = a.organization_id AND w.public_id = a.public_id
"""


class Migration(migrations.Migration):
    dependencies = [("incidents", "0004_leaving")]

    operations = [
        isolation.in_scope_of_all(COPIES),
        isolation.in_scope_of_all(LEFT),
        isolation.in_scope_of_all(WITHDRAWN),
    ]
