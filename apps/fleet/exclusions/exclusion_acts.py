"""People of who runs a cluster write down that a node is left out, or in use again.

A record and nothing else: no scheduler is told.
"""

from datetime import datetime
from typing import Final

from apps.diagnosis.input_values import storable, visible
from apps.fleet.access import parts_in
from apps.fleet.exclusions import exclusion_rows
from apps.fleet.exclusions.exclusion_access import RUNS
from apps.fleet.exclusions.exclusion_report import ExclusionBatch, ExclusionReport, ReturnReport
from apps.fleet.hosts.host_names import short
from apps.fleet.models import Cluster, ExclusionKind, NodeExclusion
from apps.fleet.parties.cross_party_acts import ActContext, record_cross_party_act
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.database import advisory_locks
from apps.tenancy.database.advisory_locks import Lock

REASON_LENGTH: Final = 500
EXCLUDED: Final = "node.excluded"
PUT_BACK: Final = "node.put_back"


class ReasonMissing(ValueError):
    """Why a node is left out is not said."""


def may_exclude(*, actor: Actor, runs: bool) -> bool:
    """Say whether the actor may write it down: it acts for who `runs` the cluster."""
    return Right.ACT in actor.rights and runs


def exclude(
    *, cluster: Cluster, host: str, reason: str, until: datetime | None, context: ActContext
) -> None:
    """Write down that a node is left out from now on. Raises NotFound, ReasonMissing.

    The same from the same person while it stands, as a button pressed twice says it, is no more.
    """
    told = visible(storable(reason).strip())[:REASON_LENGTH]
    if not told:
        raise ReasonMissing
    _require_right(cluster, context.actor)
    at = context.now
    report = ExclusionReport(
        host=host, kind=ExclusionKind.MANUAL, at=at, by=context.actor.name[:120], reason=told
    )
    ends = until is not None and until > at
    returns = (_back(host, until),) if until is not None and ends else ()
    own = context.actor.organization
    advisory_locks.hold(Lock.EXCLUSIONS, f"{own.pk} {cluster.pk}")
    standing = NodeExclusion.objects.for_organization(own).filter(
        cluster=cluster, host=short(name=host), kind=report.kind, by=report.by, reason=told
    )
    if standing.filter(ends_at=until if ends else None).exists():
        return
    _write(cluster, ExclusionBatch(exclusions=(report,), returns=returns), context)
    record_cross_party_act(EXCLUDED, f"{cluster.slug} {host}", context)


def put_back(*, cluster: Cluster, host: str, context: ActContext) -> None:
    """Write down that a node that was left out so is in use again. Raises NotFound."""
    _write(cluster, ExclusionBatch(returns=(_back(host, context.now),)), context)
    record_cross_party_act(PUT_BACK, f"{cluster.slug} {host}", context)


def _write(cluster: Cluster, batch: ExclusionBatch, context: ActContext) -> None:
    _require_right(cluster, context.actor)
    own = context.actor.organization
    exclusion_rows.record(cluster=cluster, reporter=own, batch=batch, now=context.now)


def _require_right(cluster: Cluster, actor: Actor) -> None:
    parts = {row.part for row in parts_in(actor=actor, cluster=cluster)}
    if not may_exclude(actor=actor, runs=bool(parts & RUNS)):
        raise NotFound


def _back(host: str, at: datetime) -> ReturnReport:
    return ReturnReport(host=host, kind=ExclusionKind.MANUAL, at=at)
