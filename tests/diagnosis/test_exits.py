"""Who left first, by exit codes, by a launcher's table, and by what they said before."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from apps.diagnosis.exits import (
    NODES_APART,
    echoing,
    first_out,
    is_of_all,
    is_shared,
    later_ranks,
    left_early,
    said,
    said_alike,
)
from apps.diagnosis.failure_tables import APART, EXIT_ROWS, FIRST, exit_rank, failure_tables
from apps.diagnosis.model import Event, Role, SessionFacts, Stream
from tests.diagnosis.events import NOON, after, event

ROW, HEAD = min(EXIT_ROWS), min(FIRST)
SECOND = timedelta(seconds=1)
KILLED, ABORTED, ENDED, RAISED = -9, -6, -15, 1


def _instant(one: Event) -> tuple[datetime | None, timedelta]:
    return one.line.at, SECOND


def _codes(*codes: tuple[int, int], events: Iterable[Event] = ()) -> set[int]:
    return first_out(events=list(events), facts=SessionFacts(exit_codes=dict(codes)))


@pytest.mark.parametrize(
    ("codes", "first"),
    [
        ([(0, ENDED), (1, KILLED), (2, ABORTED)], {1}),
        ([(0, 143), (1, RAISED), (2, 134)], {1}),
        ([(0, ENDED), (1, ABORTED), (2, ENDED)], {1}),
        ([(0, 0), (1, ABORTED)], set()),
        ([(0, ABORTED), (1, ABORTED), (2, ENDED)], set()),
        ([(0, 0), (1, KILLED)], {1}),
        ([(1, KILLED)], {1}),
        ([(0, KILLED), (1, KILLED)], set()),
        ([(0, KILLED), (1, KILLED), (2, ENDED)], {0, 1}),
        ([(0, 0), (1, 0)], set()),
        ([], set()),
    ],
)
def test_who_was_killed_or_raised_an_error_goes_before_who_aborted(
    codes: list[tuple[int, int]], first: set[int]
) -> None:
    assert _codes(*codes) == first


def _told(rank: int, role: Role, text: str = "x", **more: object) -> Event:
    return event("nccl-socket-closed", at=NOON, rank=rank, role=role, text=text, **more)  # type: ignore[arg-type]


def test_who_only_tells_of_others_did_not_begin() -> None:
    codes = ((0, RAISED), (1, RAISED), (2, ENDED))
    echo = _told(0, Role.CASCADE)
    assert _codes(*codes, events=[echo]) == {1}
    assert echoing(events=[echo]) == {0}
    assert echoing(events=[echo, _told(0, Role.INITIATING)]) == set()
    assert echoing(events=[echo, _told(0, Role.CONFIRMATION)]) == set()
    assert echoing(events=[_told(0, Role.TEARDOWN), _told(1, Role.PROGRESS)]) == set()


def test_the_only_one_that_aborted_is_first_where_the_others_only_told_of_it() -> None:
    codes = ((2, ABORTED),)
    assert _codes(*codes) == set()
    assert _codes(*codes, events=[_told(0, Role.CASCADE), _told(1, Role.CASCADE)]) == {2}
    assert _codes(*codes, events=[_told(2, Role.CASCADE), _told(1, Role.CASCADE)]) == set()


def test_a_line_without_a_rank_is_of_the_process_that_the_table_names() -> None:
    """Rank 3 failed; of rank 7 the table alone says which process it was."""
    own = event("cuda-error", at=NOON, rank=3, role=Role.INITIATING, text="an illegal access")
    echo = event("nccl-socket-closed", at=after(5), host="n2", peer="n1")
    echo = replace(echo, line=replace(echo.line, rank=None, pid=4711))
    row = _row(7, RAISED, 8, host="n2")
    row = replace(row, fields={**row.fields, "pid": "4711"})
    assert echoing(events=[own, echo, *_table(row)]) == {7}
    assert _codes((7, RAISED), events=[own, echo, *_table(row)]) == set()
    # Two hosts have processes of that number: whose line it is nobody knows.
    other = replace(row, fields={**row.fields, "rank": "2"})
    assert echoing(events=[own, echo, *_table(row), *_table(other)]) == set()


def test_a_silent_peer_is_told_of_others_where_another_rank_failed_by_its_own_words() -> None:
    lost = event(
        "nccl-ib-wc-error", at=after(5), rank=7, role=Role.CONFIRMATION, peer="n1", wc_status="12"
    )
    assert _codes((7, RAISED), (2, ENDED), events=[lost]) == {7}  # its own adapter may be broken
    own = event("cuda-error", at=NOON, rank=3, role=Role.INITIATING, text="an illegal access")
    assert _codes((7, RAISED), (2, ENDED), events=[own, lost]) == set()
    assert _codes((3, RAISED), (7, RAISED), (2, ENDED), events=[own, lost]) == {3}
    mine = replace(lost, fields={**lost.fields, "wc_status": "4"})
    assert _codes((7, RAISED), (2, ENDED), events=[own, mine]) == {7}


def test_the_same_words_of_half_of_those_that_spoke_are_nobodys_alone() -> None:
    def raised(count: int, quiet: int) -> list[Event]:
        own = [_told(n, Role.INITIATING, f"[rank{n}]: KeyError") for n in range(count)]
        return [*own, *(_told(count + n, Role.PROGRESS) for n in range(quiet))]

    assert is_shared(events=raised(2, 2))
    assert not is_shared(events=raised(2, 3))
    assert not is_shared(events=raised(1, 0))
    other = [replace(one, line=replace(one.line, stream=None)) for one in raised(2, 2)]
    kernel = [
        event("nvrm-xid", rank=n, role=Role.INITIATING, stream=Stream.KERNEL) for n in range(4)
    ]
    assert is_shared(events=other)
    assert not is_shared(events=kernel)
    assert _codes((0, KILLED), (9, ENDED), events=raised(2, 2)) == set()
    assert said(event=raised(1, 0)[0]) == "nccl-socket-closed KeyError"


def _row(
    rank: int, code: int, seconds: float | None, *, host: str = "n1", number: int = 5
) -> Event:
    return event(
        ROW,
        at=None if seconds is None else after(seconds),
        host=host,
        role=Role.TEARDOWN,
        fields={"rank": str(rank), "local_rank": str(rank % 8), "exitcode": str(code)},
    )


def _table(*rows: Event) -> list[Event]:
    """Return a launcher's table; its last row is the one that it calls the first failure."""
    numbered = [
        replace(row, line=replace(row.line, number=10 + 2 * n)) for n, row in enumerate(rows)
    ]
    last = numbered[-1].line
    head = replace(numbered[-1], signature=HEAD, line=replace(last, number=last.number - 1))
    return [*numbered[:-1], replace(head, fields={}), numbered[-1]]


