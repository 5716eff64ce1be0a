"""What was changed in a cluster, by the actor's organization and by others as they show it.

Needs the actor's scope.
"""

from collections.abc import Sequence
from datetime import datetime

from apps.fleet.access import access_cluster, row_of_cluster
from apps.fleet.changes import change_acts
from apps.fleet.changes.change_report import ChangeIntake, ChangeReport
from apps.fleet.changes.change_rows import between, change_view
from apps.fleet.changes.change_values import ChangeView
from apps.fleet.changes.unknown_hosts import unknown_hosts
from apps.fleet.facade.nodes import NodeScope
from apps.fleet.models import Cluster
from apps.fleet.parties.cross_party_acts import ActContext
from apps.incidents.facade.incident_row import row_of
from apps.incidents.projection.changes_around import (
    hosts_of_incident,
    nearest_changes,
    span_around,
)
from apps.incidents.projection.header_values import IncidentFacts, IncidentHeader
from apps.incidents.projection.shared.recorded_access import recorded_changes
from apps.sharing.ledger_kinds import LedgerChannel
from apps.tenancy.access import Actor, Right


def changes_of(
    *,
    actor: Actor,
    cluster: str | NodeScope,
    span: tuple[datetime, datetime],
    now: datetime,
    channel: LedgerChannel | None,
    incident: IncidentFacts | None = None,
) -> tuple[ChangeView, ...]:
    """Return the changes of a span that the actor reads, the newest first.

    Without a channel its own alone. Around an `incident` more may be shown. Raises NotFound,
    LedgerUnavailable.
    """
    actor.require(Right.READ)
    found = _row(actor, cluster)
    own_id = actor.organization.pk
    rows = between(organization_id=own_id, cluster=found, since=span[0], until=span[1])
    own = [change_view(row, reader_id=own_id) for row in rows]
    if channel is None:
        return tuple(own)
    shown = recorded_changes(
        actor=actor,
        cluster=found,
        span=span,
        channel=channel,
        now=now,
        incident=row_of(incident) if incident is not None else None,
    )
    others = [each.change for each in shown]
    return tuple(
        sorted((*own, *others), key=lambda each: (each.starts_at, each.is_own), reverse=True)
    )


def changes_around(
    *, actor: Actor, header: IncidentHeader, now: datetime, channel: LedgerChannel | None
) -> tuple[tuple[ChangeView, ...], frozenset[str]]:
    """Return changes around an incident that touch its hosts or may, by time; and these hosts.

    Without a channel those of the reader's organization alone. Raises LedgerUnavailable.
    """
    incident = header.incident
    if incident.cluster is None or header.left_at is not None:
        return (), frozenset()
    found = changes_of(
        actor=actor,
        cluster=incident.cluster.slug,
        span=span_around(header, now=now),
        now=now,
        channel=channel,
        incident=incident,
    )
    if not found:
        return (), frozenset()
    hosts = hosts_of_incident(header, actor=actor)
    return nearest_changes(found, header=header, hosts=hosts), hosts


def may_tell(*, actor: Actor) -> bool:
    """Say whether the actor may write down what its organization changed."""
    return Right.ACT in actor.rights


def tell_change(
    *, cluster: str | NodeScope, report: ChangeReport, context: ActContext
) -> ChangeIntake:
    """Write down a change of the actor's organization. Raises NotFound, TooManyChanges."""
    found = _row(context.actor, cluster)
    return change_acts.tell_change(cluster=found, report=report, context=context)


def unknown_hosts_of(
    *, actor: Actor, cluster: str | NodeScope, changes: Sequence[ChangeView]
) -> frozenset[str]:
    """Return the names in the actor's own changes that match no host it knows of now."""
    names = {host for each in changes if each.is_own for host in each.hosts or ()}
    return frozenset(unknown_hosts(actor=actor, cluster=_row(actor, cluster), names=names))


def withdraw_change(*, cluster: str, public_id: str, context: ActContext) -> None:
    """Take back a change that the actor's organization told. Raises NotFound."""
    found = access_cluster(actor=context.actor, slug=cluster)
    change_acts.withdraw_change(cluster=found, public_id=public_id, context=context)


def _row(actor: Actor, cluster: str | NodeScope) -> Cluster:
    """Return a cluster through its door, or the one that came through it in this request."""
    if isinstance(cluster, NodeScope):
        return row_of_cluster(cluster.cluster, is_simulated=cluster.is_simulated)
    return access_cluster(actor=actor, slug=cluster)
