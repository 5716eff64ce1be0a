"""What a scheduler or kernel says of others, or after the end, is not this session's story."""
# ruff: noqa: E501  lines of logs keep their length

import io
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

TRACE = """Traceback (most recent call last):
  File "/app/train.py", line 41, in <module>
    main()
  File "/app/train.py", line 33, in main
    data = open(path)
FileNotFoundError: [Errno 2] No such file or directory: '/data/shard-0017.bin'
"""
SESSION = (
    "2026-11-20 03:00:01,120 INFO train: rank 0 starts on gpu001\n"
    "2026-11-20 03:10:01,120 INFO train: step 100 loss 2.31\n"
    "2026-11-20 03:20:01,120 ERROR train: giving up\n" + TRACE
)
OTHERS = """[2026-11-20T02:59:50.100] sched: Allocate JobId=812 NodeList=gpu[001-002] #CPUs=16 Partition=train
[2026-11-20T02:10:00.100] sched: Allocate JobId=799 NodeList=gpu[101-102] #CPUs=16 Partition=train
"""
LIMIT = "[2026-11-20T03:20:02.500] Time limit exhausted for JobId=799\n"
PREEMPTED = "[2026-11-20T03:20:01.500] preempted JobId=799 has been requeued to reclaim resources for JobId=812\n"
KILLED = "[2026-11-20T03:20:00.900] _slurm_rpc_kill_job: REQUEST_KILL_JOB JobId=799 uid 1004\n"
LOST = "[2026-11-20T03:19:58.100] error: Nodes gpu[101-102] not responding, setting DOWN\n"


def _told(folder: Path, files: dict[str, str], *options: str) -> dict[str, Any]:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    out = io.StringIO()
    with suppress(SystemExit):
        call_command("diagnose", str(folder), "--format", "json", *options, stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


@pytest.mark.parametrize("line", [LIMIT, PREEMPTED, KILLED], ids=["limit", "preempted", "killed"])
@pytest.mark.parametrize("told", [OTHERS, ""], ids=["allocations", "bare"])
def test_another_jobs_end_is_not_ours(tmp_path: Path, line: str, told: str) -> None:
    alone = _told(tmp_path / "alone", {"session/gpu001/rank0.log": SESSION})
    both = _told(
        tmp_path / "both",
        {"session/gpu001/rank0.log": SESSION, "scheduler/slurmctld.log": told + line},
    )
    assert alone["end_state"] == both["end_state"] == "failed"
    assert alone["verdict"]["cause"] == both["verdict"]["cause"] != ""
    assert both["restart"] == alone["restart"]


def test_a_node_that_another_job_was_given_is_not_blamed(tmp_path: Path) -> None:
    alone = _told(tmp_path / "alone", {"session/gpu001/rank0.log": SESSION})
    both = _told(
        tmp_path / "both",
        {"session/gpu001/rank0.log": SESSION, "scheduler/slurmctld.log": OTHERS + LOST},
    )
    assert both["verdict"] == alone["verdict"]
    assert both["restart"] == alone["restart"]


def test_our_own_walltime_is_told_by_the_nodes_we_were_given(tmp_path: Path) -> None:
    run = "2026-11-20 03:{:02d}:01,120 INFO train: step {} loss 2.31\n"
    text = "".join(run.format(minute, minute * 10) for minute in range(1, 20))
    limit = "[2026-11-20T03:19:02.500] Time limit exhausted for JobId=812\n"
    found = _told(
        tmp_path,
        {
            "session/gpu001/rank0.log": text,
            "session/gpu002/rank1.log": text,
            "scheduler/slurmctld.log": OTHERS + LIMIT + limit,
        },
    )
    assert found["end_state"] == "walltime"


def test_our_own_walltime_is_told_by_the_name_of_the_log(tmp_path: Path) -> None:
    text = "2026-11-20 03:19:01,120 INFO train: step 190 loss 2.31\n" * 3
    found = _told(
        tmp_path,
        {
            "session/slurm-812.out": text,
            "scheduler/slurmctld.log": LIMIT.replace("799", "812"),
        },
    )
    assert found["end_state"] == "walltime"


KERNEL = (
    "2026-11-20T03:{at} gpu001 kernel: Out of memory: Killed process 4711 (python) total-vm:91234kB, "
    "anon-rss:80000kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:200kB oom_score_adj:0\n"
)


DATED = (
    "E1120 03:20:02.120000 4242 torch/distributed/elastic/multiprocessing/api.py:984] failed "
    "(exitcode: 1) local_rank: 0 (pid: 4711) of binary: /usr/bin/python\n"
)


@pytest.mark.parametrize(
    ("session", "at"),
    [
        (SESSION + DATED, "21:40.000000+00:00"),
        (SESSION + DATED, "24:00.000000+00:00"),
        (SESSION + DATED, "27:01.000000+00:00"),
    ],
)
def test_what_came_after_the_stop_is_not_its_cause(tmp_path: Path, session: str, at: str) -> None:
    alone = _told(tmp_path / "alone", {"session/gpu001/rank0.log": session})
    late = _told(
        tmp_path / "late",
        {"session/gpu001/rank0.log": session, "kernel/gpu001.log": KERNEL.format(at=at)},
    )
    assert late["verdict"]["cause"] == alone["verdict"]["cause"]
    assert late["restart"] == alone["restart"]


@pytest.mark.parametrize(
    "prefix",
    [
        "2026-11-20 03:{:02d}:01,120 INFO train: ",
        "2026-11-20 03:{:02d}:01 train WARNING: ",
        "Nov 20 03:{:02d}:01 INFO train: ",
    ],
)
def test_a_level_of_logging_is_no_host(tmp_path: Path, prefix: str) -> None:
    text = "".join(prefix.format(minute) + f"step {minute} loss 2.3\n" for minute in range(9))
    found = _told(tmp_path, {"session/gpu001/rank0.log": text})
    assert "INFO" not in json.dumps(found)
    assert "train" not in json.dumps(found["hypotheses"])