def test_a_table_names_its_first_and_those_that_were_just_told_to_end_are_none() -> None:
    told = _table(_row(1, RAISED, 9), _row(2, ENDED, 1), _row(3, RAISED, 1), _row(0, RAISED, 0))
    (table,) = failure_tables(events=told)
    assert exit_rank(table.first) == 0
    assert [exit_rank(one) for one in table.rest] == [1, 3]
    assert [exit_rank(one) for one in table.later] == [1]
    assert later_ranks(events=told) == {1}


@pytest.mark.parametrize(
    ("seconds", "later"), [(2.0, {1}), (1.9, set()), (-3.0, set()), (None, set())]
)
def test_a_row_is_later_by_the_clock_that_printed_both(
    seconds: float | None, later: set[int]
) -> None:
    assert timedelta(seconds=2) == APART
    assert later_ranks(events=_table(_row(1, RAISED, seconds), _row(0, RAISED, 0))) == later


def test_a_node_is_later_by_more_than_clocks_and_slow_exits_explain() -> None:
    def later(seconds: float) -> set[int]:
        one = _table(_row(0, RAISED, 0))
        other = _table(_row(9, RAISED, seconds, host="n2"), _row(8, RAISED, seconds, host="n2"))
        return later_ranks(events=[*one, *other], instant=_instant)

    apart = (NODES_APART + 2 * SECOND).total_seconds()
    assert later(apart) == {8, 9}
    assert later(apart - 1) == set()


def test_a_first_row_of_a_rank_that_tells_of_others_orders_nothing() -> None:
    told = _table(_row(1, RAISED, 9), _row(0, RAISED, 0))
    assert later_ranks(events=[*told, _told(0, Role.CASCADE)]) == set()
    assert _codes((0, RAISED), (1, RAISED), events=told) == {0}


def test_who_stands_between_the_living_and_the_failed_in_no_row_had_left_in_order() -> None:
    rows = [_row(8 + local, ENDED if local else RAISED, 0) for local in (0, 1, 3, 4)]
    assert left_early(events=rows) == {10}
    assert _codes((8, KILLED), events=rows) == {10}
    alive = [_row(8 + local, RAISED, 0) for local in (0, 1, 3, 4)]
    assert left_early(events=alive) == set()
    few = [_row(8, RAISED, 0), _row(13, ENDED, 0)]
    assert left_early(events=few) == set()
    mixed = [*rows, replace(rows[0], fields={"rank": "21", "local_rank": "5", "exitcode": "1"})]
    assert left_early(events=mixed) == set()
    lacking = [replace(one, fields={**one.fields, "local_rank": "x"}) for one in rows]
    assert left_early(events=lacking) == set()


def test_words_are_alike_that_most_told_and_none_surely_earlier() -> None:
    def alike(*seconds: float | None, quiet: int = 0) -> bool:
        own = [
            replace(
                _told(n, Role.INITIATING, "KeyError"),
                line=replace(
                    _told(n, Role.INITIATING, "KeyError").line,
                    at=None if at is None else after(at),
                ),
            )
            for n, at in enumerate(seconds)
        ]
        rest = [_told(9 + n, Role.PROGRESS) for n in range(quiet)]
        return bool(said_alike(events=[*own, *rest], instant=_instant))

    assert alike(0, 1)
    assert alike(0, 2)
    assert not alike(0, 2.1)
    assert alike(0, None)
    assert alike(0, 0, quiet=2)
    assert not alike(0, 0, quiet=3)
    assert not alike(0)


def test_failures_are_of_all_where_every_own_one_is_alike() -> None:
    own, other = _told(0, Role.INITIATING, "a"), _told(1, Role.INITIATING, "b")
    alike = {said(event=own)}
    assert is_of_all(events=[own], alike=alike)
    assert not is_of_all(events=[own, other], alike=alike)
    assert not is_of_all(events=[_told(0, Role.CASCADE, "a")], alike=alike)
