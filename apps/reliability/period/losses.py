"""Lost GPU-hours of a period: in all, by what they are put down to, and the worst nodes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
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


def losses_of(facts: PeriodFacts, known: Sequence[KnownLoss], *, has_run: bool) -> Losses:
    """Return what incidents of a period cost."""
    kinds: tuple[LossKind, ...] = get_args(LossKind)
    of = {kind: _grouped(known, kind) for kind in kinds}
    weighed = weights_by([each.loss for each in known], keys=kinds)
    return Losses(
        total=loss_total(facts, known, has_run=has_run),
        by={
            kind: tuple(_share(each, of[kind][each.name]) for each in some)
            for kind, some in weighed.items()
        },
        incidents=counted(CountedKind.INCIDENTS, [each.incident.public_id for each in known]),
    )


def loss_total(facts: PeriodFacts, known: Sequence[KnownLoss], *, has_run: bool) -> LossTotal:
    """Return all of it in parts; of what is not known it is at least so much.

    Where nothing ran nothing could be lost: that is no zero.
    """
    is_partial = any(each.is_partial or each.is_unsized for each in known)
    knows_steps = facts.reads_measures and not (known and all(e.is_partial for e in known))

    def figure(hours: Callable[[KnownLoss], float], *, of_steps: bool = False) -> Figure:
        if not facts.reads_sessions:
            return absent(Absence.HIDDEN, n=len(known))
        if not has_run and not known:
            return absent(Absence.NOTHING)
        if of_steps and not knows_steps:
            return absent(Absence.HIDDEN if facts.hides_saves else Absence.NOT_TOLD, n=len(known))
        return Figure(
            value=sum(map(hours, known)),
            n=len(known),
            counted=counted(
                CountedKind.INCIDENTS,
                [each.incident.public_id for each in known if hours(each)],
            ),
            is_at_least=is_partial,
        )

    return LossTotal(
        gpu_hours=figure(lambda each: each.loss.gpu_hours),
        progress=figure(lambda each: each.loss.progress_seconds / HOUR_SECONDS, of_steps=True),
        downtime=figure(lambda each: each.loss.downtime_seconds / HOUR_SECONDS),
        slow=figure(lambda each: each.loss.slow_seconds / HOUR_SECONDS, of_steps=True),
        disputed=_disputed(
            figure(lambda each: each.loss.gpu_hours * each.incident.is_contested), known
        ),
        unsized_count=sum(each.is_unsized for each in known),
    )


def _disputed(hours: Figure, known: Sequence[KnownLoss]) -> Figure:
    """Return the hours with all incidents that are contested, also those that cost none."""
    ids = [each.incident.public_id for each in known if each.incident.is_contested]
    return replace(hours, n=len(ids), counted=counted(CountedKind.INCIDENTS, ids))


def _grouped(known: Sequence[KnownLoss], kind: LossKind) -> Mapping[str, Sequence[KnownLoss]]:
    found: dict[str, list[KnownLoss]] = {}
    for each in known:
        found.setdefault(getattr(each.loss, kind), []).append(each)
    return found


def _share(weight: LossWeight, of: Sequence[KnownLoss]) -> LossShare:
    return LossShare(
        name=weight.name,
        incidents=weight.incidents,
        gpu_hours=weight.gpu_hours,
        gpu_hours_share=weight.hours_share,
        gpu_hours_interval=weight.hours_interval,
        disputed_gpu_hours=sum(each.loss.gpu_hours for each in of if each.incident.is_contested),
        counted=counted(CountedKind.INCIDENTS, [each.loss.incident for each in of]),
    )


def worst_nodes(facts: PeriodFacts, known: Sequence[KnownLoss]) -> tuple[WorstNode, ...]:
    """Return the hosts that most incidents blame; a loss of several hosts is divided equally."""
    blaming: dict[tuple[str, str], list[KnownLoss]] = {}
    for each in known:
        cluster = each.incident.cluster
        for host in each.incident.hosts or ():
            blaming.setdefault((cluster.slug if cluster else "", host), []).append(each)
    nodes = [
        WorstNode(
            host=host,
            cluster=cluster,
            incidents=counted(CountedKind.INCIDENTS, [each.loss.incident for each in of]),
            gpu_hours=(
                sum(each.loss.gpu_hours / len(each.incident.hosts or (host,)) for each in of)
                if facts.reads_sessions
                else None
            ),
        )
        for (cluster, host), of in blaming.items()
    ]
    nodes.sort(key=lambda each: (-each.incidents.count, -(each.gpu_hours or 0.0), each.host))
    return tuple(nodes[:MOST_NODES])
