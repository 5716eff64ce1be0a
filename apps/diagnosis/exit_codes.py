"""With which codes processes left: as schedulers and launchers tell it, rank by rank."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from apps.diagnosis.failure_tables import EXIT_ROWS, exit_rank
from apps.diagnosis.input_values import rank_number, signed_number, whole_number
from apps.diagnosis.model import Event, Mark, SessionFacts
from apps.diagnosis.signatures.marks import marked

AGENT, SIGNALS = marked(Mark.OF_AGENT), marked(Mark.ENDED_BY_SIGNAL)
LEFT, ALIKE = marked(Mark.LEFT_FIRST), marked(Mark.LEFT_ALIKE)
FAILED, LOCAL_EXITS = marked(Mark.FAILED_RANK), marked(Mark.LOCAL_EXIT)
NODES = marked(Mark.NODE_OF_LAUNCHER)
RAISED = 1


def codes_of(*, events: Sequence[Event], facts: SessionFacts) -> dict[int, int]:
    """Return rank → exit code, as the scheduler and the launcher tell it."""
    codes: dict[int, int] = dict(facts.exit_codes)
    behind = {e.fields.get("rank") for e in events if e.signature in ALIKE}
    left = frozenset() if None in behind else LEFT
    for event in events:
        code, rank = (
            signed_number(event.fields.get("exitcode")),
            rank_number(event.fields.get("rank")),
        )
        if event.signature in LEFT and event.fields.get("rank") in behind:
            continue
        if event.signature in AGENT | left and rank is not None and code is not None:
            codes[rank] = code
        elif event.signature in SIGNALS and rank is not None and (signal := signal_of(event)):
            codes[rank] = -signal
        elif event.signature in FAILED | left and rank is not None:
            codes.setdefault(rank, RAISED)
    return codes | {rank: code for rank, code, _ in local_exits(events)}


def local_exits(events: Sequence[Event]) -> list[tuple[int, int, Event]]:
    """Return rank, exit code and line where a launcher tells of its own processes by their place
    on the node.
    """
    nodes = {e.line.origin.source: e.fields for e in events if e.signature in NODES}
    found: list[tuple[int, int, Event]] = []
    for event in events:
        node = nodes.get(event.line.origin.source) if event.signature in LOCAL_EXITS else None
        said = {**node, **event.fields} if node else {}
        place = [rank_number(said.get(name)) for name in ("node_rank", "num_local", "local_rank")]
        code = signed_number(said.get("exitcode"))
        if code is not None and None not in place:
            node_rank, width, local = (one or 0 for one in place)
            found.append((node_rank * width + local, code, event))
    return found


def signal_of(event: Event) -> int | None:
    """Return the number of the signal by which a launcher says that a process ended."""
    return whole_number(event.fields.get("signal")) if event.signature in SIGNALS else None


def rank_left(event: Event, processes: Mapping[int, int]) -> int | None:
    """Return the rank that left with a code, by the number of its process where its line names no
    rank.
    """
    rank, pid = exit_rank(event), whole_number(event.fields.get("pid"))
    return processes.get(pid) if rank is None and pid is not None else rank


def ranks_of_processes(events: Sequence[Event]) -> Mapping[int, int]:
    """Return process → rank as tables of failures say, without numbers that several hosts have."""
    found: dict[int, set[int]] = defaultdict(set)
    for event in events:
        pid, rank = whole_number(event.fields.get("pid")), exit_rank(event)
        if event.signature in EXIT_ROWS and pid is not None and rank is not None:
            found[pid].add(rank)
    return {pid: min(ranks) for pid, ranks in found.items() if len(ranks) == 1}


def ranks_of_logs(events: Sequence[Event]) -> Mapping[str, int]:
    """Return log → rank of those whose tables of failures name one rank alone, of one host."""
    found: dict[str, set[int]] = defaultdict(set)
    for event in events:
        rank = exit_rank(event)
        if event.signature in EXIT_ROWS and rank is not None and event.line.origin.host:
            found[event.line.origin.source].add(rank)
    return {log: min(ranks) for log, ranks in found.items() if len(ranks) == 1}


def ranks_listed(*, events: Sequence[Event]) -> set[int]:
    """Return the ranks that a launcher lists as failed, where it lists all of them."""
    said = (rank_number(one.fields.get("rank")) for one in events if one.signature in FAILED)
    return {rank for rank in said if rank is not None}
