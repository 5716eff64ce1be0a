"""Each line format gives its time, host, rank and text."""
# ruff: noqa: E501  lines of logs keep their length

from datetime import UTC, datetime
from typing import Any

import pytest

from apps.diagnosis.logs.parse import DIALECTS, shown_lines
from apps.diagnosis.model import Origin, Stream
from tests.diagnosis.logs.dialect_lines import RECEIVED, local, read

ORIGIN = Origin(source="log", received_at=RECEIVED)


@pytest.mark.parametrize(
    ("line", "dialect", "facts", "text"),
    [
        ("n7:91:95 [2] NCCL INFO Using network IB", "nccl",
         {"host": "n7", "pid": 91, "gpu": 2}, "Using network IB"),
        ("n7:91:95 [2] misc/socket.cc:58 NCCL WARN socketProgress: Connection closed", "nccl",
         {"host": "n7", "pid": 91}, "socketProgress: Connection closed"),
        ("[2026-11-09 03:12:44] n7:91:95 [2] os/linux.cc:3 (open) NCCL WARN Call failed", "nccl",
         {"local_at": local(2026, 11, 9, 3, 12, 44)}, "Call failed"),
        ("[rank7]:[E129 03:12:44.123456789 ProcessGroupNCCL.cpp:683] [PG ID 2 PG GUID 5 Rank 3] x", "c10d",
         {"rank": 7, "local_at": local(2026, 1, 29, 3, 12, 44, 123456)}, "[PG ID 2 PG GUID 5 Rank 3] x"),
        ("[rank7]:[E1109 03:12:44.1 ProcessGroupNCCL.cpp:683] x", "c10d",
         {"rank": 7, "local_at": local(2026, 11, 9, 3, 12, 44, 100000)}, "x"),
        ("[rank7]:[E 2026-11-22 09:21:20.100 ProcessGroupNCCL.cpp:632] [Rank 7] x", "c10d",
         {"rank": 7, "local_at": local(2026, 11, 22, 9, 21, 20, 100000)}, "[Rank 7] x"),
        ("[E ProcessGroupNCCL.cpp:475] [Rank 7] x", "c10d_old", {"rank": None}, "[Rank 7] x"),
        ("E0810 12:34:56.789012 12345 ProcessGroupNCCL.cpp:683] x", "glog",
         {"pid": 12345, "local_at": local(2026, 8, 10, 12, 34, 56, 789012)}, "x"),
        ("E1120 03:05:20.301000 4021 torch/distributed/elastic/multiprocessing/api.py:984] x", "glog",
         {"local_at": local(2026, 11, 20, 3, 5, 20, 301000)}, "x"),
        ("[default7]:text", "tee", {"local_rank": 7, "rank": None}, "text"),
        ("12: text", "srun_label", {"rank": 12}, "text"),
        ("(Actor[rank=9] pid=1234, ip=10.0.0.5) text", "ray", {"rank": 9, "pid": 1234, "host": "10.0.0.5"}, "text"),
        (" [2026-11-09 03:12:44] iteration 12/ 50 |", "bracket_time",
         {"local_at": local(2026, 11, 9, 3, 12, 44)}, "iteration 12/ 50 |"),
        ("[2026-11-09 03:12:44,123] [INFO] [logging.py:107:log_dist] [Rank 5] step=1", "deepspeed",
         {"rank": 5, "local_at": local(2026, 11, 9, 3, 12, 44, 123000)}, "[Rank 5] step=1"),
        ("[titan] 2026-11-20 03:01:10,123 - root - INFO - step: 10", "torchtitan",
         {"local_at": local(2026, 11, 20, 3, 1, 10, 123000)}, "step: 10"),
        ("[INFO|trainer.py:34] 2026-11-20 03:02:10,123 >> Saving", "hugging_face",
         {"local_at": local(2026, 11, 20, 3, 2, 10, 123000)}, "Saving"),
        ("2026-11-09 03:12:44,123 [INFO] [n7] [workload:43(3) infra:7(0)] launcher.py:1 x", "nvrx",
         {"host": "n7", "rank": 43, "local_rank": 3}, "x"),
        ("INFO:torchft.manager:[r_0/3 - step 120] x", "torchft", {}, "[r_0/3 - step 120] x"),
        ("[ 1234.567890] x", "dmesg_uptime", {"uptime_seconds": 1234.56789, "stream": Stream.KERNEL}, "x"),
        ("<6>[ 1234.5] x", "dmesg_uptime", {"uptime_seconds": 1234.5}, "x"),
        ("[ 1234.5][ T123] x", "dmesg_uptime", {"uptime_seconds": 1234.5}, "x"),
        ("[Mon Nov  9 03:12:44 2026] x", "dmesg_time", {"local_at": local(2026, 11, 9, 3, 12, 44)}, "x"),
        ("kern  :warn  : 2026-11-09T03:12:44,567890+09:00 x", "dmesg_iso",
         {"at": datetime(2026, 11, 8, 18, 12, 44, 567890, tzinfo=UTC)}, "x"),
        ("6,3973,227996637,-;x", "kmsg", {"uptime_seconds": 227.996637}, "x"),
        ("[Nov 09 2026 03:12:44] [ERROR] [tid 12] x", "fabric_manager",
         {"local_at": local(2026, 11, 9, 3, 12, 44), "stream": Stream.FABRIC}, "x"),
        ("[2026-11-09T03:12:44.567] error: x", "slurm",
         {"local_at": local(2026, 11, 9, 3, 12, 44, 567000), "stream": Stream.SCHEDULER}, "error: x"),
        ("slurmstepd: error: *** JOB 4 ON n7 CANCELLED AT 2026-11-09T03:12:44 ***", "slurm_message",
         {"local_at": local(2026, 11, 9, 3, 12, 44)}, "slurmstepd: error: *** JOB 4 ON n7 CANCELLED AT 2026-11-09T03:12:44 ***"),
        ("2026-11-09 03:12:44.123 INFO ai.backend.agent.agent [12] x", "backend_ai",
         {"local_at": local(2026, 11, 9, 3, 12, 44, 123000)}, "x"),
        ("2026-11-09T03:12:44.123456789+09:00 stderr F x", "cri",
         {"at": datetime(2026, 11, 8, 18, 12, 44, 123456, tzinfo=UTC)}, "x"),
        ("2026-11-09T03:12:44.123456789Z x", "kubectl_timestamps",
         {"at": datetime(2026, 11, 9, 3, 12, 44, 123456, tzinfo=UTC)}, "x"),
        ("[pod/llm-0/main] x", "kubectl_prefix", {}, "x"),
        ("2026-11-09T03:12:44+0900 n7 kernel: x", "journald_short_iso",
         {"at": datetime(2026, 11, 8, 18, 12, 44, tzinfo=UTC), "host": "n7", "stream": Stream.KERNEL}, "x"),
        ("2026-11-09T03:12:44+0900 n7 sshd[12]: x", "journald_short_iso", {"host": "n7", "pid": 12}, "sshd[12]: x"),
        ("Nov  9 03:12:44 n7 kernel: [1234.5] x", "dmesg_uptime",
         {"local_at": local(2026, 11, 9, 3, 12, 44), "host": "n7", "uptime_seconds": 1234.5}, "x"),
        ("<6>1 2026-11-09T03:12:44.123+09:00 n7 app 12 - - x", "syslog_5424",
         {"at": datetime(2026, 11, 8, 18, 12, 44, 123000, tzinfo=UTC), "host": "n7", "pid": 12}, "x"),
        ("2026-11-09 03:12:44,123 - model - INFO - x", "python_logging",
         {"local_at": local(2026, 11, 9, 3, 12, 44, 123000)}, "x"),
        ("2026-11-09 03:12:44 | INFO | x", "python_logging", {"local_at": local(2026, 11, 9, 3, 12, 44)}, "x"),
    ],
)  # fmt: skip
def test_a_prefix_is_read(line: str, dialect: str, facts: dict[str, Any], text: str) -> None:
    found = read(line)
    assert (found.dialect, found.text) == (dialect, text)
    assert {name: getattr(found, name) for name in facts} == facts


