"""What of a step waits for what: order inside a worker, and operations that several do together.

Replicas and steps share one order, taken from the first replica in the first complete step.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from apps.training.stragglers import operations as op
from apps.training.stragglers.pipeline_peers import StageTransfer, transfers
from apps.training.stragglers.step_trace import BadTrace, Operation, StepTrace


@dataclass(frozen=True, slots=True, kw_only=True)
class JointOperation:
    """Operations that end together: one, or all that take part in a transfer."""

    members: tuple[int, ...]
    is_transfer: bool
    is_across_replicas: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DependencyOrder:
    """Nodes in an order in which each comes after what it waits for."""

    nodes: tuple[JointOperation, ...]
    waits_for: tuple[tuple[int, ...], ...]  # operation → operations that end before it starts


@dataclass(slots=True, kw_only=True)
class _Stage:
    """The operations of one stage, as the first replica did them in the first step."""

    number: int
    by_kind: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    computing: list[int] = field(default_factory=list)


Waits = dict[int, list[int]]


def dependency_order(trace: StepTrace) -> DependencyOrder:
    """Return what waits for what in a step; raises BadTrace where nothing can begin."""
    stages = [_stage(trace, number) for number in range(trace.stage_count)]
    waits: Waits = defaultdict(list)
    found = transfers(trace, [stage.by_kind for stage in stages])
    for stage in stages:
        _chain(waits, stage.computing)
        for kind in op.PIPELINE:
            _chain(waits, stage.by_kind[kind])
        _first_backward(trace, waits, stage)
        _data_parallel(trace, waits, stage)
        _after_computing(trace, waits, stage, is_edge=stage.number in {0, len(stages) - 1})
    for each in found:
        _around_transfer(waits, each)
    waits_for = tuple(tuple(dict.fromkeys(waits[at])) for at in range(len(trace.operations)))
    return DependencyOrder(nodes=_sorted(_nodes(stages, found), waits_for), waits_for=waits_for)


def _stage(trace: StepTrace, number: int) -> _Stage:
    stage = _Stage(number=number)
    mine = [at for at, each in enumerate(trace.operations) if each.stage == number]
    for at in sorted(mine, key=lambda at: started(trace, at)):
        kind = trace.operations[at].kind
        stage.by_kind[kind].append(at)
        if kind in op.COMPUTING:
            stage.computing.append(at)
    if not stage.computing:
        raise BadTrace(f"stage {number}: no forward-compute and no backward-compute")
    return stage


def started(trace: StepTrace, at: int) -> tuple[float, int, str]:
    """Return by what operations of a worker are ordered."""
    operation: Operation = trace.operations[at]
    return float(trace.starts_seconds[at, 0, 0]), operation.sequence, operation.kind


def _chain(waits: Waits, chain: Sequence[int], after: Sequence[int] = ()) -> None:
    for at in chain:
        waits[at].extend(after)
        after = [at]


def _around_transfer(waits: Waits, transfer: StageTransfer) -> None:
    """A send waits for what it sends; who computes waits for what it gets, in turn."""
    if transfer.computing is None:
        return
    if transfer.is_send:
        waits[transfer.operation].append(transfer.computing)
        return
    waits[transfer.computing].append(transfer.operation)
    if transfer.former_computing is not None:
        waits[transfer.operation].append(transfer.former_computing)


def _first_backward(trace: StepTrace, waits: Waits, stage: _Stage) -> None:
    """The first exchange backward is posted two forward passes before the first backward one."""
    kinds = [trace.operations[at].kind for at in stage.computing]
    first = kinds.index(op.BACKWARD) if op.BACKWARD in kinds else 0
    if first < 2 or kinds[first - 2] != op.FORWARD:
        return
    for kind in (op.BACKWARD_RECEIVE, op.BACKWARD_SEND):
        for at in stage.by_kind[kind]:
            if trace.operations[at].sequence == 0:
                waits[at].append(stage.computing[first - 2])


def _data_parallel(trace: StepTrace, waits: Waits, stage: _Stage) -> None:
    gathers, scatters = stage.by_kind[op.PARAMETERS_GATHER], stage.by_kind[op.GRADIENTS_SCATTER]
    _chain(waits, sorted([*gathers, *scatters], key=lambda at: started(trace, at)))
    for chunk, gather in {trace.operations[at].chunk: at for at in gathers}.items():
        same = [at for at in stage.by_kind[op.FORWARD] if trace.operations[at].chunk == chunk]
        if same:
            waits[same[0]].append(gather)
    if not stage.by_kind[op.GRADIENTS_SEPARATE]:
        return
    ends = trace.ends_seconds[:, 0, 0]
    for chunk, scatter in {trace.operations[at].chunk: at for at in reversed(scatters)}.items():
        same = [at for at in stage.by_kind[op.BACKWARD] if trace.operations[at].chunk == chunk]
        if same:
            waits[scatter].append(max(same, key=lambda at: float(ends[at])))


def _after_computing(trace: StepTrace, waits: Waits, stage: _Stage, *, is_edge: bool) -> None:
    ends, kinds = trace.ends_seconds[:, 0, 0], stage.by_kind
    last = max(stage.computing, key=lambda at: float(ends[at]))
    _chain(waits, kinds[op.COLLECTION], [last])
    after = [kinds[op.COLLECTION][-1] if kinds[op.COLLECTION] else last]
    scatters = sorted(kinds[op.GRADIENTS_SCATTER], key=lambda at: trace.operations[at].sequence)
    separate = kinds[op.GRADIENTS_SEPARATE]
    if separate:  # gradients were scattered beside the backward passes
        after, scatters = [*scatters[-1:], *after], separate
    embedding = kinds[op.EMBEDDING] if is_edge else []
    chain = [*kinds[op.LAYERNORM], *embedding, *scatters, *kinds[op.CLIP], *kinds[op.OPTIMIZER]]
    _chain(waits, chain, after)


def _nodes(stages: Sequence[_Stage], found: Iterable[StageTransfer]) -> list[JointOperation]:
    """Return who acts together: pairs of stages, replicas, all stages, or one operation alone."""
    groups: list[tuple[tuple[int, ...], bool]] = []
    pairs: dict[object, list[int]] = defaultdict(list)
    for each in found:
        pairs[each.pair].append(each.operation)
    groups += [(tuple(members), False) for members in pairs.values()]
    for stage in stages:
        groups += [((at,), True) for kind in op.DATA_PARALLEL for at in stage.by_kind[kind]]
    edges = {stage.number: stage for stage in (stages[0], stages[-1])}.values()
    groups.append((tuple(at for stage in edges for at in stage.by_kind[op.EMBEDDING]), False))
    groups.append((tuple(at for stage in stages for at in stage.by_kind[op.CLIP]), True))
    grouped = {at for members, _ in groups for at in members}
    alone = [
        at
        for stage in stages
        for of_kind in stage.by_kind.values()
        for at in of_kind
        if at not in grouped
    ]
    return [
        *(
            JointOperation(members=members, is_transfer=True, is_across_replicas=is_across)
            for members, is_across in groups
            if members
        ),
        *(
            JointOperation(members=(at,), is_transfer=False, is_across_replicas=False)
            for at in sorted(alone)
        ),
    ]


def _sorted(
    nodes: Sequence[JointOperation], waits_for: Sequence[Sequence[int]]
) -> tuple[JointOperation, ...]:
    owner = {at: node for node, each in enumerate(nodes) for at in each.members}
    before = [{owner[former] for at in each.members for former in waits_for[at]} for each in nodes]
    after: Mapping[int, list[int]] = defaultdict(list)
    for node, formers in enumerate(before):
        for former in formers:
            after[former].append(node)
    open_count = [len(formers) for formers in before]
    order = [node for node, count in enumerate(open_count) if count == 0]
    for node in order:  # grows while it is walked
        for later in after[node]:
            open_count[later] -= 1
            if open_count[later] == 0:
                order.append(later)
    if len(order) < len(nodes):
        raise BadTrace("operations wait for each other in a circle: clocks or sequence ids are off")
    return tuple(nodes[node] for node in order)
