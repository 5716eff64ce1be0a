"""An organization leaves a cluster, or comes back: what it reads of the incidents from then on.

Who left reads an incident as it stood then: the shared header changes in place, so it is copied,
and what is appended later is closed by its time. Who comes back reads on: the header as it is now,
and what is appended from then on. What was appended while it was away stays closed, unless it is a
party by the participations of today (`correlation.incident_parties`): the tenant of a session that
was hit, or somebody whose part counts since ever. Audiences that were named meanwhile never held
it.
"""

from collections.abc import Collection
from datetime import datetime

from django.db import connection
from django.db.models import F, Func, Q, QuerySet, Value

from apps.fleet.models import Participation, ParticipationRole
from apps.incidents.models import IncidentParty, IncidentSnapshot

# One statement: an operator of years leaves thousands of incidents. Row-level security lets it copy
# what the organization may read and nothing else.
COPY = """
    INSERT INTO incidents_incidentsnapshot (
        organization_id, incident_id, taken_at, public_id, status, layer, moment,
        touched_by_people, session_ids, header, hypotheses, sessions, evidence)
    SELECT p.organization_id, i.id, %(now)s, i.public_id, i.status, i.layer,
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
        WHERE r.incident_id = i.id) s ON true
    LEFT JOIN LATERAL (
        SELECT jsonb_agg(to_jsonb(r) ORDER BY r.id) AS found
        FROM incidents_evidenceitem r
        WHERE r.incident_id = i.id AND r.organization_id = p.organization_id) e ON true
    WHERE p.organization_id = %(organization)s AND i.cluster_id = %(cluster)s
        AND p.left_at IS NULL
    ON CONFLICT (organization_id, incident_id) DO NOTHING
"""


def leave_incidents(*, organization_id: int, cluster_id: int, now: datetime) -> None:
    """Keep the cluster's incidents for who leaves it as they stand now. Needs its scope alone."""
    with connection.cursor() as cursor:
        cursor.execute(COPY, {"organization": organization_id, "cluster": cluster_id, "now": now})
    _parties(organization_id, cluster_id).filter(left_at=None).update(left_at=now)


def come_back(*, organization_id: int, cluster_id: int, now: datetime) -> None:
    """Let who left the cluster read on from now. Needs its scope."""
    away = _parties(organization_id, cluster_id).exclude(left_at=None)
    if not away.exists():
        return
    own = Participation.objects.for_organization(organization_id).filter(cluster=cluster_id)
    held = frozenset(own.values_list("part", flat=True))
    is_since_ever = own.exclude(part=ParticipationRole.TENANT).filter(since=None).exists()
    _take_over_parts(away, held)
    if not is_since_ever:
        served = (
            Q()
            if ParticipationRole.TENANT not in held
            else ~Q(parts__contains=[ParticipationRole.TENANT])
        )
        absence = Func(F("left_at"), Value(now), function="tstzrange")
        away.filter(served).update(absences=Func(F("absences"), absence, function="array_append"))
    IncidentSnapshot.objects.for_organization(organization_id).filter(
        incident__cluster=cluster_id
    ).delete()
    away.update(left_at=None)


def _take_over_parts(away: QuerySet[IncidentParty], held: Collection[str]) -> None:
    """Let it read with those of its former parts that it has again; a session stays its tenant's.

    Else who ran the cluster once would read new facts with an operator's rights.
    """
    combinations = {tuple(each) for each in away.values_list("parts", flat=True)}
    for former in combinations:
        kept = [part for part in former if part in held or part == ParticipationRole.TENANT]
        if kept != list(former):
            away.filter(parts=list(former)).update(
                parts=kept, sees_culprit=False if not kept else F("sees_culprit")
            )


def _parties(organization_id: int, cluster_id: int) -> QuerySet[IncidentParty]:
    own = IncidentParty.objects.for_organization(organization_id)
    return own.filter(incident__cluster=cluster_id)
