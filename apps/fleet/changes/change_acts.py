"""Parties write down what they changed, and take it back; each act stands in the audit record."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from apps.fleet.access import takes_part
from apps.fleet.changes import change_rows
from apps.fleet.changes.change_report import ChangeIntake, ChangeReport
from apps.fleet.changes.unknown_hosts import unknown_hosts
from apps.fleet.hosts.host_names import short
from apps.fleet.models import Cluster
from apps.fleet.parties.cross_party_acts import ActContext, record_cross_party_act
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.audit.audit_log import AuditAction, record
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope

TOLD: Final = "change.told"
WITHDRAWN: Final = "change.withdrawn"


def tell_change(*, cluster: Cluster, report: ChangeReport, context: ActContext) -> ChangeIntake:
    """Write down what a person says that its organization changed; return what came of it. Needs
    the scope.

    Raises NotFound, TooManyChanges.
    """
    actor = context.actor
    actor.require(Right.ACT)
    intake = change_rows.record(
        cluster=cluster, reporter=actor.organization, reports=[report], now=context.now
    )
    if intake.new_count or intake.updated_count:
        record_cross_party_act(TOLD, f"{cluster.slug} {report.key}", context)
    return _with_unknown_hosts(intake, actor, cluster, [report])


def withdraw_change(*, cluster: Cluster, public_id: str, context: ActContext) -> None:
    """Take back a change that the actor's organization told. Raises NotFound. Needs the scope."""
    actor = context.actor
    actor.require(Right.ACT)
    if not change_rows.withdraw(cluster=cluster, owner=actor.organization, public_id=public_id):
        raise NotFound
    record_cross_party_act(WITHDRAWN, f"{cluster.slug} {public_id}", context)


def record_changes(
    *,
    reporter: Organization,
    cluster: Cluster,
    reports: Sequence[ChangeReport],
    sender: str,
    now: datetime,
) -> ChangeIntake:
    """Write what an organization's token pushed; return what came of it.

    Durable when it returns, idempotent by the keys. `sender` names the token in the audit record.
    Raises NotFound for who left the cluster, TooManyChanges.
    """
    with organization_scope(reporter.pk):
        if not takes_part(organization_id=reporter.pk, cluster_id=cluster.pk):
            raise NotFound
        intake = change_rows.record(cluster=cluster, reporter=reporter, reports=reports, now=now)
        count = intake.new_count + intake.updated_count
        if count:
            keys = ", ".join(sorted({each.key for each in reports})[:3])
            act = AuditAction(
                action=TOLD, subject=f"{cluster.slug} {keys}", actor=sender, count=count
            )
            record(organization_id=reporter.pk, act=act, now=now)
        reader = Actor(organization=reporter, rights=frozenset({Right.READ}))
        return _with_unknown_hosts(intake, reader, cluster, reports)


def _with_unknown_hosts(
    intake: ChangeIntake, actor: Actor, cluster: Cluster, reports: Sequence[ChangeReport]
) -> ChangeIntake:
    names = {short(name=host) for each in reports for host in each.hosts}
    unknown = unknown_hosts(actor=actor, cluster=cluster, names=names)
    return replace(intake, unknown_hosts=unknown)
