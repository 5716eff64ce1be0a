"""How a session ended, by the words of programs, launchers and schedulers."""
# ruff: noqa: E501  lines of logs keep their length

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Diagnosis, EndState, Origin, Stream
from apps.diagnosis.signatures.read import read_source

STEP = " [2026-11-09 03:{0:02}:00] iteration {1}/  500 | consumed samples: 5 | elapsed time per iteration (ms): 8.0 |"
SACCT = "JobID|State|End"


def said(**texts: str) -> Diagnosis:
    readings = [
        read_source(origin=Origin(source=name, stream=Stream(name)), text=text)
        for name, text in texts.items()
    ]
    return diagnose(readings=readings)


def steps(*numbers: int) -> str:
    return "\n".join(STEP.format(minute, number) for minute, number in enumerate(numbers))


@pytest.mark.parametrize(
    "line",
    [
        "{'train_runtime': 910.2, 'train_samples_per_second': 1.1}",
        "`Trainer.fit` stopped: `max_steps=500` reached.",
        "exiting program at iteration 500",
        "[titan] 2026-11-09 03:12:44,123 - root - INFO - Training completed",
        "[2026-11-09 03:12:44,123] [INFO] [launch.py:351:main] Process 4021 exits successfully.",
        "# Avg bus bandwidth    : 141.223 ",
        "# Collective test concluded: all_reduce_perf",
        "I1109 03:12:44.301000 4021 torch/distributed/elastic/agent/server/api.py:866] [default] worker group successfully finished. Waiting 300 seconds for other agents to finish.",
        '{"status": {"phase": "Succeeded"}}',
        "      Reason:       Completed",
        "Job 'raysubmit_9fQz' succeeded",
        "2026-11-20 03:04:05.123 INFO ai.backend.manager.registry [811] session_terminated: s:6d0d reason=self-terminated status=TERMINATED result=SUCCESS",
    ],
)
def test_a_closing_word_means_finished(line: str) -> None:
    assert said(session=f"{steps(400)}\n{line}").end_state is EndState.FINISHED


def test_the_last_step_of_all_is_the_end_and_any_other_is_not() -> None:
    assert said(session=steps(498, 499, 500)).end_state is EndState.FINISHED
    assert said(session=steps(497, 498, 499)).end_state is EndState.RUNNING


def test_a_benchmark_that_printed_results_last_has_finished() -> None:
    result = " duration: 0.7081 sec\n algo throughput: 90.3886 Gbps\n busbw: 84.7394  Gbps"
    assert said(session=result).end_state is EndState.FINISHED
    again = "n7:91:95 [0] NCCL INFO ncclCommInitRank comm 0x5 rank 0 nranks 4 cudaDev 0 busId c1000 - Init START"
    assert said(session=f"{result}\n{again}").end_state is EndState.UNKNOWN


def test_a_result_does_not_hide_a_failure() -> None:
    text = " busbw: 84.7394  Gbps\n[rank3]:[E1109 03:12:44.5 ProcessGroupNCCL.cpp:683] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE, NumelIn=64, NumelOut=64, Timeout(ms)=600000) ran for 600005 milliseconds before timing out."
    assert said(session=text).end_state is not EndState.UNKNOWN
    assert said(session=text).verdict.status.value != "no-failure"


@pytest.mark.parametrize(
    ("state", "end"),
    [
        ("COMPLETED", EndState.FINISHED),
        ("TIMEOUT", EndState.WALLTIME),
        ("DEADLINE", EndState.WALLTIME),
        ("CANCELLED by 1004", EndState.CANCELLED),
        ("PREEMPTED", EndState.PREEMPTED),
        ("NODE_FAIL", EndState.FAILED),
        ("OUT_OF_MEMORY", EndState.FAILED),
        ("RUNNING", EndState.RUNNING),
    ],
)
def test_the_accounting_names_the_end(state: str, end: EndState) -> None:
    found = said(session=steps(400), scheduler=f"{SACCT}\n501|{state}|2026-11-09T04:00:00")
    assert found.end_state is end


def test_of_many_jobs_only_the_one_that_the_session_names_counts() -> None:
    table = f"{SACCT}\n501|TIMEOUT|2026-11-09T04:00:00\n502|COMPLETED|2026-11-09T04:00:00"
    assert said(session=steps(400), scheduler=table).end_state is EndState.RUNNING
    named = f"{steps(400)}\nslurmstepd: error: *** STEP 501.0 ON n1 FAILED (non-zero exit code or other failure mode) ***"
    assert said(session=named, scheduler=table).end_state is EndState.WALLTIME


def test_of_a_requeued_job_the_last_attempt_counts() -> None:
    table = f"{SACCT}\n501|NODE_FAIL|2026-11-09T04:00:00\n501|COMPLETED|2026-11-09T09:00:00"
    assert said(session=steps(400), scheduler=table).end_state is EndState.FINISHED


def test_a_job_shown_by_scontrol_has_a_state() -> None:
    shown = "JobId=501 JobName=llm\n   JobState=RUNNING Reason=None Dependency=(null)"
    assert said(session=steps(400), scheduler=shown).end_state is EndState.RUNNING


def test_a_failure_that_a_later_attempt_lived_through_is_not_the_end() -> None:
    first = f"{steps(1, 2)}\nFileNotFoundError: [Errno 2] No such file or directory: '/a.yaml'"
    again = f"{steps(3, 4, 5)}\n[after training is done] datetime: 2026-11-09 03:12:44 "
    found = said(session=f"{first}\n{again}")
    assert (found.end_state, found.verdict.status.value) == (EndState.FINISHED, "no-failure")
    other = said(session=f"{again}\n{first}")
    assert other.end_state is EndState.FAILED
