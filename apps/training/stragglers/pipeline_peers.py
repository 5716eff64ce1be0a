"""Which send of a stage meets which receive of another, and which pass each belongs to."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from apps.training.stragglers import operations as op
from apps.training.stragglers.step_trace import BadTrace, StepTrace

CLOCK_SECONDS: Final = 5e-5  # what starts of one worker may be off by
PASS_OF: Final = {
    op.FORWARD_SEND: op.FORWARD,
    op.FORWARD_RECEIVE: op.FORWARD,
    op.BACKWARD_SEND: op.BACKWARD,
    op.BACKWARD_RECEIVE: op.BACKWARD,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StageTransfer:
    """One end of a transfer between stages."""

    operation: int
    pair: Hashable  # equal at both ends
    is_send: bool
    computing: int | None = None  # the pass it feeds or is fed by; none where nothing is moved
    former_computing: int | None = None


def transfers(
    trace: StepTrace, stages: Sequence[Mapping[str, Sequence[int]]]
) -> tuple[StageTransfer, ...]:
    """Return the ends of all transfers between stages; raises BadTrace where one has no other end.

    Profilers record transfers that were never launched, at the ends of a step and of the model:
    those are ends of their own.
    """
    found = tuple(
        each
        for number, by_kind in enumerate(stages)
        for kind in op.PIPELINE
        for each in _of_kind(trace, by_kind, number, kind)
    )
    ends: dict[Hashable, int] = {}
    for each in found:
        ends[each.pair] = ends.get(each.pair, 0) + 1
    for each in found:
        if isinstance(each.pair, frozenset) and ends[each.pair] != 2:
            operation = trace.operations[each.operation]
            raise BadTrace(
                f"{operation.kind} {operation.sequence} of stage {operation.stage} has no other end"
            )
    return found


def _of_kind(
    trace: StepTrace, by_kind: Mapping[str, Sequence[int]], stage: int, kind: str
) -> list[StageTransfer]:
    passes, mine = _by_sequence(trace, by_kind[PASS_OF[kind]]), by_kind[kind]
    if not mine:
        return []
    is_send = kind.endswith("send")
    matched = [at for at in mine if _is_launched(trace, at, passes, is_send=is_send)]
    skipped = _skipped(len(matched), len(passes), kind, stage, trace.stage_count)
    fed = dict(zip(matched, range(skipped, skipped + len(matched)), strict=True))
    moved, found = 0, []
    for at in mine:
        turn = fed.get(at)
        if turn is None:
            found.append(StageTransfer(operation=at, pair=at, is_send=is_send))
            continue
        is_moved = _has_peer(trace, passes[turn], kind)
        found.append(
            StageTransfer(
                operation=at,
                pair=_pair(kind, stage, moved, trace.stage_count) if is_moved else at,
                is_send=is_send,
                computing=passes[turn],
                former_computing=passes[turn - 1] if turn else None,
            )
        )
        moved += is_moved
    return found


def _by_sequence(trace: StepTrace, passes: Sequence[int]) -> list[int]:
    return sorted(passes, key=lambda at: trace.operations[at].sequence)


def _is_launched(trace: StepTrace, at: int, passes: Sequence[int], *, is_send: bool) -> bool:
    """Say whether it begins before the last pass, or ends after the first."""
    starts, ends = trace.starts_seconds[:, 0, 0], trace.ends_seconds[:, 0, 0]
    if is_send:
        return bool(ends[at] >= min(ends[each] for each in passes) - CLOCK_SECONDS)
    return bool(starts[at] <= max(starts[each] for each in passes) + CLOCK_SECONDS)


def _skipped(matched: int, passes: int, kind: str, stage: int, stages: int) -> int:
    """Return how many passes at the begin have no transfer of this kind."""
    if matched == passes:
        return 0
    if stage not in {0, stages - 1} or matched not in {0, passes - 1}:
        raise BadTrace(f"stage {stage}: {matched} {kind} for {passes} passes")
    return int(kind.endswith("recv") and matched > 0)


def _has_peer(trace: StepTrace, computing: int, kind: str) -> bool:
    chunks = 1 + max(each.chunk for each in trace.operations)
    peer = trace.operations[computing].global_chunk + op.PIPELINE[kind][0]
    return 0 <= peer < chunks * trace.stage_count


def _pair(kind: str, stage: int, turn: int, stages: int) -> frozenset[tuple[str, int, int]]:
    towards, peer = op.PIPELINE[kind]
    return frozenset({(kind, turn, stage), (peer, turn, (stage + towards) % stages)})
