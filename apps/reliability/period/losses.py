"""Lost GPU-hours of a period: in all, by what they are put down to, and the worst nodes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, get_args

from apps.reliability.period.facts import PeriodFacts
from apps.reliability.period.incident_losses import KnownLoss
from apps.reliability.period.scopes import (
    Absence,
    CountedKind,
    Figure,
    absent,
    counted,
)
from apps.reliability.period.values import (
    Losses,
    LossKind,
    LossShare,
    LossTotal,
    WorstNode,
)
from apps.training.economics.losses import HOUR_SECONDS, LossWeight, weights_by

MOST_NODES: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class LossPart:
    """A part of what incidents cost: its GPU-hours, and whether an incident lacks some of it."""

    hours: Callable[[KnownLoss], float]
    lacks: Callable[[KnownLoss], bool]
    is_of_steps: bool = False


ALL: Final = LossPart(hours=lambda each: each.loss.gpu_hours, lacks=lambda e: e.is_incomplete)
PROGRESS: Final = LossPart(
    hours=lambda each: each.loss.progress_seconds / HOUR_SECONDS,
    lacks=lambda each: each.is_unsized or each.is_partial,
    is_of_steps=True,
)
DOWNTIME: Final = LossPart(
    hours=lambda each: each.loss.downtime_seconds / HOUR_SECONDS,
    lacks=lambda each: each.is_unsized,
)
SLOW_STEPS: Final = LossPart(
    hours=lambda each: each.loss.slow_seconds / HOUR_SECONDS,
    lacks=lambda each: each.is_unsized or each.is_slow_unknown,
    is_of_steps=True,
)
DISPUTED: Final = LossPart(
    hours=lambda each: each.loss.gpu_hours * each.incident.is_contested,
    lacks=lambda each: each.incident.is_contested and each.is_incomplete,
)


def losses_of(facts: PeriodFacts, known: Sequence[KnownLoss], *, has_run: bool) -> Losses:
    """Return what incidents of a period cost."""
    kinds: tuple[LossKind, ...] = get_args(LossKind)
    of = {kind: _grouped(known, kind) for kind in kinds}
    weighed = weights_by([each.loss for each in known], keys=kinds)
    return Losses(
        total=loss_total(facts, known, has_run=has_run),
        by={
            kind: _ordered([_share(facts, each, of[kind][each.name]) for each in some])
            for kind, some in weighed.items()
        },
        incidents=counted(CountedKind.INCIDENTS, [each.incident.public_id for each in known]),
    )


def loss_total(facts: PeriodFacts, known: Sequence[KnownLoss], *, has_run: bool) -> LossTotal:
    """Return all of it in parts; of what is not known it is at least so much.

    Where nothing ran nothing could be lost: that is no zero. Nor is what nobody knows a part of.
    """

    def figure(part: LossPart) -> Figure:
        if not facts.reads_sessions:
            return absent(facts.sessions_absence, n=len(known))
        if not has_run and not known:
            return absent(Absence.NOTHING)
        return _sum(facts, known, part)

    return LossTotal(
        gpu_hours=figure(ALL),
        progress=figure(PROGRESS),
        downtime=figure(DOWNTIME),
        slow=figure(SLOW_STEPS),
        disputed=_disputed(figure(DISPUTED), known),
        unsized_count=sum(each.is_unsized for each in known),
    )


def _sum(facts: PeriodFacts, known: Sequence[KnownLoss], part: LossPart) -> Figure:
    hours = sum(map(part.hours, known))
    is_partial = any(map(part.lacks, known))
    reads_none = part.is_of_steps and not any(each.is_measured for each in known)
    if not hours and (is_partial or (reads_none and facts.hides_saves)):
        return absent(unknown_part(facts), n=len(known))
    if part is DOWNTIME and not hours and any(each.is_unfollowed for each in known):
        return absent(Absence.NOTHING, n=len(known))
    ids = [each.incident.public_id for each in known if part.hours(each)]
    return Figure(
        value=hours,
        n=len(known),
        counted=counted(CountedKind.INCIDENTS, ids),
        is_at_least=is_partial,
    )


def unknown_part(facts: PeriodFacts) -> Absence:
    """Return why a part of what incidents cost is not known."""
    return Absence.HIDDEN if facts.hides_saves else Absence.NOT_TOLD


def _disputed(hours: Figure, known: Sequence[KnownLoss]) -> Figure:
    """Return the hours with all incidents that are contested, also those that cost none."""
    ids = [each.incident.public_id for each in known if each.incident.is_contested]
    return replace(hours, n=len(ids), counted=counted(CountedKind.INCIDENTS, ids))


def _grouped(known: Sequence[KnownLoss], kind: LossKind) -> Mapping[str, Sequence[KnownLoss]]:
    found: dict[str, list[KnownLoss]] = {}
    for each in known:
        found.setdefault(getattr(each.loss, kind), []).append(each)
    return found


def _share(facts: PeriodFacts, weight: LossWeight, of: Sequence[KnownLoss]) -> LossShare:
    hours = hours_of(facts, of, weight.gpu_hours)
    share = LossShare(
        name=weight.name,
        incidents=weight.incidents,
        gpu_hours=hours.value,
        gpu_hours_share=None,
        gpu_hours_interval=None,
        disputed_gpu_hours=None,
        counted=counted(CountedKind.INCIDENTS, [each.loss.incident for each in of]),
        absence=hours.absence,
        is_at_least=hours.is_at_least,
    )
    if hours.value is None:
        return share
    return replace(
        share,
        gpu_hours_share=weight.hours_share if weight.hours_interval[1] else None,
        gpu_hours_interval=weight.hours_interval if weight.hours_interval[1] else None,
        disputed_gpu_hours=sum(each.loss.gpu_hours for each in of if each.incident.is_contested),
    )


def hours_of(facts: PeriodFacts, of: Sequence[KnownLoss], hours: float) -> Figure:
    """Return the GPU-hours of some incidents: absent where they are hidden or no part is known."""
    if not facts.reads_sessions:
        return absent(facts.sessions_absence, n=len(of))
    is_partial = any(each.is_incomplete for each in of)
    if is_partial and not hours:
        return absent(unknown_part(facts), n=len(of))
    return Figure(value=hours, n=len(of), is_at_least=is_partial)


def _ordered(shares: Sequence[LossShare]) -> tuple[LossShare, ...]:
    """Return them by GPU-hours; those of which none are known last, by their incidents."""
    return tuple(sorted(shares, key=lambda e: (-(e.gpu_hours or 0.0), -e.incidents.hits, e.name)))


def worst_nodes(facts: PeriodFacts, known: Sequence[KnownLoss]) -> tuple[WorstNode, ...]:
    """Return the hosts that most incidents blame; a loss of several hosts is divided equally."""
    blaming: dict[tuple[str, str], list[KnownLoss]] = {}
    for each in known:
        cluster = each.incident.cluster
        for host in each.incident.hosts or ():
            blaming.setdefault((cluster.slug if cluster else "", host), []).append(each)
    nodes = [_node(facts, host, cluster, of) for (cluster, host), of in sorted(blaming.items())]
    nodes.sort(key=lambda each: (-each.incidents.count, -(each.gpu_hours or 0.0), each.host))
    return tuple(nodes[:MOST_NODES])


def _node(facts: PeriodFacts, host: str, cluster: str, of: Sequence[KnownLoss]) -> WorstNode:
    hours = node_hours(facts, of)
    return WorstNode(
        host=host,
        cluster=cluster,
        incidents=counted(CountedKind.INCIDENTS, [each.loss.incident for each in of]),
        gpu_hours=hours.value,
        absence=hours.absence,
        is_at_least=hours.is_at_least,
    )


def node_hours(facts: PeriodFacts, of: Sequence[KnownLoss]) -> Figure:
    """Return what incidents that blame a host cost: of several hosts each has an equal part."""
    return hours_of(
        facts, of, sum(each.loss.gpu_hours / len(each.incident.hosts or (1,)) for each in of)
    )
