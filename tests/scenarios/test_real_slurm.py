"""The log of a real slurmctld 22.05 beside the output of jobs that ended in its different ways.

Recorded by tests/live/test_slurm.py: n4's daemon was killed, n5 was set down, n2 made room.
"""

import io
import json
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest
from django.core.management import call_command

RECORDED: Final = Path(__file__).parent / "slurm_22_05"
TRACE: Final = """2026-11-22 20:59:30,120 INFO train: step 100 loss 2.31
Traceback (most recent call last):
  File "/app/train.py", line 33, in main
    data = open(path)
FileNotFoundError: [Errno 2] No such file or directory: '/data/shard-0017.bin'
"""


def diagnosed(folder: Path, output: str, name: str, scheduler: str = "") -> dict[str, Any]:
    """Diagnose a job's output beside the controller's log, or beside another log of it."""
    told = scheduler or (RECORDED / "slurmctld.log").read_text()
    for path, text in ((f"session/{name}", output), ("scheduler/slurmctld.log", told)):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    out = io.StringIO()
    with suppress(SystemExit):
        call_command("diagnose", str(folder), "--format", "json", stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


@pytest.mark.parametrize(
    ("job", "state", "cause", "host"),
    [
        (4101, "walltime", "process-killed", None),
        (4102, "failed", "node-unreachable", "n4"),
        (4103, "failed", "node-unreachable", "n5"),
        (4105, "preempted", "process-killed", None),
        (4108, "cancelled", "process-killed", None),
        (4114, "failed", "host-oom", None),
    ],
)
def test_each_job_ends_as_it_did(
    tmp_path: Path, job: int, state: str, cause: str, host: str | None
) -> None:
    name = f"slurm-{job}.out"
    found = diagnosed(tmp_path, (RECORDED / name).read_text(), name)

    assert (found["end_state"], found["verdict"]["cause"]) == (state, cause)
    hosts = [each["host"] for each in found["verdict"]["culprits"]]
    assert host is None or hosts == [host]


@pytest.mark.parametrize("job", ["4107", "4111_2", "4117", "4112", "4120"])
def test_the_end_of_no_other_job_is_its_own(tmp_path: Path, job: str) -> None:
    name = f"slurm-{job}.out"
    alone = diagnosed(tmp_path / "alone", TRACE, name, scheduler="\n")
    both = diagnosed(tmp_path / "both", TRACE, name)

    assert alone["end_state"] == both["end_state"] == "failed"
    assert alone["verdict"]["cause"] == both["verdict"]["cause"] != ""
    assert both["restart"] == alone["restart"]


ARRAY: Final = """[2026-11-22T20:59:25.433] sched: Allocate JobId=812_3(815) NodeList=n6 #CPUs=1 Partition=low
[2026-11-22T20:59:25.433] sched: Allocate JobId=812_4(816) NodeList=n6 #CPUs=1 Partition=low
[2026-11-22T20:59:26.433] sched: Allocate JobId=812_5(812) NodeList=n6 #CPUs=1 Partition=low
"""  # noqa: E501
LIMIT: Final = "[2026-11-22T20:59:31.000] Time limit exhausted for JobId={}\n"
KILLED: Final = "[2026-11-22T20:59:31.000] _slurm_rpc_kill_job: REQUEST_KILL_JOB JobId={} uid 0\n"
STEP: Final = "2026-11-22 20:59:{:02d},120 INFO train: step {} loss 2.31\n"
RUN: Final = "".join(STEP.format(second, second) for second in range(26, 31))


@pytest.mark.parametrize("name", ["slurm-812_3.out", "slurm-815.out"])
@pytest.mark.parametrize(
    ("line", "state"),
    [
        (LIMIT.format("812_3(815)"), "walltime"),
        (LIMIT.format("812_4(816)"), "running"),
        (LIMIT.format("812_5(812)"), "running"),
        (KILLED.format("812"), "cancelled"),
        (KILLED.format("812_4"), "running"),
    ],
)
def test_a_task_of_an_array_ends_by_its_own_line_or_that_of_the_whole(
    tmp_path: Path, name: str, line: str, state: str
) -> None:
    assert diagnosed(tmp_path, RUN, name, scheduler=ARRAY + line)["end_state"] == state


def test_a_controller_that_was_stopped_ended_no_job(tmp_path: Path) -> None:
    told = "[2026-11-22T20:59:30.500] Terminate signal (SIGINT or SIGTERM) received\n"
    alone = diagnosed(tmp_path / "alone", RUN, "slurm-815.out", scheduler=ARRAY)
    both = diagnosed(tmp_path / "both", RUN, "slurm-815.out", scheduler=ARRAY + told)

    assert both["end_state"] == alone["end_state"]
    assert both["verdict"] == alone["verdict"]


def test_the_limit_that_slurm_itself_watches_is_a_lack_of_memory(tmp_path: Path) -> None:
    output = """slurmstepd: error: StepId=815.batch exceeded memory limit (166338560 > 62914560), being killed
slurmstepd: error: Exceeded job memory limit
slurmstepd: error: *** JOB 815 ON n6 CANCELLED AT 2026-11-22T20:59:31 ***
"""  # noqa: E501
    found = diagnosed(tmp_path, output, "slurm-815.out", scheduler=ARRAY)

    assert (found["end_state"], found["verdict"]["cause"]) == ("failed", "host-oom")
