"""Starts that get nowhere are told by the fourth attempt, and what speaks against another."""

import pytest

from apps.diagnosis.model import EndState
from apps.training.retries.crash_loops import AdviceKind, chain_advice, crash_loop
from apps.training.retries.lineages import lineages
from tests.training.retries.runs import NOW, attempt, crashing


@pytest.mark.parametrize(("starts", "told"), [(2, False), (3, True), (7, True)])
def test_three_starts_without_progress_are_a_loop(starts: int, told: bool) -> None:  # noqa: FBT001
    (line,) = lineages(crashing(starts))
    loop = crash_loop(line, now=NOW)

    assert (loop is not None) is told


def test_a_loop_names_the_fourth_attempt_and_all_it_burnt() -> None:
    (line,) = lineages(crashing(6))
    loop = crash_loop(line, now=NOW)

    assert loop is not None
    assert (loop.attempt.name, loop.attempt_number, loop.retries) == ("a3", 4, 6)
    assert loop.gpu_hours == pytest.approx(6 * 64 / 6)


def test_no_loop_where_a_checkpoint_advanced() -> None:
    runs = [*crashing(2), attempt("a3", 50, 60, last_step=1200, checkpoint_step=1100)]
    runs += [attempt("a4", 70, 80, last_step=1150), attempt("a5", 90, 100, last_step=1150)]
    (line,) = lineages(runs)

    assert crash_loop(line, now=NOW) is None


def test_unknown_progress_is_no_sign_of_none() -> None:
    (line,) = lineages(crashing(8, last_step=None))

    assert crash_loop(line, now=NOW) is None


def test_advice_names_the_host_and_the_cause_that_came_again() -> None:
    (line,) = lineages(crashing(3, cause="gpu-off-bus", blamed_hosts=frozenset({"gpu007"})))
    advice = {each.kind: each for each in chain_advice(line, now=NOW)}

    assert advice[AdviceKind.LEAVE_OUT_HOST].host == "gpu007"
    assert advice[AdviceKind.MEND_CAUSE].cause == "gpu-off-bus"
    assert {each.times for each in advice.values()} == {3}


def test_nothing_again_gives_no_advice() -> None:
    (line,) = lineages(crashing(1, cause="gpu-off-bus"))

    assert chain_advice(line, now=NOW) == []


@pytest.mark.parametrize("cause", ["unknown", "benign"])
def test_a_cause_that_nobody_knows_is_not_the_same_again(cause: str) -> None:
    (line,) = lineages(crashing(3, cause=cause))

    kinds = {each.kind for each in chain_advice(line, now=NOW)}
    assert kinds == {AdviceKind.STOP_RETRYING}


def test_a_cause_that_a_retry_got_past_speaks_against_no_other_start() -> None:
    stopped = crashing(2, cause="gpu-off-bus", blamed_hosts=frozenset({"gpu007"}))
    past = attempt("a3", 50, None, last_step=1200, checkpoint_step=1100, end=EndState.RUNNING)
    (line,) = lineages([*stopped, past])

    advice = chain_advice(line, now=NOW)
    assert [(each.kind, each.host) for each in advice] == [(AdviceKind.LEAVE_OUT_HOST, "gpu007")]


def test_a_cause_that_comes_again_after_that_does() -> None:
    past = attempt("a3", 50, 60, last_step=1200, checkpoint_step=1100, cause="gpu-off-bus")
    again = attempt("a4", 70, 80, cause="gpu-off-bus", last_step=1250)
    (line,) = lineages([*crashing(2, cause="gpu-off-bus"), past, again])

    (advice,) = chain_advice(line, now=NOW)
    assert (advice.kind, advice.times) == (AdviceKind.MEND_CAUSE, 2)
