"""How many tenants a cluster has: one must not read another one's sessions out of joint figures."""

from apps.fleet.models import Participation, ParticipationRole
from apps.tenancy.lookups import parties_of
from apps.tenancy.scope import organization_scope


def tenant_count(cluster_id: int) -> int:
    """Return the tenants of a cluster; the same for every party that asks, whatever it may know."""
    with organization_scope(*parties_of(cluster_id=cluster_id)):
        rows = Participation.objects.filter(cluster=cluster_id, part=ParticipationRole.TENANT)
        return rows.values("organization").distinct().count()
