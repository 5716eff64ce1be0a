"""Chrome traces: operations by their names, and PyTorch's profiles of ranks."""

from typing import Any

import pytest

from apps.training.stragglers.importers.chrome import trace_of_chrome
from apps.training.stragglers.step_trace import BadTrace, step_trace
from apps.training.stragglers.verdict import StragglerCause, verdict_on
from apps.training.stragglers.what_if import what_if
from tests.cast.step_traces import Job, draw


def event(name: str, cat: str, begin: float, lasted: float) -> dict[str, Any]:
    return {"ph": "X", "name": name, "cat": cat, "ts": begin, "dur": lasted, "pid": 0, "tid": 7}


def profile(rank: int, compute: float, wait: float, steps: int = 3) -> dict[str, Any]:
    events: list[Any] = [{"ph": "M", "name": "process_name"}, "stray"]
    for step in range(steps):
        at = step * (compute + wait)
        events += [
            event(f"ProfilerStep#{step}", "user_annotation", at, compute + wait),
            event("gemm", "kernel", at, compute),
            event("relu", "kernel", at + compute / 2, compute / 4),
            event(
                "ncclDevKernel_AllReduce_Sum_f32", "kernel", at + compute / 2, compute / 2 + wait
            ),
        ]
    return {"traceEvents": events, "distributedInfo": {"backend": "nccl", "rank": rank}}


def ranks(*computes: float) -> dict[str, Any]:
    slowest = max(computes)
    return {
        f"rank{rank}.json": profile(rank, each, slowest - each + 500)
        for rank, each in enumerate(computes)
    }


def test_a_slow_rank_is_found_in_profiles_of_ranks() -> None:
    found = what_if(trace_of_chrome(ranks(10_000, 10_000, 20_000, 10_000)))
    told = verdict_on(found)
    assert found.slowdown_beside_peers == pytest.approx(20_500 / 10_500)
    assert told.cause is StragglerCause.WORKER
    assert told.worker is not None
    assert told.worker.rank == 2


def test_kernels_beside_a_collective_count_once() -> None:
    trace = trace_of_chrome(ranks(10_000, 10_000))
    busy = {each.kind: trace.durations_seconds[at] for at, each in enumerate(trace.operations)}
    assert busy["forward-compute"] == pytest.approx(0.01)
    assert busy["grads-reduce-scatter"] == pytest.approx(0.0005)
    assert busy["optimizer"] == pytest.approx(0.0, abs=1e-9)


def test_named_operations_are_read_as_they_are() -> None:
    columns = draw(Job(seed=3, replicas=2, stages=2, steps=2)).columns
    events = [
        {
            "ph": "X",
            "name": row["optype"],
            "ts": row["start_ts"] * 1e6,
            "dur": row["duration"] * 1e6,
            "args": {k: v for k, v in row.items() if k not in {"optype", "start_ts", "duration"}},
        }
        for row in (
            dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)
        )
    ]
    read = what_if(trace_of_chrome({"steps.json": {"traceEvents": events}}))
    assert read.slowdown == pytest.approx(what_if(step_trace(columns)).slowdown)


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({}, "a.json: no traceEvents"),
        ({"traceEvents": []}, "a.json: no distributedInfo.rank"),
        ({"traceEvents": [], "distributedInfo": {"rank": 0}}, "a.json: no ProfilerStep#"),
        (
            {"traceEvents": [{"ph": "X", "name": "optimizer", "ts": 0, "dur": 1, "args": {}}]},
            "operation optimizer: its args lack dp_rank, stage, rank, step",
        ),
    ],
)
def test_what_is_no_such_trace_is_refused(document: Any, reason: str) -> None:
    with pytest.raises(BadTrace, match=reason):
        trace_of_chrome({"a.json": document})


def test_two_files_of_one_rank_must_agree() -> None:
    told = {"a.json": profile(0, 100, 10), "b.json": profile(0, 200, 10)}
    with pytest.raises(BadTrace, match="rank 0, step 0: told twice, and differently"):
        trace_of_chrome(told)
    again = trace_of_chrome({"a.json": profile(0, 100, 10), "b.json": profile(0, 100, 10)})
    assert again.steps == (0, 1, 2)


def test_ranks_without_a_step_in_common_are_refused() -> None:
    told = {"a.json": profile(0, 100, 10, steps=1), "b.json": profile(1, 100, 10)}
    for each in told["b.json"]["traceEvents"][2:]:
        if each["name"].startswith("ProfilerStep"):
            each["name"] = f"ProfilerStep#{7 + int(each['ts'])}"
    with pytest.raises(BadTrace, match="no step is told by every worker"):
        trace_of_chrome(told)


def test_a_profile_of_processors_alone_is_refused_and_says_what_to_profile() -> None:
    document = profile(0, 10_000, 500)
    for each in document["traceEvents"]:
        if isinstance(each, dict) and each.get("cat") == "kernel":
            each["cat"] = "cpu_op"
    with pytest.raises(BadTrace, match=r"rank0: no kernels of a GPU.*ProfilerActivity\.CUDA"):
        trace_of_chrome({"rank0": document})


def test_with_one_stage_no_share_of_the_last_one_is_told() -> None:
    assert what_if(trace_of_chrome(ranks(10_000, 20_000))).last_stage_share is None
