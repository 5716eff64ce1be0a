"""Ended or cleaned up: what came first decides; what the session lived through dates nothing."""

from datetime import timedelta

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import (
    Diagnosis,
    EndState,
    Event,
    Layer,
    Observation,
    Origin,
    Role,
    Severity,
    VerdictStatus,
)
from apps.diagnosis.reasoning.findings.ending_findings import derive
from apps.diagnosis.reasoning.observations.survived import without_survived
from apps.diagnosis.signatures.read import read_source
from tests.diagnosis.events import after, event, readings, watchdog


def _order(seconds: float) -> Event:
    return event(
        "torchrun-death-signal",
        at=after(seconds),
        host="n2",
        role=Role.INITIATING,
        layer=Layer.HOST,
        causes=("process-killed",),
    )


def _found(*told: Event) -> list[Observation]:
    return derive(events=told, instant=lambda one: (one.line.at, timedelta(seconds=2)))


def test_workers_told_to_end_after_a_failure_were_cleaned_up() -> None:
    waits = [watchdog(rank, at=after(0), host="n1") for rank in range(8)]
    assert [one.sign for one in _found(*waits, _order(9))] == ["finding:failed-before-told-to-end"]


def test_errors_after_the_order_are_its_echo() -> None:
    closed = event("nccl-socket-closed", at=after(12), host="n1", rank=1)
    assert _found(_order(0), closed) == []


@pytest.mark.parametrize("code", ["-15", "143", "130"])
def test_a_worker_that_obeyed_has_not_failed(code: str) -> None:
    obeyed = event(
        "torchrun-fail-exitcode", at=after(-1), role=Role.CONFIRMATION, host="n1", exitcode=code
    )
    assert _found(obeyed, _order(0)) == []


def test_a_signal_after_the_failure_is_not_what_ended_the_session() -> None:
    waits = [watchdog(rank, at=after(600), host=f"n{rank // 8 + 1}") for rank in range(16)]
    diagnosis = diagnose(readings=readings([*waits, _order(640)]))
    assert diagnosis.verdict.cause == "unknown"


def _seen(sign: str, seconds: float, role: Role) -> Observation:
    at = after(seconds)
    return Observation(sign=sign, role=role, layer=None, at=at, last_at=at)


def test_words_of_failure_after_which_steps_went_on_date_no_failure() -> None:
    early = _seen("nccl-socket-connect-retry", 0, Role.CASCADE)
    step = _seen("megatron-iteration", 3600, Role.PROGRESS)
    stop = _seen("pg-watchdog-timeout", 4200, Role.CASCADE)
    assert without_survived(observations=[early, step, stop]) == [step, stop]


def test_a_step_printed_right_after_the_first_sign_takes_nothing_away() -> None:
    first = _seen("nccl-socket-closed", 0, Role.CASCADE)
    step = _seen("megatron-iteration", 20, Role.PROGRESS)
    assert without_survived(observations=[first, step]) == [first, step]


def test_the_only_sign_of_failure_is_kept_even_if_somebody_went_on() -> None:
    only = _seen("nccl-socket-closed", 0, Role.CASCADE)
    step = _seen("megatron-iteration", 3600, Role.PROGRESS)
    assert without_survived(observations=[only, step]) == [only, step]


def test_severity_alone_makes_no_failure() -> None:
    harmless = event("nccl-ib-speed-change", at=after(-60), host="n1", role=Role.CONTEXT)
    assert harmless.severity is Severity.ERROR
    assert _found(harmless, _order(0)) == []


@pytest.mark.parametrize(("error", "signs"), [(60, 1), (1, 0)])
def test_clocks_that_blur_the_order_leave_an_exit_of_its_own_before_the_signal(
    error: float, signs: int
) -> None:
    left = event(
        "torchrun-fail-exitcode", at=after(100), role=Role.CONFIRMATION, host="n1", exitcode="1"
    )
    found = derive(
        events=[left, _order(0)], instant=lambda one: (one.line.at, timedelta(seconds=error))
    )
    assert len(found) == signs


DELETED = "Normal  Killing  10s  kubelet  Stopping container pytorch"
DEADLINE = (
    "Warning  DeadlineExceeded  2m  job-controller  Job was active longer than specified deadline"
)


def _of_pod(*lines: str) -> Diagnosis:
    origin = Origin(source="pods.txt")
    return diagnose(readings=[read_source(origin=origin, text="\n".join(lines))])


@pytest.mark.parametrize(
    ("said", "end"), [(DELETED, EndState.CANCELLED), (DEADLINE, EndState.WALLTIME)]
)
def test_a_pod_that_was_stopped_in_order_has_not_failed(said: str, end: EndState) -> None:
    found = _of_pod("Exit Code:    143", said)
    assert found.end_state is end
    assert found.verdict.status is VerdictStatus.NO_FAILURE


def test_a_pod_that_is_deleted_when_it_had_failed_or_finished_was_cleaned_up() -> None:
    assert _of_pod("Exit Code:    139", DELETED).end_state is EndState.FAILED
    assert _of_pod("      Reason:       Completed", DELETED).end_state is EndState.FINISHED


def test_a_call_that_ran_out_of_time_is_no_time_limit_of_the_job() -> None:
    said = "rpc error: code = DeadlineExceeded desc = context deadline exceeded"
    assert _of_pod(said, "Exit Code:    1").end_state is EndState.FAILED


def test_the_launcher_that_counts_ranks_names_the_host_of_the_one_that_was_killed() -> None:
    said = (
        "mpirun noticed that process rank 15 with PID 4021 on node n05 exited on signal 9 (Killed)."
    )
    verdict = _of_pod(said).verdict
    assert {(one.host, one.rank) for one in verdict.culprits} == {("n05", 15)}
    without = said.replace(" on node n05", "")
    assert {(one.host, one.rank) for one in _of_pod(without).verdict.culprits} == {(None, 15)}


def test_what_a_line_names_as_an_example_did_not_happen() -> None:
    advice = "The tasks failed. See the scheduler's events (e.g. preemption, eviction) for more."
    assert _of_pod(advice).verdict.status is VerdictStatus.UNKNOWN
    assert _of_pod("The tasks failed: preemption").verdict.cause == "process-killed"


KILLED = "srun: error: n3: task 18: Killed"
TOLD = "srun: error: n1: tasks 0-7: Terminated\nsrun: error: n3: tasks 16-17,19-23: Terminated"


def test_the_task_that_was_killed_before_all_others_were_ended_is_named() -> None:
    verdict = _of_pod(KILLED, TOLD).verdict
    assert verdict.layer is Layer.HOST
    assert {one.host for one in verdict.culprits} == {"n3"}


@pytest.mark.parametrize(
    "rows",
    [
        (TOLD, KILLED),
        (KILLED.replace("task 18", "tasks 16-18"), TOLD),
        (KILLED, TOLD.replace("0-7: Terminated", "0-7: Aborted")),
        (KILLED,),
    ],
)
def test_tasks_that_were_finished_off_name_nobody(rows: tuple[str, ...]) -> None:
    assert _of_pod(*rows).verdict.status is VerdictStatus.UNKNOWN
