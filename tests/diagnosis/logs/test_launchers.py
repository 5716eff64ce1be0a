"""Prefixes of launchers, loggers and collectors, alone and one behind the other."""
# ruff: noqa: E501  lines of logs keep their length

from datetime import UTC, datetime
from typing import Any

import pytest

from apps.diagnosis.logs.parse import shown_lines
from apps.diagnosis.model import Stream
from tests.diagnosis.logs.dialect_lines import local, read

SEVEN = datetime(2026, 11, 8, 18, 12, 44, tzinfo=UTC)


@pytest.mark.parametrize(
    ("line", "dialect", "facts", "text"),
    [
        ("[1,3]<stderr>:loss 2.1", "mpi", {"rank": 3}, "loss 2.1"),
        ("[prterun-n7-88@1,12]<stdout>: loss 2.1", "mpi", {"rank": 12}, "loss 2.1"),
        ("[n7:04021] *** Process received signal ***", "mpi_process",
         {"host": "n7", "pid": 4021}, "*** Process received signal ***"),
        ("[1794193964.123456] [n7:91 :0]      ib_log.c:177  UCX  ERROR x", "ucx",
         {"at": datetime(2026, 11, 9, 3, 12, 44, 123456, tzinfo=UTC), "host": "n7", "pid": 91,
          "uptime_seconds": None, "stream": Stream.SESSION}, "UCX  ERROR x"),
        ("n7: [rank3]: Traceback (most recent call last):", "rank_prefix",
         {"host": "n7", "rank": 3}, "Traceback (most recent call last):"),
        ("10.4.1.7: File \"/x.py\", line 3, in main", "host_label", {"host": "10.4.1.7"},
         'File "/x.py", line 3, in main'),
        ("eth0: link is down", "plain", {"host": None}, "eth0: link is down"),
        ("(pid=77, ip=10.0.0.5) x", "ray", {"pid": 77, "host": "10.0.0.5"}, "x"),
        ("(TrainWorker(rank=3) pid=77, ip=10.0.0.5) x", "ray", {"rank": 3, "pid": 77}, "x"),
        ("(raylet, ip=10.0.0.5) x", "ray", {"host": "10.0.0.5", "pid": None}, "x"),
        ("[2026-11-09 03:12:44,123 E 812 845] (raylet) node_manager.cc:12: x", "ray_core",
         {"local_at": local(2026, 11, 9, 3, 12, 44, 123000), "pid": 812}, "x"),
        ("[NeMo W 2026-11-09 03:12:44 nemo_logging:349] x", "nemo",
         {"local_at": local(2026, 11, 9, 3, 12, 44)}, "x"),
        ("[rank=3] step 4", "lightning", {"rank": 3}, "step 4"),
        ("(TrainWorker pid=77, ip=10.0.0.7) [rank=3] x", "lightning", {"rank": 3, "host": "10.0.0.7"}, "x"),
        ("[rank: 3] Received SIGTERM: 15", "lightning", {"rank": 3}, "Received SIGTERM: 15"),
        ("11/09/2026 03:12:44 - INFO - __main__ - x", "us_date", {"local_at": local(2026, 11, 9, 3, 12, 44)}, "x"),
        ("[11/09/26 03:12:44] INFO     x", "us_date", {"local_at": local(2026, 11, 9, 3, 12, 44)}, "x"),
        ("2026/11/09 03:12:44 [error] x", "slash_date", {"local_at": local(2026, 11, 9, 3, 12, 44)}, "x"),
        ("INFO 11-09 03:12:44 [worker.py:12] x", "level_first", {"local_at": local(2026, 11, 9, 3, 12, 44)}, "x"),
        ("ERROR 2026-11-09 03:12:44,123 trainer.py:12] x", "level_first",
         {"local_at": local(2026, 11, 9, 3, 12, 44, 123000)}, "x"),
        ("E20261109 03:12:44.5 4021 a.cpp:1] x", "glog", {"local_at": local(2026, 11, 9, 3, 12, 44, 500000)}, "x"),
        ("I1109 03:12:44.5       1 health.go:200] x", "glog", {"pid": 1}, "x"),
        ('time="2026-11-09T03:12:44+09:00" level=error msg="x"', "logfmt", {"at": SEVEN}, 'level=error msg="x"'),
        ('2026-11-09T03:12:44+09:00 {node="n7", pod="llm-0"} x', "logcli", {"at": SEVEN, "host": "n7"}, "x"),
        ("llm-worker-3 main [rank3]: x", "rank_prefix", {"rank": 3, "host": None}, "x"),
        ("[llm-0 main] x", "stern", {"host": None}, "x"),
        ("worker-1  | x", "stern", {"host": None}, "x"),
        ("[2026-11-09 03:12:44 +0900] [12] [INFO] x", "bracket_time", {"at": SEVEN}, "x"),
        ("[2026-11-08 18:12:44 UTC] x", "bracket_time", {"at": SEVEN}, "x"),
        ("[2026-11-09 03:12:44 KST] x", "bracket_time", {"at": None, "local_at": local(2026, 11, 9, 3, 12, 44)}, "x"),
        ("2026-11-08 18:12:44 UTC | INFO | x", "python_logging", {"at": SEVEN}, "x"),
        ("2026-11-09 03:12:44.123 | ERROR    | __main__:train:12 - x", "python_logging",
         {"local_at": local(2026, 11, 9, 3, 12, 44, 123000)}, "__main__:train:12 - x"),
        ("2026-11-09 03:12:44,123\tINFO worker.py:12 -- x", "python_logging", {}, "worker.py:12 -- x"),
        ("[2026-11-09 03:12:44,123] [INFO] [ft_launcher77@n7] x", "bracket_time", {"host": "n7", "pid": 77}, "x"),
        ("[2026-11-09T03:12:44.567] [50917.0] error: x", "slurm",
         {"uptime_seconds": None, "stream": Stream.SCHEDULER}, "[50917.0] error: x"),
        ("[my_role3]:x", "tee", {"local_rank": 3, "rank": None}, "x"),
    ],
)  # fmt: skip
def test_a_prefix_is_read(line: str, dialect: str, facts: dict[str, Any], text: str) -> None:
    found = read(line)
    assert (found.dialect, found.text) == (dialect, text)
    assert {name: getattr(found, name) for name in facts} == facts


