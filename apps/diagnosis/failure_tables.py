"""Tables in which launchers list the workers of a node that failed, the first of them by name."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from apps.diagnosis.input_values import rank_number, signed_number
from apps.diagnosis.model import Event, Mark
from apps.diagnosis.observed import rank_of
from apps.diagnosis.signatures.marks import marked

ENDED = frozenset({-15, 143})  # told to end by their launcher: they were alive
EXIT_ROWS, FIRST = marked(Mark.EXIT_ROW), marked(Mark.FIRST_FAILURE)
# The table prints whole seconds, and may give a worker the second in which it was looked for.
APART = timedelta(seconds=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureTable:
    """The failed workers of one node, as its launcher lists them."""

    first: Event  # the row that it calls the first observed failure
    rest: tuple[Event, ...]  # workers that failed beside it and were not just told to end

    @property
    def later(self) -> tuple[Event, ...]:
        """The rows whose time is later beyond doubt: one clock printed them all."""
        return tuple(one for one in self.rest if _printed_apart(self.first, one) >= APART)


def failure_tables(*, events: Sequence[Event]) -> Iterator[FailureTable]:
    """Yield the tables in which a launcher lists failed workers and names the first of them."""
    rows: dict[tuple[str, str], list[Event]] = defaultdict(list)
    is_next: dict[tuple[str, str], bool] = {}
    for event in sorted(events, key=lambda one: (*one.order_key, one.signature)):
        key = (event.line.origin.source, event.line.host or "")
        if event.signature in FIRST:
            is_next[key] = True
        if event.signature not in EXIT_ROWS:
            continue
        rows[key].append(event)
        if is_next.pop(key, False):
            yield _table(first=event, rows=rows.pop(key)[:-1])


def _table(*, first: Event, rows: Sequence[Event]) -> FailureTable:
    rest = (one for one in rows if signed_number(one.fields.get("exitcode")) not in ENDED)
    return FailureTable(first=first, rest=tuple(rest))


def _printed_apart(one: Event, other: Event) -> timedelta:
    """Return by how much a row is later than another one of its table, nothing where unknown."""
    mine, theirs = one.line.at or one.line.local_at, other.line.at or other.line.local_at
    return theirs - mine if mine is not None and theirs is not None else timedelta(0)


def exit_rank(event: Event) -> int | None:
    """Return the rank that an exit code is of."""
    said = rank_number(event.fields.get("rank"))
    return rank_of(event) if said is None else said
