"""Who reads a joint report, and whether it would tell one tenant of another."""

from apps.reliability.period.facts import PeriodFacts
from apps.reliability.period.joint_tenants import tenant_count
from apps.reliability.period.scopes import Audience

MOST_ALONE = 1


def hides_tenants(facts: PeriodFacts) -> bool:
    """Say whether several tenants read the same report: times and people would tell of the other.

    The same for every party that asks, whatever it may know of the tenants itself.
    """
    scope = facts.scope
    if scope.audience is not Audience.JOINT or scope.cluster is None:
        return False
    return tenant_count(scope.cluster.id) > MOST_ALONE
