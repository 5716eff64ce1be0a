"""`manage.py stragglers` as a person meets it: files in, lines or JSON out, clear refusals."""

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from tests.cast.step_traces import Job, draw

ONE_COLLECTIVE = {
    "header": {"id": "0xc0", "rank": 0, "n_ranks": 2},
    "coll_perf": {
        "coll": "AllReduce",
        "coll_sn": 1,
        "coll_msg_size_bytes": 8,
        "coll_exec_time_us": 5,
    },
}


def run(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("stragglers", *arguments, stdout=out, stderr=err)
    except SystemExit as left:
        return int(str(left.code)), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


def table(path: Path, **changes: Any) -> str:
    columns = draw(Job(**{"seed": 4, "replicas": 4, "stages": 2, "steps": 3, **changes})).columns
    with path.open("w") as file:
        csv.writer(file).writerows([columns, *zip(*columns.values(), strict=True)])
    return str(path)


def profile(path: Path, rank: int, compute: int) -> str:
    events = [
        {"ph": "X", "name": "ProfilerStep#7", "cat": "user_annotation", "ts": 0, "dur": 2100},
        {"ph": "X", "name": "gemm", "cat": "kernel", "ts": 0, "dur": compute},
        {"ph": "X", "name": "ncclAllReduce", "cat": "kernel", "ts": compute, "dur": 2100 - compute},
    ]
    told = {"traceEvents": events, "distributedInfo": {"rank": rank}}
    path.write_bytes(gzip.compress(json.dumps(told).encode()))
    return str(path)


def collectives(path: Path) -> str:
    rows = [
        {
            "header": {"id": "0xc0", "rank": rank, "n_ranks": 3},
            "metadata": {"hostname": f"node{rank}"},
            "coll_perf": {
                "coll": "AllReduce",
                "coll_sn": number,
                "coll_msg_size_bytes": 8,
                "coll_exec_time_us": 100 if rank == 1 else 900,
            },
        }
        for rank in range(3)
        for number in range(4)
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return str(path)


def test_a_slow_worker_is_named_with_its_cost(tmp_path: Path) -> None:
    code, out, err = run(table(tmp_path / "a.csv", slow_worker=(2, 1), worker_factor=2.0))
    assert (code, err) == (0, "")
    assert "verdict: one slow worker, DP2/PP1 (rank 6); check its node" in out
    assert "in 1.7 % of the slow ones" in out


def test_a_slow_stage_names_no_node(tmp_path: Path) -> None:
    _, out, _ = run(table(tmp_path / "a.csv", last_stage_factor=1.6))
    assert "the last stage, PP1, has more to do" in out
    assert "check its node" not in out


def test_korean_speaks_korean(tmp_path: Path) -> None:
    _, out, _ = run(table(tmp_path / "a.csv", worker_factor=2.0), "--language", "ko")
    assert "verdict" not in out
    assert "DP0/PP0" in out


def test_a_refused_simulation_leaves_with_3_and_shows_by_how_much_it_is_off(tmp_path: Path) -> None:
    slow = table(tmp_path / "a.csv", worker_factor=2.0, unexplained_seconds=0.02)
    code, out, _ = run(slow, "--format", "json")
    (job,) = json.loads(out)["jobs"]
    assert code == 3
    assert job["what_if"]["is_refused"] is True
    assert job["what_if"]["discrepancy"] > 0.05
    assert "slowdown" not in job["what_if"]
    assert job["verdict"]["cause"] == "refused"
    assert "refused: the simulation is off by more than 5 %" in run(slow)[1]


def test_profiles_of_ranks_are_one_job(tmp_path: Path) -> None:
    paths = [profile(tmp_path / f"r{n}.json.gz", n, 2000 if n == 2 else 1000) for n in range(4)]
    code, out, _ = run(*paths, "--format", "json")
    (job,) = json.loads(out)["jobs"]
    assert code == 0
    assert job["name"] == f"{paths[0]} + 3"
    assert job["verdict"]["worker"]["rank"] == 2


def test_collectives_without_times_name_who_comes_last(tmp_path: Path) -> None:
    code, out, _ = run(collectives(tmp_path / "a.jsonl"))
    assert code == 0
    assert "what it costs is not known" in out
    assert "rank 1 on node1: last to 4 of 4 collectives, the next waited 0.80 ms" in out


def test_several_jobs_have_a_table_of_their_own(tmp_path: Path) -> None:
    paths = [table(tmp_path / f"{n}.csv", seed=n, worker_factor=1.0 + n % 2) for n in range(4)]
    _, out, _ = run(*paths, "--format", "json")
    fleet = json.loads(out)["fleet"]
    assert (fleet["jobs"], fleet["straggling"], fleet["causes"]) == (4, 2, {"worker": 2})
    assert 0.1 < fleet["wasted_share"] < 0.5
    assert "2 of 4 jobs straggle" in run(*paths)[1]


def test_a_file_named_twice_counts_once(tmp_path: Path) -> None:
    path = table(tmp_path / "a.csv")
    assert run(path, path) == run(path)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.csv", "", "it is empty"),
        ("a.csv", "time,value\n1,2\n", "no column dp_rank, stage"),
        ("a.json", "{}", "no traceEvents"),
        ("a.jsonl", json.dumps(ONE_COLLECTIVE) + "\n{broken", "line 2: no JSON"),
    ],
)
def test_a_file_that_is_no_trace_is_refused_by_name(
    tmp_path: Path, name: str, content: str, reason: str
) -> None:
    path = tmp_path / name
    path.write_text(content)
    code, out, err = run(str(path))
    assert (code, out) == (2, "")
    assert err.startswith(f"{path}: ")
    assert reason in err
    assert len(err.splitlines()) == 1


def test_a_missing_file_is_told_with_the_one_that_was_meant(tmp_path: Path) -> None:
    table(tmp_path / "steps.csv")
    code, _, err = run(str(tmp_path / "step.csv"))
    assert code == 2
    assert "did you mean" in err
