"""Tables and tracebacks of programs, in the forms of several versions and behind any prefix."""

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Event, Origin, Role
from apps.diagnosis.signatures.read import read_source
from apps.offline import report

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


RAY = """2026-02-04 15:43:42,902 ERROR tune_controller.py:1374 -- Trial task failed for trial T_1
Traceback (most recent call last):
  File "/v/ray/event_manager.py", line 110, in resolve_future
    result = ray.get(future)
ray.exceptions.RayTaskError({name}): \x1b[36mray::_Inner.train()\x1b[39m (pid=411, ip=10.0.0.4, actor_id=1f)
  File "/v/ray/utils.py", line 43, in check_for_failure
    ray.get(object_ref)
ray.exceptions.RayTaskError({name}): \x1b[36mray::_RayTrainWorker__execute.get_next()\x1b[39m (pid=512, ip=10.0.0.5, actor_id=2a)
  File "/app/train.py", line 61, in loop
    raise error
"""  # noqa: E501  lines of a log


@pytest.mark.parametrize(
    ("name", "final", "signature"),
    [
        ("ValueError", "ValueError: expected 2048 columns, got 2047", "program-error-words"),
        ("Odd", "app.Odd: nobody knows", "py-exception-final"),
        (
            "OutOfMemoryError",
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
            "oom-words",
        ),
    ],
)
def test_what_ray_wraps_is_told_by_the_line_of_the_worker_at_its_place(
    name: str, final: str, signature: str
) -> None:
    text = RAY.format(name=name) + final + "\n\nTraining errored after 12 iterations\n"
    told = [
        e
        for e in read_source(origin=Origin(source="driver.log"), text=text).events
        if e.role in {Role.INITIATING, Role.CASCADE}
    ]
    assert [(e.signature, e.line.text, e.line.host, e.line.pid) for e in told] == [
        (signature, final, "10.0.0.5", 512)
    ]


def test_the_node_of_what_ray_wraps_is_named() -> None:
    text = RAY.format(name="ValueError") + "ValueError: expected 2048 columns, got 2047\n"
    found = diagnose(readings=[read_source(origin=Origin(source="driver.log"), text=text)])
    assert found.verdict.cause == "rank-exception"
    assert "Where: a rank on 10.0.0.5." in report.as_text(
        diagnosis=found, is_colored=False, width=100
    )


@pytest.mark.parametrize("name", ["ValueError", "Odd"])
def test_a_wrapper_that_the_log_ends_behind_tells_itself(name: str) -> None:
    text = RAY.format(name=name)
    told = [
        e
        for e in read_source(origin=Origin(source="driver.log"), text=text).events
        if e.role is Role.INITIATING
    ]
    assert [(e.line.host, "RayTaskError" in e.line.text) for e in told] == [("10.0.0.5", True)]
