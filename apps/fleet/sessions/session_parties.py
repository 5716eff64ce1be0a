"""Who may know that a session ran: its tenant, and who runs the cluster."""

from datetime import datetime

from django.db import connection
from django.db.models import QuerySet

from apps.fleet.authority.project_owners import among_parties
from apps.fleet.models import (
    Cluster,
    Participation,
    ParticipationRole,
    Session,
    SessionParty,
)
from apps.tenancy.changes.announcements import announce
from apps.tenancy.lookups import parties_of
from apps.tenancy.models import Organization, Topic
from apps.tenancy.scope import organization_scope

# Who may know that a session ran, beside its tenant.
INFORMED = (ParticipationRole.OPERATOR, ParticipationRole.PLATFORM)
KEEP = """
    UPDATE fleet_sessionparty p SET left_at = %(now)s, attempts_then = coalesce(
        (SELECT jsonb_agg(to_jsonb(a) ORDER BY a.number, a.id)
         FROM fleet_attempt a WHERE a.session_id = p.session_id), '[]')
    FROM fleet_session s
    WHERE s.id = p.session_id AND s.cluster_id = %(cluster)s AND p.left_at IS NULL
        AND p.organization_id = %(organization)s AND s.organization_id <> p.organization_id
"""


def keep_ended(*, organization_id: int, cluster_id: int, now: datetime) -> None:
    """Keep others' sessions for who no longer serves the cluster as they stand. Needs its scope."""
    with connection.cursor() as cursor:
        cursor.execute(KEEP, {"organization": organization_id, "cluster": cluster_id, "now": now})


def tell_running(*, cluster: Cluster, organization: Organization) -> None:
    """Let who runs the cluster from now on know of the sessions that run; opens the scope."""
    with among_parties(cluster):
        running = Session.objects.filter(cluster=cluster, attempts__ended_at=None)
        ids = running.order_by("pk").values_list("pk", flat=True).distinct()
        SessionParty.objects.bulk_create(
            [SessionParty(organization=organization, session_id=pk) for pk in ids],
            ignore_conflicts=True,
        )
        own = SessionParty.objects.for_organization(organization)
        _read_on(own.filter(session__in=list(ids)))


def announce_session(*, session: Session) -> None:
    """Let open pages of those who may know of a session look again; opens the scope of these."""
    cluster = session.cluster_id
    parties = parties_of(cluster_id=cluster) if cluster is not None else ()
    with organization_scope(*parties, session.organization_id):
        told = SessionParty.objects.filter(session=session, left_at=None)
        readers = {session.organization_id, *told.values_list("organization_id", flat=True)}
    announce(topic=Topic.SESSION, subject=session.pk, readers=readers)


def tell_parties(*, session: Session) -> None:
    """Let platform and operator know that a session ran; opens the scope of the parties."""
    if session.cluster_id is None:
        return
    parties = parties_of(cluster_id=session.cluster_id)
    with organization_scope(*parties, session.organization_id):
        informed = Participation.objects.filter(cluster=session.cluster_id, part__in=INFORMED)
        ids = {session.organization_id, *informed.values_list("organization_id", flat=True)}
        SessionParty.objects.bulk_create(
            [SessionParty(organization_id=each, session=session) for each in sorted(ids)],
            ignore_conflicts=True,
        )
        _read_on(SessionParty.objects.filter(session=session, organization__in=ids))


def _read_on(parties: QuerySet[SessionParty]) -> None:
    """Let those who came back read sessions that go on as they are, no more as they stood."""
    parties.exclude(left_at=None).update(left_at=None, attempts_then=None)
