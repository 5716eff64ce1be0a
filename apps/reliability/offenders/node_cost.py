"""What incidents that blame a node cost: the same GPU-hours as in the figures of those days."""

from datetime import datetime, timedelta
from typing import Final

from apps.fleet.values import ClusterName
from apps.reliability.offenders.values import NodeCost
from apps.reliability.period.asked_span import MOST_DAYS, scope_of
from apps.reliability.period.incident_losses import known_losses
from apps.reliability.period.losses import node_hours
from apps.reliability.period.read import period_facts
from apps.reliability.period.scopes import Audience
from apps.sharing.ledger_kinds import LedgerChannel
from apps.tenancy.access import Actor

LONGEST: Final = timedelta(days=MOST_DAYS - 1)


def node_cost(
    *,
    actor: Actor,
    cluster: str | ClusterName,
    host: str,
    since: datetime,
    now: datetime,
    channel: LedgerChannel | None,
) -> NodeCost:
    """Return the cost of a node in whole days of UTC until now. Needs the actor's scope.

    Without a channel by nothing that others show of their sessions. Raises NotFound for a cluster
    without a part in it, LedgerUnavailable. A cluster by its value came through a door before.
    """
    scope = scope_of(
        actor=actor,
        audience=Audience.CLUSTER,
        cluster=cluster,
        first_day=max(since, now - LONGEST).date(),
        last_day=now.date(),
    )
    facts = period_facts(actor=actor, scope=scope, now=now, channel=channel, host=host)
    blaming = [
        each
        for each in known_losses(facts)
        if scope.starts_at <= each.incident.moment < scope.ends_at
        and host in (each.incident.hosts or ())
    ]
    return NodeCost(
        gpu_hours=node_hours(facts, blaming),
        counted=len(blaming),
        unknown=sum(each.is_incomplete for each in blaming),
    )