def test_a_launchers_rank_label_is_local_and_the_programs_is_global() -> None:
    line = read("[rank0]:[rank8]: Traceback (most recent call last):")
    assert (line.rank, line.local_rank) == (8, 0)
    line = read("[rank3]:[titan] 2026-11-20 03:01:10,123 - root - INFO - step: 10")
    assert (line.rank, line.local_rank, line.text) == (None, 3, "step: 10")
    assert read("[rank7]:[W1109 03:12:44.1 socket.cpp:1] x").rank == 7
    assert read("[rank7]:W1109 03:12:44.123000 4021 torch/x.py:1] x").rank == 7


@pytest.mark.parametrize(
    ("line", "facts", "text"),
    [
        ("2026-11-09T03:12:44.5Z stderr F [default3]:n7:91:95 [3] transport/net_ib.cc:1 NCCL WARN x",
         {"at": datetime(2026, 11, 9, 3, 12, 44, 500000, tzinfo=UTC), "host": "n7", "pid": 91, "gpu": 3, "local_rank": 3}, "x"),
        ("[pod/llm-0/main] 2026-11-09T03:12:44+09:00 [rank5]:[E1109 03:12:43.5 a.cpp:1] x",
         {"at": SEVEN, "rank": 5, "local_at": local(2026, 11, 9, 3, 12, 43, 500000)}, "x"),
        ('2026-11-09T03:12:44+09:00 {host="n7"} 12: [rank12]: x', {"host": "n7", "rank": 12, "at": SEVEN}, "x"),
        ("Nov  9 03:12:44 n7 slurmstepd[77]: error: x", {"host": "n7", "pid": 77}, "slurmstepd[77]: error: x"),
        ("12: [default5]:[rank101]:[E1109 03:12:43.5 a.cpp:1] x", {"rank": 101, "local_rank": 5}, "x"),
        ("(RayTrainWorker pid=77, ip=10.0.0.5) [rank9]:[W1109 03:12:43.5 a.cpp:1] x",
         {"rank": 9, "host": "10.0.0.5", "pid": 77}, "x"),
        ("[1,3]<stderr>:[2026-11-09 03:12:44] n7:91:95 [2] a.cc:1 NCCL WARN x",
         {"rank": 3, "host": "n7", "local_at": local(2026, 11, 9, 3, 12, 44)}, "x"),
    ],
)  # fmt: skip
def test_nested_prefixes_add_up(line: str, facts: dict[str, Any], text: str) -> None:
    (shown,) = shown_lines(raw=line)
    found = read(shown)
    assert found.text == text
    assert {name: getattr(found, name) for name in facts} == facts


def test_records_of_two_writers_in_one_line_come_apart() -> None:
    glued = "step 12 done[rank3]:[E1109 03:12:43.5 a.cpp:1] x [rank4]:[E1109 03:12:43.6 a.cpp:1] y"
    assert [(read(one).rank, read(one).text) for one in shown_lines(raw=glued)] == [
        (None, "step 12 done"),
        (3, "x "),
        (4, "y"),
    ]
    glued = "loss 2.1 [E ProcessGroupNCCL.cpp:475] [Rank 7] x"
    assert [read(one).dialect for one in shown_lines(raw=glued)] == ["plain", "c10d_old"]


def test_a_block_of_zero_bytes_is_said_and_a_stray_one_is_not() -> None:
    assert shown_lines(raw="step 12\0 done") == ["step 12 done"]
    assert shown_lines(raw="step 12" + "\0" * 4096 + "step 13") == [
        "step 12step 13",
        "<4096 NUL bytes>",
    ]
