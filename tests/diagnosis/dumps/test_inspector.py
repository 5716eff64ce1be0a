"""Measured times of collectives: who comes last, and when all are slow alike nobody."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.diagnosis.dumps.dump_lines import as_text
from apps.diagnosis.dumps.nccl.inspector import (
    CollectiveTimes,
    latecomers,
    looks_like_times,
    times_of,
)
from apps.diagnosis.dumps.nccl.nccl_lines import times_lines
from apps.diagnosis.dumps.nccl.nccl_lines import times_of as of_lines


def _row(rank: int, number: int, micros: float, *, size: int = 4, group: str = "0x7a") -> str:
    return json.dumps(
        {
            "header": {"id": group, "rank": rank, "n_ranks": size, "nnodes": 2},
            "metadata": {
                "inspector_output_format_version": "v4.0",
                "dump_timestamp_us": 1790000000000000 + number,
                "hostname": f"n{rank // 2}",
                "pid": 4000 + rank,
            },
            "coll_perf": {
                "coll": "AllReduce",
                "coll_sn": number,
                "coll_msg_size_bytes": 67108864,
                "coll_exec_time_us": micros,
            },
        }
    )


def _text(late: int | None, *, slow: float = 900.0, ranks: int = 4, count: int = 8) -> str:
    return "\n".join(
        _row(rank, number, 90.0 if rank == late else slow + rank)
        for number in range(count)
        for rank in range(ranks)
    )


def _late(text: str) -> list[tuple[int | None, str, bool]]:
    found = latecomers(times=times_of(text=text))
    return [(one.times.rank, one.times.host, one.is_session) for one in found]


def test_the_rank_with_the_shortest_collectives_came_last() -> None:
    assert _late(_text(late=3)) == [(3, "n1", True)]


def test_when_all_are_slow_alike_nobody_came_last() -> None:
    assert _late(_text(late=None, slow=90_000)) == []


@pytest.mark.parametrize(("ranks", "count"), [(2, 8), (4, 3)])
def test_two_ranks_or_few_collectives_are_no_evidence(ranks: int, count: int) -> None:
    assert _late(_text(late=1, ranks=ranks, count=count)) == []


def test_one_quick_collective_is_no_habit() -> None:
    text = _text(late=None) + "\n" + _row(2, 3, 10.0)
    assert _late(text) == []


def test_ranks_of_a_smaller_communicator_are_not_the_sessions() -> None:
    other = "\n".join(_row(rank, 1, 500, size=64, group="0xbb") for rank in range(3))
    assert _late(_text(late=3) + "\n" + other) == [(3, "n1", False)]


def test_metrics_say_the_same_of_nodes_and_gpus() -> None:
    sizes = ("1-2MB", "4-5MB", "64-65MB", "256-257MB", "1-2GB")
    lines = [
        "nccl_collective_exec_time_microseconds"
        f'{{version="v5.1",slurm_job_id="812",node="n{gpu // 2}",gpu="GPU{gpu % 2}",'
        f'comm_name="DP Group 0",n_nodes="2",nranks="4",collective="AllReduce",'
        f'message_size="{size}",algo_proto="Ring_ll"}} {120.5 if gpu == 1 else 900 + gpu}'
        for size in sizes
        for gpu in range(4)
    ]
    (one,) = latecomers(times=times_of(text="\n".join(lines)))
    assert (one.times.member, one.times.host, one.count, one.of) == ("n0 GPU1", "n0", 5, 5)


def test_times_come_back_from_their_lines() -> None:
    text = as_text(data=_text(late=3).encode(), name="insp.log")
    assert text is not None
    assert of_lines(texts=text.split("\n")) == times_of(text=_text(late=3))
    assert max(map(len, text.split("\n"))) < 8192


def test_only_the_latest_calls_are_kept() -> None:
    (one,) = times_of(text="\n".join(_row(0, number, 5.0) for number in range(500)))
    assert [call for call, _ in one.calls[-2:]] == ["AllReduce 498", "AllReduce 499"]
    assert len(one.calls) == 32


@pytest.mark.parametrize(
    ("head", "is_times"),
    [
        (_row(0, 1, 5.0).encode(), True),
        (b'nccl_collective_exec_time_microseconds{version="v5.1"} 4\n', True),
        (b'{"msg": "step 1"}', False),
        (b"[rank0]: nccl_collective_exec_time_microseconds{", False),
    ],
)
def test_output_is_recognised_by_how_it_begins(*, head: bytes, is_times: bool) -> None:
    assert looks_like_times(head=head) is is_times


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.dictionaries(
        st.sampled_from(["header", "coll_perf", "rank", "n_ranks", "coll_exec_time_us", "id"]),
        inner,
        max_size=4,
    ),
    max_leaves=8,
)


@given(value=JSON, more=st.text(max_size=60))
def test_lines_of_any_kind_never_raise(value: Any, more: str) -> None:
    found = times_of(text=json.dumps(value) + "\n{" + more + "\n" + more)
    assert all(isinstance(one, CollectiveTimes) for one in found)
    assert len(times_lines(times=found)) == len(found)
