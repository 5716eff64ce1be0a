"""Calls of one sequence number in one group that don't fit together: ranks run different code."""

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from apps.diagnosis.dumps.flight.process_groups import ProcessGroup, RecordedCall
from apps.diagnosis.input_values import whole_number

# Different names of one operation.
ENDINGS = ("_into_tensor_coalesced", "_tensor_coalesced", "_base", "_oop", "_single")
# Of these every rank gives the same amount; all_to_all, gather and scatter may differ.
EVEN = frozenset(
    {"all_reduce", "all_reduce_barrier", "broadcast", "reduce", "_all_gather_base"}
    | {"_reduce_scatter_base", "all_gather_into_tensor_coalesced"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One of the calls that don't fit, and who made it."""

    call: str  # "all_reduce 1024 Float"
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """Ranks that made different calls under one number; the most common call first."""

    group: str
    desc: str
    seq: int
    variants: tuple[Variant, ...]

    @property
    def odd(self) -> tuple[int, ...]:
        """Return the ranks that differ from most others, none where there is no majority."""
        first, second = self.variants[:2]
        if len(first.ranks) == len(second.ranks):
            return ()
        return tuple(sorted(rank for one in self.variants[1:] for rank in one.ranks))


def first_mismatch(
    *, sides: Mapping[tuple[str, tuple[int, ...]], Mapping[int, ProcessGroup]]
) -> Mismatch | None:
    """Return the earliest calls that don't fit together."""
    found = [
        (at_ns, key[0], seq, calls, next(iter(side.values())).desc)
        for key, side in sides.items()
        for seq, (at_ns, calls) in sorted(_calls(side).items())
        if len({_fitted(one) for one in calls.values()}) > 1
    ]
    if not found:
        return None
    _, name, seq, calls, desc = min(found, key=lambda one: one[:3])
    by_call: dict[str, list[int]] = defaultdict(list)
    for rank, one in sorted(calls.items()):
        by_call[f"{one.name} {one.shape}".strip()].append(rank)
    variants = [Variant(call=call, ranks=tuple(ranks)) for call, ranks in by_call.items()]
    variants.sort(key=lambda one: (-len(one.ranks), one.call))
    return Mismatch(group=name, desc=desc, seq=seq, variants=tuple(variants))


def _calls(side: Mapping[int, ProcessGroup]) -> dict[int, tuple[int, dict[int, RecordedCall]]]:
    """Return the calls of each sequence number where every rank made just one."""
    by_seq: dict[int, dict[int, list[RecordedCall]]] = defaultdict(lambda: defaultdict(list))
    for rank, group in side.items():
        for one in group.unfinished:
            if one.source is None:
                by_seq[one.seq][rank].append(one)
    return {
        seq: (
            min(one.at_ns for ops in by_rank.values() for one in ops),
            {rank: ops[0] for rank, ops in by_rank.items()},
        )
        for seq, by_rank in by_seq.items()
        if all(len(ops) == 1 and "coalesced" not in ops[0].name for ops in by_rank.values())
    }


def _fitted(one: RecordedCall) -> tuple[str, str, int]:
    """Return what must be equal on every rank."""
    name = one.name
    for ending in ENDINGS:
        name = name.removesuffix(ending)
    if one.name not in EVEN:
        return (name.strip("_"), "", 0)
    sizes, _, kind = one.shape.rpartition(" ")
    numbers = [number for part in sizes.split("x") if (number := whole_number(part)) is not None]
    return (name.strip("_"), kind, math.prod(numbers))
