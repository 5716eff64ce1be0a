"""Facts that only the dumps of all ranks tell together: who never arrived, what doesn't fit."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from apps.diagnosis.dumps.flight.flight_lines import records_of
from apps.diagnosis.dumps.mismatch import Mismatch
from apps.diagnosis.dumps.missing_calls import Wait
from apps.diagnosis.dumps.nccl.inspector import Late, latecomers
from apps.diagnosis.dumps.nccl.nccl_lines import times_of
from apps.diagnosis.dumps.nccl.proxy import Transfer, TransferWait, blamed_peers, transfers
from apps.diagnosis.dumps.standstill import Standstill, standstill
from apps.diagnosis.input_values import instant_of, is_whole_number
from apps.diagnosis.model import (
    Coverage,
    CoverageState,
    Event,
    Layer,
    Mark,
    Observation,
    Reading,
    Role,
    Statement,
    statement,
)
from apps.diagnosis.observed import FINDING, rank_of
from apps.diagnosis.signatures.marks import marked

DUMPS = marked(Mark.FLIGHT_RECORDER)
TIMES = marked(Mark.COLLECTIVE_TIMES)
TRANSFERS = marked(Mark.PROXY_TRANSFER)
# Of thousands of ranks a sentence names a few.
RANKS_SHOWN, VARIANTS_SHOWN = 8, 4
# Names of groups and calls are the program's own words; only those that everybody uses are told.
CALLS = frozenset(
    {
        *("all_reduce", "all_gather", "_all_gather_base", "reduce_scatter", "_reduce_scatter_base"),
        *("all_to_all", "broadcast", "reduce", "gather", "scatter", "barrier", "send", "recv"),
        *("all_reduce_barrier", "coalesced", "all_gather_into_tensor_coalesced"),
        *("reduce_scatter_tensor_coalesced", "allreduce_coalesced"),
    }
)


def derive(*, events: Sequence[Event]) -> list[Observation]:
    """Return what the dumps say together and none says alone."""
    return [*_standstill(events), *_late(events), *_transfers(events)]


def _standstill(events: Sequence[Event]) -> Iterator[Observation]:
    dumps = [event for event in events if event.signature in DUMPS]
    if dumps:
        found = standstill(records=records_of(texts=[event.line.text for event in dumps]))
        yield from _told(found, dumps)


def _late(events: Sequence[Event]) -> Iterator[Observation]:
    """Yield who came last to nearly all collectives, by how long they lasted on each rank."""
    told = [event for event in events if event.signature in TIMES]
    for one in latecomers(times=times_of(texts=[event.line.text for event in told])):
        yield _latecomer(one, told)


def _latecomer(one: Late, told: Sequence[Event]) -> Observation:
    is_global = one.is_session and one.times.rank is not None
    return Observation(
        sign=f"{FINDING}rank-comes-last",
        role=Role.CONFIRMATION,
        layer=Layer.STRAGGLER,
        host=one.times.host or None,
        hosts=(one.times.host,) if one.times.host else (),
        ranks=(one.times.rank,) if is_global and one.times.rank is not None else (),
        count=one.count,
        statement=statement("rank-comes-last", count=one.count, of=one.of),
        events=tuple(told),
    )


def _transfers(events: Sequence[Event]) -> Iterator[Observation]:
    """Yield the peer that most others wait for, and the ranks whose GPU is waited for."""
    told = [event for event in events if event.signature in TRANSFERS]
    found = [one for event in told for one in transfers(text=event.line.text, rank=rank_of(event))]
    blamed = blamed_peers(found=found)
    most = max(blamed.values(), default=0)
    peers = tuple(sorted(peer for peer, count in blamed.items() if count == most))
    if most >= 2 and len(peers) == 1:
        yield _finding(statement("transfers-wait-for-peer", count=most), None, peers, told)
    on_gpu = tuple(sorted(_waiting_for_gpu(found)))
    if on_gpu:
        yield _finding(
            statement("transfers-wait-for-gpu", ranks=_ranks(on_gpu)), None, on_gpu, told
        )


def _waiting_for_gpu(found: Sequence[Transfer]) -> set[int]:
    """Return the ranks of whose transfers all that are open wait for their own GPU."""
    states: dict[int, set[TransferWait]] = defaultdict(set)
    for one in found:
        if one.rank is not None and one.waiting is not TransferWait.NOTHING:
            states[one.rank].add(one.waiting)
    return {rank for rank, waiting in states.items() if waiting == {TransferWait.GPU}}


def coverage(*, events: Sequence[Event]) -> list[Coverage]:
    """Return that flight recorders were read, where they were."""
    dumps = [event for event in events if event.signature in DUMPS]
    hosts = {event.line.host for event in dumps} - {None}
    present = Coverage(
        source="flight-recorder",
        state=CoverageState.PRESENT,
        hosts_present=len(hosts),
        hosts_expected=len(hosts),
    )
    return [present] if dumps else []


def logs(*, readings: Sequence[Reading]) -> list[Reading]:
    """Return the readings of logs: a dump is no log of its rank."""
    return [
        one
        for one in readings
        if not one.events or any(event.signature not in DUMPS for event in one.events)
    ]


def _told(found: Standstill, dumps: Sequence[Event]) -> Iterator[Observation]:
    if found.mismatch is not None:
        yield _mismatch(found.mismatch, dumps)
    if found.wait is not None and found.missing:
        missing = statement(
            "ranks-missing",
            ranks=_ranks(found.missing),
            call=_call(found.wait),
            waiting=len(found.wait.waiting),
        )
        yield _finding(missing, found.wait, found.missing, dumps)
    if found.wait is not None and found.silent:
        silent = statement("ranks-silent", ranks=_ranks(found.silent), call=_call(found.wait))
        yield _finding(silent, found.wait, found.silent, dumps)
    if found.crossed:
        crossed = statement("collectives-crossed", ranks=_ranks(found.crossed))
        yield _finding(crossed, None, found.crossed, dumps)
    if found.stalled is not None:
        everybody = found.stalled.waiting
        stalled = statement(
            "collective-unfinished", ranks=_ranks(everybody), call=_call(found.stalled)
        )
        yield _finding(stalled, found.stalled, everybody, dumps)


def _mismatch(found: Mismatch, dumps: Sequence[Event]) -> Observation:
    """Return the same fact that watchdog lines can tell."""
    variants = tuple(
        statement("called-by", ranks=_ranks(one.ranks), name=_known(one.call.partition(" ")[0]))
        for one in found.variants[:VARIANTS_SHOWN]
    )
    ranks = found.odd or tuple(sorted(r for one in found.variants for r in one.ranks))
    return Observation(
        sign=f"{FINDING}collectives-differ",
        role=Role.INITIATING,
        layer=Layer.SOFTWARE,
        ranks=ranks,
        count=len(dumps),
        statement=statement("calls-differ", seq=found.seq, variants=variants),
        events=tuple(dumps),
    )


def _finding(
    told: Statement, wait: Wait | None, ranks: Sequence[int], dumps: Sequence[Event]
) -> Observation:
    at = instant_of(wait.at_ns / 1e9) if wait and wait.at_ns > 0 else None
    return Observation(
        sign=f"{FINDING}{told.kind}",
        role=Role.CONFIRMATION,
        layer=None,
        at=at,
        last_at=at,
        ranks=tuple(ranks),
        count=len(dumps),
        statement=told,
        events=tuple(dumps),
    )


def _ranks(ranks: Sequence[int]) -> Statement:
    return statement("ranks", first=tuple(ranks[:RANKS_SHOWN]), count=len(ranks))


def _call(wait: Wait) -> Statement:
    group = wait.group if is_whole_number(wait.group) else None
    return statement("call", name=_known(wait.name), seq=wait.seq, group=group)


def _known(call: str) -> str | None:
    return call if call in CALLS else None
