"""Who never arrived: behind and without an excuse, silent, at odds, crossed, or nobody."""

from collections.abc import Iterable, Mapping
from random import Random
from typing import Any

import pytest

from apps.diagnosis.dumps.flight.flight_recorder import records
from apps.diagnosis.dumps.standstill import Standstill, standstill
from tests.diagnosis.dumps.dumping import GROUPS, call, dump

Said = Mapping[int, dict[str, Any]]


def _stand(said: Said) -> Standstill:
    return standstill(records=_records(said))


def _records(said: Said) -> list[Any]:
    return [one for rank, value in said.items() for one in records(dump=value, name=f"rank{rank}")]


def _all_wait(group: str, seq: int, ranks: Iterable[int]) -> dict[int, dict[str, Any]]:
    return {
        rank: dump(
            rank, call(group, seq - 1, state="completed", order=10), call(group, seq, order=11)
        )
        for rank in ranks
    }


def test_the_rank_that_never_called_is_missing() -> None:
    said = _all_wait("0", 41, (0, 1, 3)) | {
        2: dump(2, call("0", 39, state="completed"), call("0", 40, state="completed", order=1))
    }
    found = _stand(said)
    assert (found.missing, found.silent, found.stopped) == ((2,), (), (2,))
    assert found.wait is not None
    assert (found.wait.seq, found.wait.waiting, found.wait.absent) == (41, (0, 1, 3), (2,))


def test_an_empty_dump_counts_as_that_of_a_rank_that_called_nothing() -> None:
    assert _stand(_all_wait("0", 41, (0, 1, 3)) | {2: dump(2)}).missing == (2,)


def test_the_status_tells_of_a_rank_whose_finished_calls_are_not_in_the_dump() -> None:
    done = dump(2, status={"0": (41, 41), "2": (7, 7), "3": (9, 9)})
    late = dump(3, status={"0": (40, 40), "2": (7, 7), "4": (9, 9)})
    assert _stand(_all_wait("0", 41, (0, 1)) | {2: done, 3: late}).missing == (3,)


def test_ranks_that_wait_for_the_missing_one_are_not_to_blame() -> None:
    # 3 never came to tensor 2; so 2 never came to data 3, where 0 waits; 1 waits for 0 in tensor 1.
    said = {
        0: dump(0, call("3", 6, order=1)),
        1: dump(1, call("1", 9, order=1)),
        2: dump(2, call("2", 9, order=1)),
        3: dump(3, call("2", 8, state="completed")),
    }
    assert _stand(said).missing == (3,)


def test_a_rank_behind_others_that_wait_for_the_same_is_missing_too() -> None:
    said = _all_wait("0", 42, (0, 1)) | {
        2: dump(2, call("0", 41, order=1)),
        3: dump(3, call("0", 40, state="completed", order=1)),
    }
    for rank in (0, 1):
        said[rank]["entries"].append(call("0", 41, order=10))
    assert _stand(said).missing == (2, 3)


def test_a_pipeline_waits_for_the_stage_that_does_not_send() -> None:
    groups = {"0": ("pipeline", (4, 5, 6))}
    said = {
        4: dump(4, call("0", 3, "recv 0<-1", order=1, groups=groups), groups=groups),
        5: dump(5, groups=groups),
        6: dump(6, call("0", 8, "recv 2<-1", order=1, groups=groups), groups=groups),
    }
    found = _stand(said)
    assert found.missing == (5,)
    assert found.wait is not None
    assert found.wait.name == "recv"


def test_the_ranks_of_a_group_are_global_ones() -> None:
    groups = {"7": ("tensor", (12, 5, 9))}
    said = {
        5: dump(5, groups=groups),
        9: dump(9, call("7", 1, "send 2->1", groups=groups), groups=groups),
        12: dump(12, call("7", 1, "send 0->1", groups=groups), groups=groups),
    }
    assert _stand(said).missing == (5,)


def test_calls_that_the_ring_overwrote_are_not_missing() -> None:
    # 2 went on in another group for longer than its record reaches.
    ahead = [call("2", 500 + i, order=9000 + i, state="completed") for i in range(5)]
    said = _all_wait("0", 41, (0, 1, 3)) | {2: dump(2, *ahead)}
    assert _stand(said).missing == ()


def test_a_rank_that_went_past_the_call_is_not_missing() -> None:
    said = _all_wait("0", 41, (0, 1, 3)) | {2: dump(2, call("0", 44, order=9000))}
    assert 2 not in _stand(said).missing


