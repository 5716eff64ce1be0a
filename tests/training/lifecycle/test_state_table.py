"""The table of states: every word of the schedulers has a lane, a new one is not lost."""

import pytest

from apps.diagnosis.model import EndState
from apps.training.lifecycle.state_table import Lane, known_results, known_states, meaning_of

BACKEND_AI = (
    *("PENDING", "DEPRIORITIZING", "RESERVED", "SCHEDULED", "PREPARING", "PULLING", "PREPARED"),
    *("CREATING", "RUNNING", "RESTARTING", "RUNNING_DEGRADED", "PREEMPTED", "RESCHEDULING"),
    *("TERMINATING", "TERMINATED", "ERROR", "CANCELLED"),
)


def test_all_seventeen_states_of_backend_ai_have_a_lane_of_their_own_meaning() -> None:
    lanes = [meaning_of(scheduler="backend.ai", word=word) for word in BACKEND_AI]
    assert len(BACKEND_AI) == 17
    assert all(each.is_known for each in lanes)
    assert {each.lane for each in lanes} == {*Lane} - {Lane.SUSPENDED, Lane.UNKNOWN}


@pytest.mark.parametrize(
    ("scheduler", "word", "lane", "state"),
    [
        ("slurm", "PD", Lane.QUEUE, None),
        ("slurm", "CONFIGURING", Lane.START, None),
        ("slurm", "SUSPENDED", Lane.SUSPENDED, None),
        ("slurm", "TIMEOUT", Lane.END, EndState.WALLTIME),
        ("Slurm", "node_fail", Lane.END, EndState.FAILED),
        ("kubernetes", "Pulling", Lane.START, None),
        ("kubernetes", "BackOff", Lane.RESTARTING, None),
        ("kubernetes", "Evicted", Lane.END, EndState.PREEMPTED),
        ("backendai", "RUNNING_DEGRADED", Lane.DEGRADED, EndState.RUNNING),
        ("", "running", Lane.RUN, EndState.RUNNING),
        ("openpbs", "finished", Lane.END, EndState.FINISHED),
        ("", "CrashLoopBackOff", Lane.RESTARTING, None),
    ],
)
def test_words_of_schedulers_stand_in_their_lanes(
    scheduler: str, word: str, lane: Lane, state: EndState | None
) -> None:
    found = meaning_of(scheduler=scheduler, word=word)
    assert (found.lane, found.state) == (lane, state)


@pytest.mark.parametrize(
    ("scheduler", "word"), [("slurm", "HIBERNATING"), ("slurm", "PULLING"), ("", "Q"), ("x", "")]
)
def test_a_word_that_nobody_knows_is_told_apart_and_ends_nothing(scheduler: str, word: str) -> None:
    found = meaning_of(scheduler=scheduler, word=word)
    assert (found.lane, found.is_known, found.is_over) == (Lane.UNKNOWN, False, False)


def test_no_word_of_a_scheduler_is_in_two_lanes() -> None:
    words = [(scheduler, word.casefold()) for scheduler, word, _meaning in known_states()]
    assert len(words) == len(set(words))


def test_the_results_of_a_coordinator_are_the_five() -> None:
    assert known_results() == ("SUCCESS", "NEED_RETRY", "EXPIRED", "GIVE_UP", "SKIPPED")
