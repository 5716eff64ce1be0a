"""NCCL Inspector: who comes last to collectives, and a step trace where times are told."""

import json
from typing import Any

import numpy as np
import pytest

from apps.training.stragglers.importers.inspector import (
    late_members,
    read_inspector,
    trace_of_inspector,
)
from apps.training.stragglers.step_trace import BadTrace
from apps.training.stragglers.verdict import StragglerCause, verdict_on
from apps.training.stragglers.what_if import what_if
from tests.shared_files import SHARED, needs_shared

README = SHARED / "data" / "exposition" / "nccl_inspector_readme.jsonl"


def line(rank: int, number: int, micros: int, *, begun: int | None = None) -> str:
    told: dict[str, Any] = {
        "header": {"id": "0xc0", "rank": rank, "n_ranks": 4, "nnodes": 2},
        "metadata": {"hostname": f"node{rank // 2}", "dump_timestamp_us": 5},
        "coll_perf": {
            "coll": "AllReduce",
            "coll_sn": number,
            "coll_msg_size_bytes": 1 << 20,
            "coll_exec_time_us": micros,
        },
    }
    if begun is not None:
        kernel = {"channel_id": 0, "kernel_start_ts": begun, "kernel_stop_ts": begun + micros}
        told["coll_perf"]["event_trace_ts"] = {"kernel_events": [kernel]}
    return json.dumps(told)


def lines(slow: int, *, is_timed: bool = False) -> list[str]:
    """Four ranks compute 1 ms between collectives, the slow one 2."""
    found = []
    for number in range(10):
        meet = (number + 1) * 2_100
        for rank in range(4):
            arrives = meet - 100 - (0 if rank == slow else 1_000)
            begun = arrives if is_timed else None
            found.append(line(rank, number, meet - arrives, begun=begun))
    return found


def test_who_sits_in_collectives_for_the_shortest_comes_last() -> None:
    first, *others = late_members(read_inspector(name="a", lines=lines(2)))
    assert (first.rank, first.host, first.is_late) == (2, "node1", True)
    assert (first.last_count, first.collective_count) == (10, 10)
    assert first.waited_seconds == pytest.approx(0.001)
    assert not any(each.is_late for each in others)


def test_ranks_that_come_together_wait_for_nobody() -> None:
    told = [line(rank, number, 1000 + rank) for rank in range(4) for number in range(10)]
    assert not any(each.last_count for each in late_members(read_inspector(name="a", lines=told)))


def test_lines_count_once_in_any_order() -> None:
    told = lines(1)
    mixed = np.random.default_rng(2).permutation(2 * len(told)).tolist()
    twice = [[*told, *told][at] for at in mixed]
    assert late_members(read_inspector(name="a", lines=twice)) == late_members(
        read_inspector(name="a", lines=told)
    )


def test_where_times_are_told_the_cost_is_known() -> None:
    trace = trace_of_inspector(read_inspector(name="a", lines=lines(3, is_timed=True)))
    found = what_if(trace)
    told = verdict_on(found)
    assert found.slowdown_beside_peers == pytest.approx(2.1 / 1.1, rel=1e-3)
    assert told.cause is StragglerCause.WORKER
    assert told.worker is not None
    assert told.worker.rank == 3


def test_without_times_what_to_set_is_named() -> None:
    with pytest.raises(BadTrace, match="NCCL_INSPECTOR_DUMP_VERBOSE=1"):
        trace_of_inspector(read_inspector(name="a", lines=lines(3)))


def test_a_collective_of_which_no_kernel_was_traced_has_no_times() -> None:
    told = json.loads(line(0, 1, 5, begun=7))
    told["coll_perf"]["event_trace_ts"]["kernel_events"] = []
    (timing,) = read_inspector(name="a", lines=[json.dumps(told)])
    assert (timing.begun_seconds, timing.ended_seconds) == (None, None)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "a: no lines of the NCCL Inspector"),
        ("{", "a: line 1: no JSON"),
        ("[]", "a: line 1: no object"),
        ("{}", "a: line 1: no header"),
        ('{"header": 1}', "a: line 1: header is no object"),
        (line(0, 1, -5), "a: line 1: coll_exec_time_us is no whole number from 0"),
        (line(0, 1, 10**400), "a: line 1: coll_exec_time_us is no whole number from 0 of 64 bits"),
        ("[" * 100_000, "a: line 1: "),
    ],
)
def test_what_is_no_such_line_is_refused(text: str, reason: str) -> None:
    with pytest.raises(BadTrace, match=reason):
        read_inspector(name="a", lines=[text])


@needs_shared
def test_lines_of_its_documentation_are_read() -> None:
    told = README.read_text("utf-8").splitlines()
    first, second = read_inspector(name="readme", lines=told)
    assert (first.rank, first.collective) == (2, "AllReduce")
    assert first.seconds == pytest.approx(0.061974)
    assert first.begun_seconds is None
    assert second.ended_seconds is not None
    assert second.begun_seconds is not None
    assert second.ended_seconds - second.begun_seconds == pytest.approx(0.04063, abs=1e-5)
