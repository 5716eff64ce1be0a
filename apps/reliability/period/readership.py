"""What is counted of a period for its audience."""

from dataclasses import dataclass

from apps.fleet.access import parts_in
from apps.fleet.models import Cluster
from apps.fleet.parties.participants import participants
from apps.incidents.projection.rights import SEES_SESSIONS
from apps.reliability.period.joint_tenants import tenant_count
from apps.reliability.period.scopes import Absence, Audience, PeriodScope
from apps.tenancy.access import Actor
from apps.tenancy.lookups import parties_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Readership:
    """What is counted for an audience: whose sessions, and of which parties all read incidents."""

    reads_sessions: bool
    owners: tuple[int, ...] = ()  # of sessions; none named: all that may be known of
    parties: tuple[int, ...] = ()  # only incidents that all of these read
    absence: Absence = Absence.HIDDEN  # why sessions are not read, where they are not


def readership_of(*, actor: Actor, scope: PeriodScope, cluster: Cluster | None) -> Readership:
    """Return what an audience reads. `cluster` is the scope's, which came through the door."""
    own_id = actor.organization.pk
    if cluster is None:
        return Readership(reads_sessions=True, owners=(own_id,))
    if scope.audience is Audience.OWN:
        return Readership(reads_sessions=True, owners=(own_id,))
    if scope.audience is Audience.CLUSTER:
        parts = {each.part for each in parts_in(actor=actor, cluster=cluster)}
        return Readership(reads_sessions=bool(parts & SEES_SESSIONS))
    everybody = parties_of(cluster_id=cluster.pk)
    known = participants(actor=actor, cluster=cluster)
    tenants = [each.organization.pk for each in known if "tenant" in each.parts]
    unseen = set(everybody) - {each.organization.pk for each in known}  # other tenants
    all_see = all(SEES_SESSIONS & set(each.parts) for each in known)
    is_of_one = len(tenants) == 1 and not unseen
    return Readership(
        reads_sessions=is_of_one and all_see,
        owners=tuple(tenants),
        parties=tuple(everybody),
        absence=Absence.OTHER_TENANTS if tenant_count(cluster.pk) > 1 else Absence.HIDDEN,
    )