def test_every_dialect_is_reached() -> None:
    assert len(DIALECTS) == len({dialect.name for dialect in DIALECTS}) >= 28


def test_prefixes_stand_one_behind_the_other() -> None:
    line = read("2026-11-09T03:12:44Z stderr F [default3]:[rank11]:[E1109 03:12:43.5 a.cpp:1] x")
    assert (line.rank, line.local_rank, line.text) == (11, 3, "x")
    assert line.at == datetime(2026, 11, 9, 3, 12, 44, tzinfo=UTC)
    assert line.local_at == local(2026, 11, 9, 3, 12, 43, 500000)


def test_the_rank_a_program_prints_beats_the_label_of_its_task() -> None:
    assert read("3: [rank27]: x").rank == 27
    assert (read("3: [default5]:x").rank, read("3: [default5]:x").local_rank) == (None, 5)


def test_the_printed_time_beats_the_collected_one_once_its_zone_is_known() -> None:
    text = "2026-11-09T03:12:44Z stderr F [2026-11-09 12:12:40] n7:91:95 [2] a.cc:1 NCCL WARN x"
    line = read(text, zone="Asia/Seoul")
    assert (line.at, line.local_at) == (datetime(2026, 11, 9, 3, 12, 40, tzinfo=UTC), None)


def test_without_a_zone_there_is_no_instant() -> None:
    line = read("[2026-11-09T03:12:44.567] x")
    assert (line.at, line.local_at) == (None, local(2026, 11, 9, 3, 12, 44, 567000))