def test_the_only_rank_without_a_dump_is_silent_where_others_wait_for_it() -> None:
    found = _stand(_all_wait("0", 41, (0, 1, 3)))
    assert (found.missing, found.silent, found.stopped) == ((), (2,), (2,))


def test_with_most_dumps_missing_nobody_is_called_silent() -> None:
    assert _stand(_all_wait("0", 41, (0, 1))).stopped == ()


def test_a_rank_that_waits_for_one_without_a_dump_is_excused() -> None:
    groups = {str(i): ("tensor", (i, i + 1)) for i in range(0, 8, 2)} | {
        "9": ("data", (0, 2, 4, 6))
    }
    said = {
        rank: dump(rank, call("9", 5, order=2, groups=groups), groups=groups) for rank in (2, 4, 6)
    } | {0: dump(0, call("0", 5, order=2, groups=groups), groups=groups)}
    others = {rank: dump(rank, groups=groups) for rank in (3, 5, 7)}
    assert _stand(said | others).stopped == (1,)


def test_when_all_called_and_nothing_ends_nobody_is_named() -> None:
    found = _stand(_all_wait("0", 41, range(4)))
    assert found.stopped == ()
    assert found.stalled is not None
    assert (found.stalled.seq, found.stalled.waiting) == (41, (0, 1, 2, 3))


def test_ranks_that_wait_for_each_other_in_two_groups_are_crossed() -> None:
    groups = {"1": ("a", (0, 1)), "2": ("b", (0, 1))}
    said = {
        0: dump(0, call("1", 5, order=1, groups=groups), groups=groups),
        1: dump(1, call("2", 5, order=1, groups=groups), groups=groups),
    }
    found = _stand(said)
    assert (found.stopped, found.crossed) == ((), (0, 1))


@pytest.mark.parametrize(
    "odd",
    [
        call("0", 41, "broadcast", order=11),
        call("0", 41, order=11, sizes=(63,)),
        call("0", 41, order=11, kind="BFloat16"),
    ],
)
def test_a_different_call_under_the_same_number_is_a_mismatch(odd: dict[str, Any]) -> None:
    found = _stand(_all_wait("0", 41, (0, 1, 3)) | {2: dump(2, odd)})
    assert found.mismatch is not None
    assert (found.mismatch.seq, found.mismatch.odd, found.stopped) == (41, (2,), (2,))
    assert found.mismatch.variants[0].call == "all_reduce 64 Float"


def test_two_against_two_accuses_nobody() -> None:
    said = _all_wait("0", 41, (0, 1)) | {
        rank: dump(rank, call("0", 41, "broadcast", order=11)) for rank in (2, 3)
    }
    found = _stand(said)
    assert found.mismatch is not None
    assert found.stopped == ()


def test_all_to_all_may_differ_in_size() -> None:
    said = {
        rank: dump(rank, call("0", 41, "all_to_all", sizes=(60 + rank, 8), order=1))
        for rank in range(4)
    }
    assert _stand(said).mismatch is None


def test_other_names_of_one_operation_are_no_mismatch() -> None:
    said = {
        rank: dump(
            rank, call("0", 41, "_all_gather_base" if rank else "all_gather_into_tensor_coalesced")
        )
        for rank in range(4)
    }
    assert _stand(said).mismatch is None


def test_one_name_of_two_groups_is_two_groups() -> None:
    left, right = {"5": ("split", (0, 1))}, {"5": ("split", (2, 3))}
    said = {
        0: dump(0, call("5", 9, groups=left), groups=left),
        1: dump(1, call("5", 9, groups=left), groups=left),
        2: dump(2, call("5", 4, groups=right), groups=right),
        3: dump(3, call("5", 3, state="completed", groups=right), groups=right),
    }
    assert _stand(said).missing == (3,)


def test_order_and_doubles_change_nothing() -> None:
    said = _all_wait("0", 41, (0, 1, 3)) | {2: dump(2, call("0", 40, state="completed"))}
    found = _records(said)
    mixed = found * 2
    Random(7).shuffle(mixed)  # noqa: S311  repeatable, not secret
    assert standstill(records=mixed) == standstill(records=found)


def test_the_later_of_two_dumps_of_one_rank_counts() -> None:
    early = {2: dump(2, call("0", 30, order=1))}
    late = _all_wait("0", 41, range(4))
    both = _records(early) + _records(late)
    assert standstill(records=both).stalled == _stand(late).stalled


def test_nothing_is_known_without_dumps() -> None:
    assert standstill(records=[]) == Standstill()


def test_the_groups_of_the_cast_cover_all_ranks() -> None:
    assert {rank for _, ranks in GROUPS.values() for rank in ranks} == set(range(4))
