"""A cluster's parts at one instant, for pages and REST. Needs the actor's scope."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Signal
from apps.fleet.access import access_cluster
from apps.fleet.facade.exclusions import exclusions_of
from apps.fleet.facade.nodes import NodeScope, gpu_places, known_hosts, node_scope
from apps.fleet.facade.placements import AttemptPlace, attempt_places
from apps.fleet.models import Cluster, ParticipationRole
from apps.fleet.parties.participants import participants
from apps.incidents.facade.fleet import list_shared_moments, list_shared_signals
from apps.incidents.projection.shared_values import SharedAs
from apps.reliability.fleet_grid.nodes import NodeFacts, fleet_nodes, places_by_host
from apps.reliability.fleet_grid.values import FleetNode, FleetQuestion, FleetView, NodeSession
from apps.sharing.ledger_kinds import LedgerChannel
from apps.telemetry.facade.fleet_metrics import (
    MetricMoment,
    XidMark,
    has_metrics_source,
    held_signals,
    metric_moment,
    newest_minute,
    oldest_kept,
    xids_between,
)
from apps.tenancy.access import Actor, NotFound
from apps.tenancy.values import OrganizationName, name_of

XIDS_SHOWN: Final = timedelta(hours=1)
# A look at a node in detail: what of a GPU is shown beside what was chosen.
NODE_SIGNALS: Final = ("gpu.temperature", "gpu.power", "gpu.utilisation", "gpu.clock")
# Whose part it is to have metrics of nodes.
MEASURE: Final = frozenset(
    {
        ParticipationRole.OPERATOR,
        ParticipationRole.PLATFORM,
        ParticipationRole.GPU_VENDOR,
        ParticipationRole.NETWORK_VENDOR,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Setting:
    """What looks at one cluster and instant share."""

    scope: NodeScope
    places: Sequence[AttemptPlace]
    others: tuple[OrganizationName, ...]
    facts: NodeFacts


def fleet_view(
    *, actor: Actor, asked: FleetQuestion, channel: LedgerChannel | None, now: datetime
) -> FleetView:
    """Return the nodes of a cluster at an instant. Raises NotFound, LedgerUnavailable.

    Without a channel nothing of others is shown.
    """
    return fleet_views(actor=actor, asked=[asked], channel=channel, now=now)[0]


def fleet_views(
    *, actor: Actor, asked: Sequence[FleetQuestion], channel: LedgerChannel | None, now: datetime
) -> list[FleetView]:
    """Return the same for several signals of one cluster at one instant."""
    first = asked[0]
    scope = node_scope(actor=actor, cluster=first.cluster)
    places = attempt_places(actor=actor, cluster=first.cluster, since=first.at, until=first.at)
    others = _others(actor, access_cluster(actor=actor, slug=first.cluster))
    facts = _facts(actor, scope, first, places, has_others=bool(others), now=now)
    setting = _Setting(scope=scope, places=places, others=others, facts=facts)
    return [_view(actor, each, setting, channel, now) for each in asked]


def _view(
    actor: Actor,
    asked: FleetQuestion,
    setting: _Setting,
    channel: LedgerChannel | None,
    now: datetime,
) -> FleetView:
    signal = catalog().signals.get(asked.signal)
    if signal is None:
        raise NotFound
    scope = setting.scope
    moments = [(None, _own(actor, scope, asked)), *_others_moments(actor, asked, channel, now)]
    nodes = fleet_nodes(signal=signal, moments=moments, facts=setting.facts)
    return FleetView(
        cluster=scope.cluster,
        is_simulated=scope.is_simulated,
        at=asked.at,
        oldest=oldest_kept(now=now),
        signal=signal,
        nodes=tuple(each for each in nodes if _is_wanted(each, asked)),
        signals=_signals(actor, scope, asked, now=now) if asked.with_choices else (),
        sessions=tuple(
            NodeSession(public_id=each.session, name=each.session_name, number=each.number)
            for each in reversed(setting.places)
        ),
        others=setting.others,
        has_source=asked.with_choices
        and has_metrics_source(actor=actor, cluster_id=scope.cluster.id),
    )


def _own(actor: Actor, scope: NodeScope, asked: FleetQuestion) -> MetricMoment:
    return metric_moment(actor=actor, cluster_id=scope.cluster.id, signal=asked.signal, at=asked.at)


def _others_moments(
    actor: Actor, asked: FleetQuestion, channel: LedgerChannel | None, now: datetime
) -> list[tuple[SharedAs | None, MetricMoment]]:
    if channel is None:
        return []
    found = list_shared_moments(
        actor=actor,
        cluster=asked.cluster,
        signal=asked.signal,
        at=asked.at,
        now=now,
        channel=channel,
    )
    return [(each.shared, each.moment) for each in found]


def _facts(
    actor: Actor,
    scope: NodeScope,
    asked: FleetQuestion,
    places: Collection[AttemptPlace],
    *,
    has_others: bool,
    now: datetime,
) -> NodeFacts:
    return NodeFacts(
        hosts=known_hosts(actor=actor, scope=scope),
        places=places_by_host(places),
        out=_out(actor, asked, now),
        xids=_xids(actor, scope, asked),
        is_ours=scope.operates,
        others_hold=has_others,
    )


def _out(actor: Actor, asked: FleetQuestion, now: datetime) -> dict[str, str]:
    """Return how nodes are left out at the instant."""
    told = exclusions_of(
        actor=actor,
        cluster=asked.cluster,
        since=asked.at,
        until=asked.at + timedelta(seconds=1),
        now=now,
    )
    return {each.host: str(each.kind) for each in told if each.is_in_force(asked.at)}


def _xids(actor: Actor, scope: NodeScope, asked: FleetQuestion) -> Mapping[str, list[XidMark]]:
    told = xids_between(
        actor=actor,
        cluster_id=scope.cluster.id,
        since=asked.at - XIDS_SHOWN,
        until=asked.at + timedelta(seconds=1),
    )
    found: defaultdict[str, list[XidMark]] = defaultdict(list)
    seats = gpu_places(actor=actor, scope=scope) if told else {}
    for each in told:
        found[each.host].append(each.placed(seats.get((each.host, each.pci))))
    return found


def _others(actor: Actor, cluster: Cluster) -> tuple[OrganizationName, ...]:
    found = participants(actor=actor, cluster=cluster)
    return tuple(
        name_of(each.organization)
        for each in found
        if each.organization.pk != actor.organization.pk and MEASURE & set(each.parts)
    )


def _signals(
    actor: Actor, scope: NodeScope, asked: FleetQuestion, *, now: datetime
) -> tuple[Signal, ...]:
    own = held_signals(actor=actor, cluster_id=scope.cluster.id, at=asked.at)
    shown = list_shared_signals(actor=actor, cluster=asked.cluster, at=asked.at, now=now)
    known = catalog().signals
    return tuple(known[each] for each in sorted(own | shown))


def _is_wanted(node: FleetNode, asked: FleetQuestion) -> bool:
    if asked.session and (node.session is None or node.session.public_id != asked.session):
        return False
    return asked.host.lower() in node.host.lower()


def usual_signal(*, actor: Actor, cluster: str, at: datetime, now: datetime) -> str:
    """Return which signal is shown first: one of GPUs that is told of. Raises NotFound."""
    scope = node_scope(actor=actor, cluster=cluster)
    asked = FleetQuestion(cluster=cluster, signal="", at=at)
    told = {each.name: each for each in _signals(actor, scope, asked, now=now)}
    wanted = (*NODE_SIGNALS, *(each.name for each in told.values() if each.entity == "gpu"), *told)
    return next((each for each in wanted if each in told), NODE_SIGNALS[0])


def newest_told(*, actor: Actor, cluster: str, signal: str, at: datetime) -> datetime | None:
    """Return when one's own sources told of a signal last before an instant. Raises NotFound."""
    scope = node_scope(actor=actor, cluster=cluster)
    return newest_minute(actor=actor, cluster_id=scope.cluster.id, signal=signal, until=at)
