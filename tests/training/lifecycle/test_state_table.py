"""The table of states: every word of the schedulers has a lane, a new one is not lost."""

import pytest

from apps.diagnosis.model import EndState
from apps.training.lifecycle.state_table import LifecycleLane, known_results, meaning_of
from tests.cast.lifecycle_states import known_states

BACKEND_AI = (
    *("PENDING", "DEPRIORITIZING", "RESERVED", "SCHEDULED", "PREPARING", "PULLING", "PREPARED"),
    *("CREATING", "RUNNING", "RESTARTING", "RUNNING_DEGRADED", "PREEMPTED", "RESCHEDULING"),
    *("TERMINATING", "TERMINATED", "ERROR", "CANCELLED"),
)


def test_all_seventeen_states_of_backend_ai_have_a_lane_of_their_own_meaning() -> None:
    lanes = [meaning_of(scheduler="backend.ai", word=word) for word in BACKEND_AI]
    assert len(BACKEND_AI) == 17
    assert all(each.is_known for each in lanes)
    assert {each.lane for each in lanes} == {*LifecycleLane} - {
        LifecycleLane.SUSPENDED,
        LifecycleLane.UNKNOWN,
    }


@pytest.mark.parametrize(
    ("scheduler", "word", "lane", "state"),
    [
        ("slurm", "PD", LifecycleLane.QUEUE, None),
        ("slurm", "CONFIGURING", LifecycleLane.START, None),
        ("slurm", "SUSPENDED", LifecycleLane.SUSPENDED, None),
        ("slurm", "TIMEOUT", LifecycleLane.END, EndState.WALLTIME),
        ("Slurm", "node_fail", LifecycleLane.END, EndState.FAILED),
        ("kubernetes", "Pulling", LifecycleLane.START, None),
        ("kubernetes", "BackOff", LifecycleLane.RESTARTING, None),
        ("kubernetes", "Evicted", LifecycleLane.END, EndState.PREEMPTED),
        ("backendai", "RUNNING_DEGRADED", LifecycleLane.DEGRADED, EndState.RUNNING),
        ("", "running", LifecycleLane.RUN, EndState.RUNNING),
        ("openpbs", "finished", LifecycleLane.END, EndState.FINISHED),
        ("", "CrashLoopBackOff", LifecycleLane.RESTARTING, None),
    ],
)
def test_words_of_schedulers_stand_in_their_lanes(
    scheduler: str, word: str, lane: LifecycleLane, state: EndState | None
) -> None:
    found = meaning_of(scheduler=scheduler, word=word)
    assert (found.lane, found.state) == (lane, state)


@pytest.mark.parametrize(
    ("scheduler", "word"), [("slurm", "HIBERNATING"), ("slurm", "PULLING"), ("", "Q"), ("x", "")]
)
def test_a_word_that_nobody_knows_is_told_apart_and_ends_nothing(scheduler: str, word: str) -> None:
    found = meaning_of(scheduler=scheduler, word=word)
    assert (found.lane, found.is_known, found.is_over) == (LifecycleLane.UNKNOWN, False, False)


def test_no_word_of_a_scheduler_is_in_two_lanes() -> None:
    words = [(scheduler, word.casefold()) for scheduler, word in known_states()]
    assert len(words) == len(set(words))


def test_the_results_of_a_coordinator_are_the_five() -> None:
    assert known_results() == ("SUCCESS", "NEED_RETRY", "EXPIRED", "GIVE_UP", "SKIPPED")
