"""First exits with a code of their own."""

from collections.abc import Iterator, Sequence

from apps.diagnosis.input_values import rank_number, signed_number, whole_number
from apps.diagnosis.model import Event, Observation
from apps.diagnosis.observed import HostOf, Instant, finding, rank_of


def left(events: Sequence[Event], instant: Instant, host_of: HostOf) -> Iterator[Observation]:
    """Yield a first exit with a code of its own: killed, crashed or failed before the others were
    ended.
    """
    exits = [(code, e) for e in events if (code := _exit_code(e)) is not None]
    codes = {code for code, _ in exits}
    for code, name in ((-9, "killed-first"), (137, "killed-first"), (1, "lone-exit")):
        members = [e for left_with, e in exits if left_with == code]
        # Survivors are finished off with -9 half a minute after another rank's own error.
        is_cleanup = code in {-9, 137} and bool(codes & {1, -6, -11, -7, 134})
        if members and not is_cleanup and len({rank_of(e) for e in members}) <= 2:
            ranks = {rank for e in members if (rank := _exit_rank(e)) is not None}
            yield finding(name, members, instant, host_of(members[0]), None, ranks)


def _exit_code(event: Event) -> int | None:
    """Return the code a process left with; a signal counts as its negative."""
    code = signed_number(event.fields.get("exitcode"))
    if code is not None or event.signature != "mpi-exit-signal":
        return code
    signal = whole_number(event.fields.get("signal"))
    return None if signal is None else -signal


def _exit_rank(event: Event) -> int | None:
    said = rank_number(event.fields.get("rank"))
    return rank_of(event) if said is None else said
