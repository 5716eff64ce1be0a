"""Ended or cleaned up: what came first decides; what the session lived through dates nothing."""

from datetime import timedelta

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Event, Layer, Observation, Role, Severity
from apps.diagnosis.reasoning.findings.ending_findings import derive
from apps.diagnosis.reasoning.observations.survived import without_survived
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
