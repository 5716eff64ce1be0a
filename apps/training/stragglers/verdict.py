"""Whom a straggling job asks for: a worker, its stages, its sequences, the network, or nobody.

Single workers are rarely to blame: they explain more than half of the slow-down in 1.7 % of the
straggling jobs of the published study. So a worker is named only where fixing it alone brings back
most of what is lost, it is above its stage's other replicas most of the time, and the spread of
sequences does not explain as much.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from apps.training.stragglers.what_if import SlowWorker, WhatIf

STRAGGLING: Final = 1.1  # the study counts a job as straggling above this S
MOST_OF_IT: Final = 0.5
PASSES_TOGETHER: Final = 0.9  # correlation from which passes lengthen together


class StragglerCause(StrEnum):
    """What a job's slow-down is put down to."""

    REFUSED = "refused"  # the simulation is too far off
    NONE = "none"  # not straggling
    WORKER = "worker"
    STAGE = "stage"
    SEQUENCE_LENGTH = "sequence-length"
    NETWORK = "network"
    UNEXPLAINED = "unexplained"


# Share of the study's straggling jobs (S > 1.1 of 3,079 jobs); it has none for the network.
PRIOR_SHARES: Final = {
    StragglerCause.WORKER: 0.017,
    StragglerCause.STAGE: 0.393,
    StragglerCause.SEQUENCE_LENGTH: 0.214,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StragglerVerdict:
    """The cause with the share of the slow-down it explains, and how often the study met it.

    `worker` is there for WORKER only: nothing else is a reason to look at a node.
    """

    cause: StragglerCause
    explained_share: float | None = None
    prior_share: float | None = None
    worker: SlowWorker | None = None
    stage: int | None = None
    kind: str | None = None  # the slowest kind of transfer


def verdict_on(found: WhatIf) -> StragglerVerdict:
    """Return whom the slow-down of a job is put down to."""
    if found.is_refused:
        return StragglerVerdict(cause=StragglerCause.REFUSED)
    if found.slowdown <= STRAGGLING:
        return StragglerVerdict(cause=StragglerCause.NONE)
    return next(_explanations(found), StragglerVerdict(cause=StragglerCause.UNEXPLAINED))


def _explanations(found: WhatIf) -> Iterator[StragglerVerdict]:
    """Return what explains most of the slow-down, in the order in which it is believed."""
    if _is_sequences(found):
        yield _verdict(StragglerCause.SEQUENCE_LENGTH, found.spread_share)
    if _is_worker(found):
        worst = found.workers[0]
        yield _verdict(StragglerCause.WORKER, found.worst_workers_share, worker=worst)
    if len(found.by_stage) > 1 and _is_most(found.last_stage_share):
        last = len(found.by_stage) - 1
        yield _verdict(StragglerCause.STAGE, found.last_stage_share, stage=last)
    if _is_most(found.network_share):
        yield _verdict(StragglerCause.NETWORK, found.network_share, kind=found.transfer_kinds[0])


def _verdict(
    cause: StragglerCause,
    share: float | None,
    *,
    worker: SlowWorker | None = None,
    stage: int | None = None,
    kind: str | None = None,
) -> StragglerVerdict:
    return StragglerVerdict(
        cause=cause,
        explained_share=share,
        prior_share=PRIOR_SHARES.get(cause),
        worker=worker,
        stage=stage,
        kind=kind,
    )


def _is_most(share: float | None) -> bool:
    return share is not None and share >= MOST_OF_IT


def _is_sequences(found: WhatIf) -> bool:
    together = found.pass_correlation
    return _is_most(found.spread_share) and together is not None and together >= PASSES_TOGETHER


def _is_worker(found: WhatIf) -> bool:
    """With one replica a slow worker can't be told from a stage that has more to do."""
    is_alone = found.replica_count > 1 and _is_most(found.worst_workers_share)
    return is_alone and found.worst_persistence >= MOST_OF_IT and not _is_most(found.network_share)
