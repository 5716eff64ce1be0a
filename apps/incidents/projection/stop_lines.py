"""Which of a line of stops stands for the others, as far as its reader knows them."""

from collections.abc import Sequence

from django.db import connection
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from apps.incidents.models import Incident, IncidentParty
from apps.incidents.projection.header_values import IncidentFacts
from apps.incidents.states import IncidentStatus
from apps.tenancy.models import Organization

STANDING = (IncidentStatus.OPEN, IncidentStatus.RESOLVED)
# Row-level security and the party of the reader say which of a line it knows of, and what parts it.
LINE = """
    WITH RECURSIVE line AS (
        SELECT i.id AS head, i.id, i.status FROM incidents_incident i WHERE i.id = ANY(%(heads)s)
        UNION ALL
        SELECT l.head, i.id, i.status FROM line l
        JOIN incidents_incident i ON i.followed_by_id = l.id AND i.status = l.status
        JOIN incidents_incidentparty p ON p.incident_id = i.id
            AND p.organization_id = %(reader)s AND p.left_at IS NULL
            AND (i.has_followers_culprits OR NOT p.sees_culprit))
    SELECT head, id FROM line
"""


def without_followed(
    *, found: QuerySet[Incident], reader: Organization, is_of_one_layer: bool
) -> QuerySet[Incident]:
    """Leave out what a later stop stands for, as far as the reader knows that one."""
    party = IncidentParty.objects.for_organization(reader).filter(left_at=None)
    is_known = Exists(party.filter(incident=OuterRef("followed_by")))
    is_blind = Exists(party.filter(incident=OuterRef("pk"), sees_culprit=False))
    followed = Q(kept=None, status__in=STANDING, followed_by__status=F("status"))
    if is_of_one_layer:
        followed &= Q(is_further=False)  # a flood's line holds stops of several
    return found.exclude(followed & Q(is_known) & (Q(has_followers_culprits=True) | Q(is_blind)))


def lines_of(*, heads: Sequence[IncidentFacts], reader_id: int) -> dict[int, list[int]]:
    """Return for each incident the ids of all that it stands for, its own among them."""
    found: dict[int, list[int]] = {each.id: [] for each in heads}
    own = [each.id for each in heads if each.left_at is None and each.status in STANDING]
    with connection.cursor() as cursor:
        cursor.execute(LINE, {"heads": own, "reader": reader_id})
        for head, member in cursor.fetchall():
            found[head].append(member)
    return {head: members or [head] for head, members in found.items()}
