"""What the waits of many ranks tell together: a save that the others did not live to see end."""

from datetime import datetime, timedelta

import pytest

from apps.diagnosis.model import Event, Observation, Role, SessionFacts
from apps.diagnosis.reasoning.findings.wait_findings import derive
from apps.diagnosis.reasoning.timing.first_stop import failed_at
from tests.diagnosis.events import after, event, watchdog

SAVE = "finding:save-outlasted-timeout"


def _signs(*told: Event) -> set[str]:
    found = derive(events=told, instant=lambda one: (one.line.at, timedelta(0)))
    return {one.sign for one in found}


def _said(sign: str, at: datetime | None, number: int = 1, **fields: str) -> Event:
    return event(sign, at=at, role=Role.PROGRESS, host="n0", number=number, fields=fields)


def _waits() -> list[Event]:
    return [watchdog(rank, at=after(600), host=f"n{rank}") for rank in range(1, 8)]


@pytest.mark.parametrize("sign", ["megatron-save-start", "hf-ckpt-save", "lightning-ckpt-save"])
def test_a_save_that_never_ended_is_what_the_others_waited_for(sign: str) -> None:
    assert SAVE in _signs(_said(sign, after(-1)), *_waits())


def test_a_save_that_ended_after_the_others_gave_up_came_too_late() -> None:
    ended = _said("megatron-save-done", after(590), number=2)
    assert SAVE in _signs(_said("megatron-save-start", after(-1)), ended, *_waits())


@pytest.mark.parametrize(("seconds", "expected"), [("611.2", {SAVE}), ("41.5", set())])
def test_the_length_that_a_save_states_tells_whether_it_was_waited_for(
    seconds: str, expected: set[str]
) -> None:
    assert _signs(_said("torchtitan-ckpt", after(603), secs=seconds), *_waits()) == expected


@pytest.mark.parametrize("sign", ["megatron-save-done", "megatron-iteration"])
def test_a_save_after_which_the_session_went_on_stopped_nobody(sign: str) -> None:
    begun = _said("megatron-save-start", after(-60))
    assert _signs(begun, _said(sign, after(-20), number=2), *_waits()) == set()


def test_a_step_of_the_same_second_that_stands_before_the_save_does_not_follow_it() -> None:
    step = _said("megatron-iteration", after(0), number=4)
    assert SAVE in _signs(step, _said("megatron-save-start", after(0), number=5), *_waits())


def test_the_failure_began_when_the_longest_wait_did_however_long_it_was() -> None:
    wait = watchdog(1, at=after(3600), host="n1", duration_ms="3600000")
    told = [
        Observation(sign=one.signature, role=one.role, layer=None, at=after(3600), events=(one,))
        for one in (wait, event("pg-ops-failed", at=after(3600)))
    ]
    assert failed_at(observations=told, facts=SessionFacts()) == after(0)


def test_who_waits_in_the_same_collective_is_not_held_up_by_a_save() -> None:
    everybody = [watchdog(0, at=after(600), host="n0"), *_waits()]
    assert _signs(_said("megatron-save-start", after(-1)), *everybody) == set()


def test_a_save_holds_up_nobody_where_those_who_write_it_wait_like_the_rest() -> None:
    save = event("megatron-save-start", at=after(-1), role=Role.PROGRESS, host="n0", rank=1)
    both = [watchdog(rank, at=after(600), host=f"n{rank}") for rank in (0, 1)]
    assert _signs(save, *both) == set()
    for one in both:
        assert _signs(save, one) == {SAVE}


def test_a_save_is_no_cause_of_a_collective_that_broke_off_by_an_error_of_its_own() -> None:
    error = event(
        "nccl-result-remote",
        at=after(40),
        rank=4,
        text="[Rank 4] Process group watchdog thread terminated with exception: NCCL error: x",
    )
    ambiguous = event("pg-exception-detected-v24", at=after(40), rank=4, number=2)
    begun = _said("megatron-save-start", after(-1))
    assert SAVE in _signs(begun, ambiguous)
    assert _signs(begun, ambiguous, error) == set()
    assert SAVE in _signs(begun, ambiguous, error, *_waits())


BUSY = "finding:busy-while-others-waited"


def _evaluates(number: int = 1, rank: int | None = None, at: datetime | None = None) -> Event:
    return event("other-work-begins", at=at, role=Role.CONTEXT, rank=rank, number=number)


@pytest.mark.parametrize("rank", [None, 0])
def test_the_rank_that_evaluates_while_the_others_wait_kept_them_waiting(rank: int | None) -> None:
    assert BUSY in _signs(_evaluates(rank=rank, at=after(-1)), *_waits())


def test_work_that_waiting_ranks_do_too_or_that_was_over_keeps_nobody_waiting() -> None:
    shared = _evaluates(rank=3, at=after(-1))
    assert BUSY not in _signs(shared, *_waits())
    assert BUSY not in _signs(_evaluates(at=after(-1)), shared, *_waits())
    begun = _evaluates(number=2, at=after(-60))
    step = event(
        "megatron-iteration", at=after(-20), role=Role.PROGRESS, number=3, fields={"rank": "0"}
    )
    assert BUSY not in _signs(begun, step, *_waits())
    assert BUSY not in _signs(_evaluates(at=after(700)), *_waits())
    assert BUSY not in _signs(_evaluates(at=after(-1)), *_waits()[:1])


def test_a_bar_of_the_other_work_is_no_step_after_it() -> None:
    bar = event("hf-trainer-tqdm", at=after(60), role=Role.PROGRESS, number=9)
    assert BUSY in _signs(_evaluates(number=2, at=after(-1)), bar, *_waits())
