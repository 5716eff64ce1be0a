"""Tables and tracebacks of programs, in the forms of several versions and behind any prefix."""

import pytest

from apps.diagnosis.model import Event, Origin, Role
from apps.diagnosis.signatures.read import read_source

GROUP = """  + Exception Group Traceback (most recent call last):
  |   File "/app/train.py", line 8, in <module>
  |     main()
  | ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/app/io.py", line 12, in fetch
    |     raise ShardGone("part 7")
    | io.ShardGone: part 7
    +---------------- 2 ----------------
    | Traceback (most recent call last):
    |   File "/app/io.py", line 18, in parse
    | ValueError: bad shard
    +------------------------------------"""

OLD_TABLE = """*****************************************
            train.py FAILED
=========================================
Root Cause:
[0]:
  time: 2026-02-04_15:43:42
  rank: 3 (local_rank: 3)
  exitcode: -9 (pid: 12345)
  error_file: <N/A>
  msg: "Signal 9 (SIGKILL) received by PID 12345"
=========================================
Other Failures:
[1]:
  time: 2026-02-04_15:43:43
  rank: 1 (local_rank: 1)
  exitcode: -15 (pid: 12346)
  error_file: <N/A>
  msg: "Signal 15 (SIGTERM) received by PID 12346"
*****************************************"""

TABLE = """Root Cause (first observed failure):
[0]:
  time      : 2026-09-14_17:05:19
  host      : n12.hpc
  rank      : 96 (local_rank: 0)
  exitcode  : 1 (pid: 5150)
  error_file: /tmp/error.json
  traceback : Traceback (most recent call last):
    File "/app/train.py", line 3, in main
      load()
  RuntimeError: no shard

============================================================"""

PREFIXES = ["", "[default0]:", "2026-09-14T08:05:19.1Z stderr F ", "0: ", "n12: [rank0]: "]


def said(text: str) -> list[Event]:
    return list(read_source(origin=Origin(source="log"), text=text).events)


def told(text: str, key: str) -> list[Event]:
    return [event for event in said(text) if event.signature == key]


def behind(prefix: str, text: str) -> str:
    return "\n".join(prefix + line for line in text.split("\n"))


def test_of_a_group_the_members_are_the_causes() -> None:
    found = told(GROUP, "py-exception-final")
    assert [(one.fields["exc"], one.role) for one in found] == [
        ("ExceptionGroup", Role.CASCADE),
        ("io.ShardGone", Role.INITIATING),
        ("ValueError", Role.INITIATING),
    ]
    assert [one.fields["frames"] for one in found][1:] == ["io.py:fetch", "io.py:parse"]


def test_the_table_of_an_old_launcher_has_rank_code_and_signal() -> None:
    (root,) = told(OLD_TABLE, "torchrun-root-cause")
    assert (root.line.rank, root.fields["exitcode"], root.fields["signal"]) == (3, "-9", "SIGKILL")
    exits = told(OLD_TABLE, "torchrun-fail-exitcode")
    assert [(one.line.rank, str(one.line.local_at)) for one in exits] == [
        (3, "2026-02-04 15:43:42"),
        (1, "2026-02-04 15:43:43"),
    ]


@pytest.mark.parametrize("prefix", PREFIXES)
def test_a_table_behind_a_prefix_names_the_failed_rank_and_host(prefix: str) -> None:
    (root,) = told(behind(prefix, TABLE), "torchrun-root-cause")
    assert (root.line.host, root.line.rank, root.fields["exitcode"]) == ("n12.hpc", 96, "1")


@pytest.mark.parametrize("prefix", PREFIXES[:3])
def test_what_the_failed_rank_raised_is_its_own(prefix: str) -> None:
    (raised,) = told(behind(prefix, TABLE), "py-exception-final")
    assert (raised.line.host, raised.line.rank, raised.fields["exc"]) == (
        "n12.hpc",
        96,
        "RuntimeError",
    )


@pytest.mark.parametrize(
    "line",
    [
        "  restart_count=2",
        "TORCHELASTIC_RESTART_COUNT=1",
        "Restarting training from the last checkpoint (step 5000)",
        "Continuing training from checkpoint, will skip to saved global_step",
        "Resuming from checkpoint /ckpt/step_400",
        "rank: 0: Received SIGTERM: 15, requeueing job 50917",
        "[default] Worker group FAILED. 2/3 attempts left; will restart worker group",
        "slurmstepd: error: *** JOB 5 ON n1 CANCELLED AT 2026-09-14T17:05:10 DUE TO JOB REQUEUE ***",  # noqa: E501  one line
    ],
)
def test_a_further_attempt_is_marked(line: str) -> None:
    (event,) = said(line)
    assert event.role is Role.RECOVERY or event.signature == "lightning-signal"


def test_the_first_attempt_is_none_further() -> None:
    assert said("  restart_count=0") == []


SMI = """timestamp, index, pci.bus_id, clocks.current.sm [MHz], clocks_event_reasons.hw_thermal_slowdown, clocks_event_reasons.sw_power_cap
2026/11/09 03:12:44.123, 2, 00000000:3B:00.0, 1980 MHz, Not Active, Active
2026/11/09 03:12:44.125, 3, 00000000:4E:00.0, 345 MHz, Active, Not Active
training goes on"""  # noqa: E501  one header


def test_a_table_of_clocks_names_the_gpu_that_was_held_back() -> None:
    (event,) = told(SMI, "gpu-throttle")
    assert (event.line.number, event.fields["index"], event.fields["pci"]) == (
        3,
        "3",
        "0000:4e:00.0",
    )
    assert str(event.line.local_at) == "2026-11-09 03:12:44.125000"
    assert told(SMI.replace("345 MHz, Active", "345 MHz, Not Active"), "gpu-throttle") == []
