"""Which rank ran on which host and GPU, as far as logs tell."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from apps.diagnosis.failure_tables import EXIT_ROWS
from apps.diagnosis.input_values import rank_number
from apps.diagnosis.model import Event, Mark, Placement, Reading, Stream
from apps.diagnosis.observed import canonical, rank_of
from apps.diagnosis.signatures.marks import marked

# A rank in a communicator is global only in one that spans the session.
INIT_SIGNS = marked(Mark.COMMUNICATOR)
ADAPTER_SIGNS = marked(Mark.ADAPTERS)
MOST_ADAPTERS = 16
TASKS, LISTS = marked(Mark.TASK_EXIT), marked(Mark.WORKER_LIST)
# No host holds more GPUs.
MOST_GPUS = 16


def merge_placements(known: Placement, said: Placement | None) -> Placement:
    """Add to a place what only the logs know of it, unless they speak of another host."""
    if said is None or said.host != known.host:
        return known
    return replace(
        known,
        gpu=known.gpu if known.gpu is not None else said.gpu,
        pci=known.pci or said.pci,
        pid=said.pid,
        adapters=said.adapters,
        communicators=said.communicators,
    )


def placements_of(
    events: Sequence[Event], readings: Sequence[Reading], aliases: Mapping[str, str]
) -> list[Placement]:
    """Return one place for each rank; ranks that two places claim have none."""
    adapters = _adapters(events, aliases)
    claims: dict[int, list[Placement]] = defaultdict(list)
    for one in (*_from_init(events, aliases), *_from_voices(readings, aliases)):
        claims[one.rank].append(one)
    for one in _from_exits(events, aliases):
        if one.rank not in claims:
            claims[one.rank].append(one)
    found = []
    for rank in sorted(claims):
        told = claims[rank]
        if len({one.host for one in told}) == 1:
            best = max(told, key=lambda one: (one.pci is not None, one.pid or 0, one.pci or ""))
            names = {name for one in told for name in one.communicators}
            found.append(
                replace(
                    best,
                    adapters=adapters.get(best.host, ()),
                    communicators=tuple(sorted(names)),
                )
            )
    return found


def _from_init(events: Sequence[Event], aliases: Mapping[str, str]) -> Iterator[Placement]:
    """Yield the places that NCCL names when it builds a communicator."""
    told = [
        e
        for e in events
        if e.signature in INIT_SIGNS and rank_number(e.fields.get("rank")) is not None
    ]
    widest = max((communicator_width(e) for e in told), default=0)
    for event in told:
        fields, host = event.fields, canonical(event.line.host or event.line.origin.host, aliases)
        rank, is_widest = rank_of(event), communicator_width(event) == widest
        if rank is None and is_widest and widest > 1:
            rank = rank_number(fields["rank"])
        if host is None or rank is None:
            continue
        ordinal = fields.get("nvml_dev") or fields.get("cuda_dev") or ""
        yield Placement(
            rank=rank,
            host=host,
            gpu=rank_number(ordinal),
            pci=fields.get("pci"),
            pid=event.line.pid,
            communicators=(name,) if (name := fields.get("comm_id")) else (),
        )


def _from_exits(events: Sequence[Event], aliases: Mapping[str, str]) -> list[Placement]:
    """Return the places that launchers name when workers begin or end, one for each rank."""
    found: dict[int, Placement] = {}
    tasks = [e for e in events if e.signature in TASKS]
    # One task of srun on each host is a launcher, not a rank.
    are_ranks = any(len(_numbers(e.fields.get("task", ""))) > 1 for e in tasks)
    for event in events:
        host = canonical(event.fields.get("host"), aliases)
        said: Sequence[int] = ()
        # mpirun counts ranks, srun tasks.
        is_counted = event.signature in TASKS and "rank" in event.fields
        if event.signature in EXIT_ROWS | LISTS or is_counted:
            said = _numbers(event.fields.get("rank", ""))
        elif event.signature in TASKS and are_ranks and "[" not in (host or "["):
            said = _numbers(event.fields.get("task", ""))
        for rank in said if host else ():
            found.setdefault(rank, Placement(rank=rank, host=host or ""))
    return [found[rank] for rank in sorted(found)]


def _numbers(said: str) -> list[int]:
    """Return the numbers of a list as Slurm writes it: 8-11,14."""
    found: list[int] = []
    for part in said.strip("[]").split(","):
        one, _, other = part.partition("-")
        first, last = rank_number(one), rank_number(other or one)
        if first is not None and last is not None:
            found += range(first, min(last, first + MOST_GPUS) + 1)
    return found


def communicator_width(event: Event) -> int:
    """Return how many ranks the communicator of a line has, 0 where it does not say."""
    return rank_number(event.fields.get("world_size")) or 0


def _from_voices(readings: Sequence[Reading], aliases: Mapping[str, str]) -> Iterator[Placement]:
    """Yield the hosts of ranks whose lines or files name both."""
    for reading in readings:
        for extent in reading.extents:
            rank = extent.rank if extent.rank is not None else reading.origin.rank
            host = canonical(extent.host or reading.origin.host, aliases)
            is_session = (reading.origin.stream or extent.stream) in {Stream.SESSION, None}
            if rank is not None and host is not None and is_session:
                yield Placement(rank=rank, host=host)


def _adapters(events: Sequence[Event], aliases: Mapping[str, str]) -> Mapping[str, tuple[str, ...]]:
    """Return the RDMA devices that NCCL uses on each host."""
    found: dict[str, set[str]] = defaultdict(set)
    for event in events:
        host = canonical(event.line.host or event.line.origin.host, aliases)
        if event.signature in ADAPTER_SIGNS and host:
            words = event.fields.get("devlist", "").split()
            names = (word.partition("]")[2].partition(":")[0] for word in words if "]" in word)
            found[host] |= {name for name in names if name}
    return {host: tuple(sorted(names)[:MOST_ADAPTERS]) for host, names in found.items()}