def test_without_a_year_and_a_receipt_there_is_no_time() -> None:
    line = read("[rank7]:[E1109 03:12:44.1 a.cpp:1] x", received_at=None)
    assert (line.at, line.local_at) == (None, None)


@pytest.mark.parametrize(
    ("received", "year"),
    [
        (datetime(2027, 1, 1, 0, 5, tzinfo=UTC), 2026),
        (datetime(2026, 12, 31, 23, tzinfo=UTC), 2026),
    ],
)
def test_a_line_of_december_that_arrives_in_january_is_last_years(
    received: datetime, year: int
) -> None:
    line = read("[rank7]:[E1231 23:59:58.1 a.cpp:1] x", received_at=received)
    assert line.local_at is not None
    assert line.local_at.year == year


def test_a_line_of_january_that_arrives_in_december_is_next_years() -> None:
    line = read(
        "[rank7]:[E101 00:10:00.1 a.cpp:1] x", received_at=datetime(2026, 12, 31, 20, tzinfo=UTC)
    )
    assert line.local_at == local(2027, 1, 1, 0, 10, 0, 100000)


@pytest.mark.parametrize(
    "line",
    ["[rank7]:[E1331 03:12:44.1 a.cpp:1] x", "[2026-13-41T03:12:44] x", "Foo 99 03:12:44 n k: x"],
)
def test_an_impossible_time_is_no_time(line: str) -> None:
    found = read(line)
    assert (found.at, found.local_at) == (None, None)


def test_an_unknown_zone_is_no_zone() -> None:
    line = read("[2026-11-09T03:12:44.567] x", zone="Mars/Olympus")
    assert (line.at, line.local_at is None) == (None, False)


def test_colour_in_the_middle_of_a_line_is_gone() -> None:
    (line,) = shown_lines(
        raw="step: 4 \x1b[36mloss: \x1b[1;31m2.1\x1b[0m\x1b]0;title\x07 tps: 9\0\0"
    )
    assert line == "step: 4 loss: 2.1 tps: 9"


def test_a_redrawn_bar_comes_apart() -> None:
    assert shown_lines(raw="10%|#\r20%|##\rRuntimeError: x") == [
        "10%|#",
        "20%|##",
        "RuntimeError: x",
    ]


def test_merged_writers_come_apart() -> None:
    merged = "n7:91:95 [2] NCCL INFO Using network IB n8:11:12 [3] NCCL INFO Using network IB"
    assert [read(line).host for line in shown_lines(raw=merged)] == ["n7", "n8"]
    assert [read(line).rank for line in shown_lines(raw="[rank1]: a b[rank2]: c")] == [1, 2]


def test_what_was_pasted_in_one_line_comes_apart_where_programs_end_a_line() -> None:
    thrown = "terminate called after throwing an instance of 'std::runtime_error' what(): gone."
    pasted = (
        f"[E ProcessGroupNCCL.cpp:41] the process goes down. {thrown}"
        " Last error: NET/IB : Got completion from peer 10.0.4.7<4117> with error 12"
    )
    assert [line.strip() for line in shown_lines(raw=pasted)] == [
        "[E ProcessGroupNCCL.cpp:41] the process goes down.",
        thrown,
        "Last error:",
        "NET/IB : Got completion from peer 10.0.4.7<4117> with error 12",
    ]
    assert shown_lines(raw="Last error: ") == ("Last error: ",)


def test_a_chain_of_prefixes_is_not_a_merge() -> None:
    assert len(shown_lines(raw="[default3]:[rank3]: x")) == 1
    assert len(shown_lines(raw="12: n7:91:95 [2] NCCL INFO x")) == 1
