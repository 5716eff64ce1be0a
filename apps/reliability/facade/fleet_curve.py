"""How unlike its peers the worst part was over the hours that are kept. Needs the actor's scope."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import numpy as np

from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Signal
from apps.fleet.facade.nodes import NodeScope, node_scope
from apps.fleet.facade.placements import AttemptPlace, attempt_places
from apps.incidents.facade.fleet import list_shared_moment_span
from apps.reliability.fleet_grid.values import FleetQuestion
from apps.reliability.fleet_grid.worst_curve import (
    PartFilter,
    PartTable,
    WorstPart,
    worst_parts,
)
from apps.sharing.ledger_kinds import LedgerChannel
from apps.telemetry.facade.fleet_metrics import (
    XidMark,
    measured_parts,
    metric_spans,
    oldest_kept,
    xids_between,
)
from apps.tenancy.access import Actor, NotFound
from apps.tenancy.values import OrganizationName

MINUTE: Final = timedelta(minutes=1)
MOST_POINTS: Final = 720
# Of a large fleet fewer instants are looked at, so that a curve takes well under a second.
MOST_CELLS: Final = 1_500_000
LEAST_POINTS: Final = 24
# What others show is asked of them instant by instant.
SHARED_POINTS: Final = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetCurve:
    """The worst part of a metric at instants of the kept hours, in order."""

    signal: Signal
    since: datetime
    until: datetime
    step: timedelta  # between two instants that were looked at
    points: tuple[WorstPart, ...]
    shown_by: tuple[OrganizationName, ...]  # who measured it; empty: one's own sources
    xids: tuple[XidMark, ...]  # of one's own logs

    @property
    def worst(self) -> WorstPart | None:
        """Return the point that stands out most, the latest of several alike."""
        told = [each for each in self.points if each.distance is not None]
        return max(told, key=lambda each: (each.distance, each.at), default=None)


def fleet_curve(
    *, actor: Actor, asked: FleetQuestion, channel: LedgerChannel | None, now: datetime
) -> FleetCurve:
    """Return the curve of a metric up to `asked.at`. Raises NotFound, LedgerUnavailable.

    It is of one's own sources. Who has none of them reads what others show, less densely; without
    a channel nothing of others is shown.
    """
    signal = catalog().signals.get(asked.signal)
    if signal is None:
        raise NotFound
    scope = node_scope(actor=actor, cluster=asked.cluster)
    until = asked.at.replace(second=0, microsecond=0)
    since = min(oldest_kept(now=now).replace(second=0, microsecond=0) + MINUTE, until)
    places = attempt_places(actor=actor, cluster=asked.cluster, since=since, until=until)
    count = measured_parts(
        actor=actor, cluster_id=scope.cluster.id, signal=signal.name, since=since, until=until
    )
    wanted = PartFilter(session=asked.session, host=asked.host)
    instants = _instants(since, until, most=_most_points(count) if count else SHARED_POINTS)
    shown_by: tuple[OrganizationName, ...] = ()
    if count:
        points = list(_own(actor, scope, signal, instants, places, wanted))
    else:
        points, shown_by = _shown(actor, asked, instants, places, channel, now)
    return FleetCurve(
        signal=signal,
        since=since,
        until=until,
        step=instants[1] - instants[0] if len(instants) > 1 else MINUTE,
        points=tuple(points),
        shown_by=shown_by,
        xids=tuple(
            each
            for each in xids_between(
                actor=actor, cluster_id=scope.cluster.id, since=since, until=until
            )
            if asked.host.lower() in each.host.lower()
        ),
    )


def _most_points(count: int) -> int:
    return max(LEAST_POINTS, min(MOST_POINTS, MOST_CELLS // count))


def _instants(since: datetime, until: datetime, *, most: int) -> list[datetime]:
    """Return full minutes, evenly apart, the newest among them."""
    minutes = round((until - since) / MINUTE)
    step = max(1, -(-minutes // most))
    return [until - each * MINUTE for each in range(0, minutes + 1, step)][::-1]


def _own(
    actor: Actor,
    scope: NodeScope,
    signal: Signal,
    instants: Sequence[datetime],
    places: Sequence[AttemptPlace],
    wanted: PartFilter,
) -> Iterator[WorstPart]:
    spans = metric_spans(
        actor=actor, cluster_id=scope.cluster.id, signal=signal.name, instants=instants
    )
    for span in spans:
        table = PartTable(at=span.at, parts=span.parts, values=span.values)
        yield from worst_parts(signal=signal, table=table, places=places, wanted=wanted)


def _shown(
    actor: Actor,
    asked: FleetQuestion,
    instants: Sequence[datetime],
    places: Sequence[AttemptPlace],
    channel: LedgerChannel | None,
    now: datetime,
) -> tuple[list[WorstPart], tuple[OrganizationName, ...]]:
    """Return the worst of what others show at each instant, and who they are."""
    signal = catalog().signals[asked.signal]
    wanted = PartFilter(session=asked.session, host=asked.host)
    found = (
        list_shared_moment_span(
            actor=actor,
            cluster=asked.cluster,
            signal=asked.signal,
            instants=instants,
            now=now,
            channel=channel,
        )
        if channel is not None
        else [[] for _ in instants]
    )
    points = []
    for at, some in zip(instants, found, strict=True):
        tables = (
            PartTable(at=(at,), parts=each.moment.parts, values=each.moment.values[:, np.newaxis])
            for each in some
        )
        worst = [
            point
            for table in tables
            for point in worst_parts(signal=signal, table=table, places=places, wanted=wanted)
            if point.distance is not None
        ]
        points.append(max(worst, key=lambda each: each.distance or 0.0, default=WorstPart(at=at)))
    return points, tuple(dict.fromkeys(each.shared.holder for some in found for each in some))
