"""Who reads a joint report, and whether it would tell one tenant of another."""

from apps.fleet.models import Participation, ParticipationRole
from apps.reliability.period.facts import PeriodFacts
from apps.reliability.period.scopes import Audience
from apps.tenancy.lookups import parties_of
from apps.tenancy.scope import organization_scope

MOST_ALONE = 1


def hides_tenants(facts: PeriodFacts) -> bool:
    """Say whether several tenants read the same report: times and people would tell of the other.

    The same for every party that asks, whatever it may know of the tenants itself.
    """
    scope = facts.scope
    if scope.audience is not Audience.JOINT or scope.cluster is None:
        return False
    with organization_scope(*parties_of(cluster_id=scope.cluster.id)):
        rows = Participation.objects.filter(cluster=scope.cluster.id, part=ParticipationRole.TENANT)
        return rows.values("organization").distinct().count() > MOST_ALONE
