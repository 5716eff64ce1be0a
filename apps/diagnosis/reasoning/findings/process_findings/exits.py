"""First exits with a code of their own."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from apps.diagnosis import exits as exits_of
from apps.diagnosis.exit_codes import (
    codes_of,
    local_exits,
    rank_left,
    ranks_of_processes,
    signal_of,
)
from apps.diagnosis.failure_tables import EXIT_ROWS, exit_rank
from apps.diagnosis.input_values import is_whole_number, signed_number
from apps.diagnosis.model import Event, Layer, Mark, Observation, Role, SessionFacts, Stream
from apps.diagnosis.observed import HostOf, Instant, finding, rank_of
from apps.diagnosis.signatures.marks import marked

# Codes that interpreters, shells and signals give are told apart elsewhere.
USUAL = frozenset({0, 1, 2, 126, 127, *range(128, 256)})
ABORTED = frozenset({-6, 134})
ABORT = "Aborted"
LEAST_TOLD = 2
TABLE = marked(Mark.EXIT_ROW, Mark.WORKER_FAILED)
LAUNCHERS, ABORTS = marked(Mark.OF_LAUNCHER), marked(Mark.INTERPRETER_ABORT)
TASKS = marked(Mark.TASK_EXIT)


def left(events: Sequence[Event], instant: Instant, host_of: HostOf) -> Iterator[Observation]:
    """Yield a first exit with a code of its own: killed, crashed or failed before the others were
    ended.
    """
    exits = [(code, e) for e in events if (code := _exit_code(e)) is not None]
    later = exits_of.later_ranks(events=events, instant=instant)
    exits = [(code, e) for code, e in exits if exit_rank(e) not in later]
    if any(e.signature in TABLE for e in events):
        # The tasks are agents, which leave with 1 whatever became of their workers.
        exits = [(code, e) for code, e in exits if code != 1 or e.signature not in TASKS]
    exits += [(-9, e) for e in _killed_task(events)]
    # Who only tells of others failed after they were gone.
    behind, processes = exits_of.echoing(events=events), ranks_of_processes(events)
    codes = {code for code, e in exits if rank_left(e, processes) not in behind}
    for code, name in ((-9, "killed-first"), (137, "killed-first"), (1, "lone-exit")):
        members = [e for left_with, e in exits if left_with == code and code in codes]
        # Survivors are finished off with -9 half a minute after another rank's own error.
        is_cleanup = code in {-9, 137} and bool(codes & {1, -6, -11, -7, 134})
        # The launcher ends the others before they leave with the same.
        is_of_all = code == 1 and exits_of.is_shared(events=events)
        if members and not is_cleanup and not is_of_all and len({rank_of(e) for e in members}) <= 2:
            yield _told(name, members, instant, host_of)
    if ended := exits_of.ended_first(events=events):
        yield _told("ended-first", ended, instant, host_of)
    alone = list(_alone(exits, events, instant, host_of))
    yield from alone or _aborted(events, instant, host_of)
    if early := exits_of.left_early(events=events):
        table = [e for _, e in exits if e.signature in TABLE]
        found = finding("ranks-left-early", table, instant, None, Layer.SOFTWARE, early)
        yield replace(found, count=len(early))


def _killed_task(events: Sequence[Event]) -> list[Event]:
    """Return the row of the one task that was killed before its launcher ended all others; who does
    not end when told to is killed, too, but later.
    """
    rows = sorted((e for e in events if e.fields.get("task")), key=lambda e: e.order_key)
    rows = [e for e in rows if e.signature in TASKS]
    if len(rows) < LEAST_TOLD or not is_whole_number(rows[0].fields["task"]):
        return []
    how = [e.fields.get("signal") for e in rows]
    return rows[:1] if how[0] == "Killed" and set(how[1:]) == {"Terminated"} else []


def _told(name: str, members: Sequence[Event], instant: Instant, host_of: HostOf) -> Observation:
    # The entry that knows the rank is quoted first.
    members = sorted(members, key=lambda e: (e.signature not in EXIT_ROWS, exit_rank(e) is None))
    ranks = {rank for e in members if (rank := exit_rank(e)) is not None}
    found = finding(name, members, instant, host_of(members[0]), None, ranks)
    return replace(found, count=_processes(members, ranks))


def _processes(members: Sequence[Event], ranks: set[int]) -> int:
    """Return how many processes left: several rows of a launcher's table are of one."""
    named = {e.fields.get("pid") for e in members if exit_rank(e) is not None}
    others = {e.fields.get("pid") for e in members if exit_rank(e) is None}
    return max(len(ranks) + len(others - named - {None}), 1)


def _alone(
    exits: Sequence[tuple[int, Event]],
    events: Sequence[Event],
    instant: Instant,
    host_of: HostOf,
) -> Iterator[Observation]:
    """Yield that one rank aborted, or left with a code of the program's own, and the others were
    alive until they missed it.
    """
    codes = codes_of(events=events, facts=SessionFacts())
    first = exits_of.first_out(events=events, facts=SessionFacts(), instant=instant)
    told = {rank_of(e) for e in events if e.role is Role.CASCADE} - {None}
    known = {*codes, *exits_of.echoing(events=events)}
    has_reason = any(_is_reason(e) for e in events)
    for name, wanted in (("lone-abort", ABORTED.__contains__), ("own-exit-code", _is_own)):
        ranks = {rank for rank, code in codes.items() if wanted(code)}
        if len(ranks) != 1 or ranks & told or len(known) < LEAST_TOLD or has_reason:
            continue
        if first and first != ranks:
            continue
        members = [e for code, e in exits if wanted(code) and exit_rank(e) in ranks]
        members += [e for rank, code, e in local_exits(events) if wanted(code) and rank in ranks]
        if members:
            yield replace(_told(name, members, instant, host_of), ranks=tuple(ranks))


def _aborted(events: Sequence[Event], instant: Instant, host_of: HostOf) -> Iterator[Observation]:
    """Yield that one process aborted which had told of nobody else, where no launcher gives codes
    of others: these only tell that they missed it.
    """
    told = [e for e in events if e.signature in ABORTS and e.fields.get("err", ABORT) == ABORT]
    who = {(rank_of(e), host_of(e)) for e in told}
    if len(who) != 1:
        return
    ((rank, host),) = who
    if {*codes_of(events=events, facts=SessionFacts())} - {rank}:
        return
    cascades = [e for e in events if e.role is Role.CASCADE]
    is_echo = any((rank_of(e), host_of(e)) == (rank, host) for e in cascades)
    has_reason = any(_is_reason(e) for e in events)
    if (rank, host) != (None, None) and cascades and not is_echo and not has_reason:
        yield _told("lone-abort", told, instant, host_of)


def _is_reason(event: Event) -> bool:
    """Say whether a process told why it left, beyond that its interpreter aborted."""
    is_session = (event.line.origin.stream or event.line.stream) in {Stream.SESSION, None}
    return (
        event.role is Role.INITIATING and is_session and event.signature not in LAUNCHERS | ABORTS
    )


def _is_own(code: int) -> bool:
    """Say whether only the program itself gives such a code."""
    return code > 0 and code not in USUAL


def _exit_code(event: Event) -> int | None:
    """Return the code a process left with; a signal counts as its negative."""
    code, signal = signed_number(event.fields.get("exitcode")), signal_of(event)
    return -signal if code is None and signal is not None else code
