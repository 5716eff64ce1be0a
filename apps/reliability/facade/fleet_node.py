"""One node of a fleet at an instant. Needs the actor's scope."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q

from apps.fleet.devices.node_identity import NodeIdentity
from apps.fleet.facade import nodes
from apps.fleet.values import NodeRun
from apps.incidents.facade.nodes import incidents_blaming
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.states import IncidentStatus
from apps.reliability.facade.fleet import fleet_views
from apps.reliability.fleet_grid.values import FleetNode, FleetQuestion
from apps.sharing.ledger_kinds import LedgerChannel
from apps.telemetry.facade.fleet_metrics import XidMark, xids_between
from apps.telemetry.facade.warnings import list_episodes
from apps.telemetry.values import EpisodeView
from apps.tenancy.access import Actor, NotFound

LOOK_BACK: Final = timedelta(days=28)
MOST_LINES: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeQuestion:
    """Which node, which of its signals, and when."""

    cluster: str
    host: str
    signals: tuple[str, ...]
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeLook:
    """What the reader may know of a node. Under a pseudonym only what is shown of its metrics."""

    is_known: bool  # by its own name: it has a page
    nodes: dict[str, FleetNode]  # by signal
    identity: NodeIdentity | None
    xids: tuple[XidMark, ...]
    runs: tuple[NodeRun, ...]
    incidents: tuple[IncidentHeader, ...]
    warnings: tuple[EpisodeView, ...]


def node_look(
    *, actor: Actor, asked: NodeQuestion, channel: LedgerChannel | None, now: datetime
) -> NodeLook:
    """Return what is known of a node. Raises NotFound where that is nothing, LedgerUnavailable."""
    scope = nodes.node_scope(actor=actor, cluster=asked.cluster)
    found = _of_signals(actor, asked, channel, now)
    if not found:
        raise NotFound
    is_known = asked.host in nodes.known_hosts(actor=actor, scope=scope)
    since = asked.at - LOOK_BACK
    span = {"since": since, "until": asked.at + timedelta(seconds=1)}
    seats = nodes.gpu_places(actor=actor, scope=scope)
    xids = xids_between(actor=actor, cluster_id=scope.cluster.id, host=asked.host, **span)
    blaming = incidents_blaming(
        actor=actor, cluster_id=scope.cluster.id, host=asked.host, limit=MOST_LINES, **span
    )
    warned = list_episodes(actor=actor, cluster=asked.cluster, since=since)
    return NodeLook(
        is_known=is_known,
        nodes=found,
        identity=nodes.node_identity(actor=actor, scope=scope, host=asked.host),
        xids=tuple(each.placed(seats.get((each.host, each.pci))) for each in xids[:MOST_LINES]),
        runs=nodes.runs_on(
            actor=actor,
            scope=scope,
            host=asked.host,
            since=asked.at,
            until=asked.at + timedelta(seconds=1),
            limit=MOST_LINES,
        )
        if is_known
        else (),
        incidents=tuple(each for each in blaming if each.incident.status == IncidentStatus.OPEN),
        warnings=tuple(
            warned.filter(Q(host=asked.host, ends_at=None, withdrawn_at=None))[:MOST_LINES]
        ),
    )


def _of_signals(
    actor: Actor, asked: NodeQuestion, channel: LedgerChannel | None, now: datetime
) -> dict[str, FleetNode]:
    """Return signal → the node as that tells of it, of those that do."""
    questions = [
        FleetQuestion(
            cluster=asked.cluster, signal=each, at=asked.at, host=asked.host, with_choices=False
        )
        for each in asked.signals
    ]
    views = fleet_views(actor=actor, asked=questions, channel=channel, now=now)
    return {
        view.signal.name: node for view in views for node in view.nodes if node.host == asked.host
    }
