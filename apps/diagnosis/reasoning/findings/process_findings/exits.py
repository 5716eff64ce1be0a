"""First exits with a code of their own."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from apps.diagnosis import exits as exits_of
from apps.diagnosis.input_values import signed_number, whole_number
from apps.diagnosis.model import Event, Layer, Mark, Observation, Role, SessionFacts, Stream
from apps.diagnosis.observed import HostOf, Instant, finding, rank_of
from apps.diagnosis.signatures.marks import marked

# Codes that interpreters, shells and signals give are told apart elsewhere.
USUAL = frozenset({0, 1, 2, 126, 127, *range(128, 256)})
ABORTED = frozenset({-6, 134})
LEAST_TOLD = 2
TABLE = marked(Mark.EXIT_ROW, Mark.WORKER_FAILED)
LAUNCHERS, ABORTS = marked(Mark.OF_LAUNCHER), marked(Mark.INTERPRETER_ABORT)
SIGNALS = marked(Mark.ENDED_BY_SIGNAL)


def left(events: Sequence[Event], instant: Instant, host_of: HostOf) -> Iterator[Observation]:
    """Yield a first exit with a code of its own: killed, crashed or failed before the others were
    ended.
    """
    exits = [(code, e) for e in events if (code := _exit_code(e)) is not None]
    later = exits_of.later_ranks(events=events, instant=instant)
    exits = [(code, e) for code, e in exits if exits_of.exit_rank(e) not in later]
    codes = {code for code, _ in exits}
    for code, name in ((-9, "killed-first"), (137, "killed-first"), (1, "lone-exit")):
        members = [e for left_with, e in exits if left_with == code]
        # Survivors are finished off with -9 half a minute after another rank's own error.
        is_cleanup = code in {-9, 137} and bool(codes & {1, -6, -11, -7, 134})
        # The launcher ends the others before they leave with the same.
        is_of_all = code == 1 and exits_of.is_shared(events=events)
        if members and not is_cleanup and not is_of_all and len({rank_of(e) for e in members}) <= 2:
            yield _told(name, members, instant, host_of)
    yield from _alone(exits, events, instant, host_of)
    if early := exits_of.left_early(events=events):
        table = [e for _, e in exits if e.signature in TABLE]
        found = finding("ranks-left-early", table, instant, None, Layer.SOFTWARE, early)
        yield replace(found, count=len(early))


def _told(name: str, members: Sequence[Event], instant: Instant, host_of: HostOf) -> Observation:
    # The entry that knows the rank is quoted first.
    rows = exits_of.EXIT_ROWS
    members = sorted(
        members, key=lambda e: (e.signature not in rows, exits_of.exit_rank(e) is None)
    )
    ranks = {rank for e in members if (rank := exits_of.exit_rank(e)) is not None}
    found = finding(name, members, instant, host_of(members[0]), None, ranks)
    return replace(found, count=_processes(members, ranks))


def _processes(members: Sequence[Event], ranks: set[int]) -> int:
    """Return how many processes left: several rows of a launcher's table are of one."""
    named = {e.fields.get("pid") for e in members if exits_of.exit_rank(e) is not None}
    others = {e.fields.get("pid") for e in members if exits_of.exit_rank(e) is None}
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
    codes = exits_of.codes_of(events=events, facts=SessionFacts())
    first = exits_of.first_out(events=events, facts=SessionFacts(), instant=instant)
    told = {rank_of(e) for e in events if e.role is Role.CASCADE} - {None}
    has_reason = any(_is_reason(e) for e in events)
    for name, wanted in (("lone-abort", ABORTED.__contains__), ("own-exit-code", _is_own)):
        ranks = {rank for rank, code in codes.items() if wanted(code)}
        if len(ranks) != 1 or ranks & told or len(codes) < LEAST_TOLD or has_reason:
            continue
        if first and first != ranks:
            continue
        members = [e for code, e in exits if wanted(code) and exits_of.exit_rank(e) in ranks]
        if members:
            yield _told(name, members, instant, host_of)


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
    code = signed_number(event.fields.get("exitcode"))
    if code is not None or event.signature not in SIGNALS:
        return code
    signal = whole_number(event.fields.get("signal"))
    return None if signal is None else -signal
