"""Who measures the layers that a vendor answers for where it measures nothing itself.

Who runs a cluster is known by its part; whether it has metrics of a layer is told only as far as a
rule shows that layer. So what is not shared reads the same whether it is there or not.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from apps.diagnosis.detection.metrics.load import catalog
from apps.fleet.access import access_clusters, parts_in
from apps.fleet.authority.rules import VENDORS
from apps.fleet.exclusions.exclusion_access import RUNS
from apps.fleet.models import Cluster
from apps.fleet.parties.participants import answered_layers, participants
from apps.fleet.values import ClusterName, cluster_name
from apps.sharing.grant_values import Grant, ReaderPlace, SharedThing
from apps.sharing.grants import grants_to, rule_for
from apps.sharing.terms import Level
from apps.telemetry.fleet_metrics.moments import FRESH, signals_between
from apps.tenancy.access import Actor, Right
from apps.tenancy.scope import organization_scope
from apps.tenancy.values import OrganizationName, name_of

OF_VENDORS: Final = frozenset(VENDORS.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredElsewhere:
    """What one party that runs a cluster shows of one layer's metrics."""

    cluster: ClusterName
    layer: str
    holder: OrganizationName
    level: Level | None  # that is shown at any time; None: none is
    is_around_incidents: bool  # shown around incidents, if at no other time
    agreement: str  # under which; empty: nothing is shown
    is_measured: bool | None  # lately; None: not told


def measured_elsewhere(
    *, actor: Actor, measured: Collection[int], now: datetime
) -> tuple[MeasuredElsewhere, ...]:
    """Return who may measure the actor's layers, by cluster; `measured` are clusters (by id) that
    its own metrics tell of. Empty for who is no vendor. Needs the actor's scope.
    """
    actor.require(Right.READ)
    return tuple(
        row
        for cluster in access_clusters(actor=actor)
        if cluster.pk not in measured
        for row in _of_cluster(actor, cluster, now)
    )


def _of_cluster(actor: Actor, cluster: Cluster, now: datetime) -> Iterator[MeasuredElsewhere]:
    own = parts_in(actor=actor, cluster=cluster)
    parts = {row.part for row in own}
    if not parts & OF_VENDORS or parts & RUNS:
        return
    layers = answered_layers(parts=parts, layers=[each for row in own for each in row.layers])
    grants = grants_to(reader=actor.organization, cluster_id=cluster.pk, now=now)
    for party in participants(actor=actor, cluster=cluster):
        if not RUNS & {*party.parts} or party.organization.pk == actor.organization.pk:
            continue
        grant = grants.get(party.organization.pk)
        for layer in sorted(layers & VENDORS.keys()):
            yield _row(cluster, layer, name_of(party.organization), grant, layers, now)


def _row(
    cluster: Cluster,
    layer: str,
    holder: OrganizationName,
    grant: Grant | None,
    layers: frozenset[str],
    now: datetime,
) -> MeasuredElsewhere:
    data = f"metrics:{layer}"
    place = ReaderPlace(layers=layers)  # of no incident, and without sessions
    thing = SharedThing(data=data, at=now)
    rule = rule_for(grant=grant, thing=thing, reader=place, now=now) if grant else None
    has_more = any(each.level is not Level.NONE for each in grant.agreed(data)) if grant else False
    name = cluster_name(cluster)
    assert name is not None  # noqa: S101  there is one
    return MeasuredElsewhere(
        cluster=name,
        layer=layer,
        holder=holder,
        level=rule.level if rule else None,
        is_around_incidents=has_more and rule is None,
        agreement=grant.public_id if grant and (rule or has_more) else "",
        is_measured=_is_measured(cluster, layer, holder, now) if rule else None,
    )


def _is_measured(cluster: Cluster, layer: str, holder: OrganizationName, now: datetime) -> bool:
    with organization_scope(holder.id):
        names = signals_between(
            organization_id=holder.id, cluster_id=cluster.pk, since=now - FRESH, until=now
        )
    return any(catalog().signals[each].layer == layer for each in names)
