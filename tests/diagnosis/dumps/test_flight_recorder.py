"""What one rank's dump says: groups, sequences, unfinished calls, and whose dump it is."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.diagnosis.dumps.flight import flight_recorder
from apps.diagnosis.dumps.flight.flight_recorder import FlightRecord, records
from apps.diagnosis.dumps.flight.process_groups import ProcessGroup
from tests.diagnosis.dumps.dumping import GROUPS, START_NS, call, dump


def _record(value: Any, name: str = "nccl_trace_rank_1") -> FlightRecord:
    (found,) = records(dump=value, name=name)
    return found


def _group(record: FlightRecord, name: str) -> ProcessGroup:
    return next(one for one in record.groups if one.name == name)


def test_calls_are_kept_by_group_with_what_never_finished() -> None:
    value = dump(
        1,
        call("1", 7, state="completed", order=0),
        call("1", 8, order=1, sizes=(4, 16)),
        call("0", 3, "broadcast", order=2),
    )
    record = _record(value)
    tensor = _group(record, "1")
    assert (record.rank, record.entry_count, record.since_ns) == (1, 3, None)
    assert (tensor.desc, tensor.ranks, tensor.newest, tensor.finished) == ("tensor", (0, 1), 8, 7)
    (waiting,) = tensor.unfinished
    assert (waiting.seq, waiting.name, waiting.shape) == (8, "all_reduce", "4x16 Float")
    assert record.until_ns == START_NS + 2_000_000


def test_sends_and_receives_name_both_ends() -> None:
    value = dump(1, call("0", 5, "send 1->3", order=0), call("0", 6, "recv 1<-2", order=1))
    group = _group(_record(value), "0")
    ends = [(one.name, one.source, one.target, one.seq) for one in group.unfinished]
    assert ends == [("send", 1, 3, 5), ("recv", 2, 1, 6)]
    assert group.is_mixed


def test_the_status_of_a_group_without_entries_is_found_by_order() -> None:
    groups = {"0": GROUPS["0"], "11": ("tensor", (0, 1)), "107": ("data", (1, 3))}
    numbers = {"0": (40, 40), "11": (90, 89), "107": (12, 12)}
    value = dump(1, groups=groups, status=numbers)
    value["pg_status"] = {"0": value["pg_status"]["0"]} | {
        "2": value["pg_status"]["11"],
        "5": value["pg_status"]["107"],
    }
    record = _record(value)
    assert _group(record, "11").enqueued == 90
    assert _group(record, "107").completed == 12


def test_the_status_is_not_guessed_where_names_and_numbers_do_not_fit() -> None:
    value = dump(1, call("1", 8, order=1), status={"0": (4, 4), "1": (8, 7), "4": (6, 6)})
    value["entries"][0]["pg_id"] = 4
    record = _record(value)
    assert (_group(record, "1").enqueued, _group(record, "0").enqueued) == (6, None)


def test_numbers_printed_as_text_are_numbers() -> None:
    value = dump(1, call("1", 8, order=1), status={"0": (4, 4), "1": (8, 7), "4": (6, 6)})
    for said in value["pg_status"].values():
        said.update({key: str(number) for key, number in said.items()})
    assert _group(_record(value), "1").enqueued == 8


@pytest.mark.parametrize(
    ("orders", "is_lost"),
    [((0, 1, 2), False), ((800, 801, 802), True), ((800, 804, 805), False), ((), False)],
)
def test_only_a_full_ring_may_have_lost_older_calls(
    *, orders: tuple[int, ...], is_lost: bool
) -> None:
    value = dump(1, *[call("1", 8 + order, order=order) for order in orders])
    assert (_record(value).since_ns is not None) is is_lost


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        ("nccl_trace_rank_7", 7),
        ("tmp/run-3/_dump_12", 12),
        ("rank5.json", 5),
        ("trace_0.pkl", 0),
        ("whatever", 1),
    ],
)
def test_the_rank_is_in_the_name_or_in_what_all_groups_share(name: str, rank: int) -> None:
    assert _record(dump(1), name).rank == rank


def test_a_dump_whose_rank_nobody_knows_is_left_out() -> None:
    assert records(dump=dump(1, groups={"0": GROUPS["0"]}), name="trace") == []


def test_one_object_may_hold_the_dumps_of_many_ranks() -> None:
    together = {str(rank): dump(rank) for rank in range(4)} | {"about": {"entries": "none"}}
    assert [one.rank for one in records(dump=together, name="all.json")] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("bound", "most", "kept"),
    [
        ("MOST_RECORDS", 3, 3),
        ("MOST_RECORDS", 2, 0),
        ("MOST_ENTRIES", 6, 3),
        ("MOST_ENTRIES", 5, 0),
    ],
)
def test_of_many_dumps_in_one_object_there_may_be_so_many_with_so_many_calls(
    monkeypatch: pytest.MonkeyPatch, bound: str, most: int, kept: int
) -> None:
    together = {str(rank): dump(rank, call("1", 1), call("1", 2)) for rank in range(3)}
    monkeypatch.setattr(flight_recorder, bound, most)
    assert len(records(dump=together, name="all.json")) == kept


def test_a_json_dump_without_unfinished_calls_has_no_entries() -> None:
    value = dump(1, status={"0": (4, 4), "1": (8, 8), "4": (6, 6)})
    del value["entries"]
    record = _record(value)
    assert (record.entry_count, _group(record, "1").enqueued) == (0, 8)


def test_an_old_record_with_one_sequence_is_read() -> None:
    entry = {"id": 4, "pg_id": 0, "seq_id": 9, "profiling_name": "nccl:all_reduce"}
    record = _record({"version": "1.0", "entries": [entry | {"state": "started"}]})
    assert [(one.seq, one.state, one.order) for one in record.groups[0].unfinished] == [
        (9, "started", 4)
    ]


def test_what_a_rank_called_far_ahead_is_kept_in_part() -> None:
    value = dump(1, *[call("1", order, order=order) for order in range(2000)])
    sequences = [one.seq for one in _group(_record(value), "1").unfinished]
    assert sequences[:3] == [0, 1, 2]
    assert sequences[-1] == 1999
    assert len(sequences) < 40


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=6)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                [*json.loads(json.dumps(call("1", 1))), *dump(1), "ranks", "1", "desc", "state"]
            ),
            inner,
            max_size=5,
        ),
    ),
    max_leaves=15,
)


@given(value=JSON, more=JSON)
def test_values_of_any_shape_never_raise(value: Any, more: Any) -> None:
    records(dump=value, name="rank1")
    records(dump={"version": value, "entries": [more], "pg_config": value}, name="rank1")
    records(dump={"entries": [call("1", 1) | {"input_sizes": value}], "version": 1}, name="rank1")
    records(dump={"pg_config": {"1": value}, "pg_status": {"1": more}}, name="rank1")
