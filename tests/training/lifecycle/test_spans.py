"""Lanes of an attempt: whatever the order of reports, each instant stands in one lane."""

import random
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from apps.training.lifecycle.spans import AttemptLifecycle, attempt_lifecycle
from apps.training.lifecycle.state_table import LifecycleLane
from apps.training.lifecycle.states import LifecycleState
from tests.cast.lifecycle_states import known_states

START = datetime(2026, 11, 22, 12, tzinfo=UTC)
WORDS = list(known_states())


def at(minutes: float) -> datetime:
    """Return an instant of the story."""
    return START + timedelta(minutes=minutes)


def said(
    word: str,
    minutes: float,
    *,
    source: str = "platform",
    scheduler: str = "slurm",
    member: str = "",
    is_claimed: bool = False,
) -> LifecycleState:
    """Return a state that was reported."""
    return LifecycleState(
        word=word,
        at=at(minutes),
        source=source,
        scheduler=scheduler,
        member=member,
        is_claimed=is_claimed,
    )


def drawn(found: AttemptLifecycle) -> list[tuple[str, float, float | None]]:
    """Return lanes with the minutes of their begin and end."""

    def minutes(when: datetime | None) -> float | None:
        return None if when is None else (when - START).total_seconds() / 60

    return [
        (str(span.lane), minutes(span.starts_at) or 0.0, minutes(span.ends_at))
        for span in found.spans
    ]


def test_a_job_waits_starts_runs_and_ends() -> None:
    found = attempt_lifecycle(
        [
            said("PENDING", 0),
            said("CONFIGURING", 5),
            said("RUNNING", 6),
            said("COMPLETING", 66),
            said("NODE_FAIL", 67),
        ],
        ended_at=at(67),
    )
    assert drawn(found) == [("queue", 0, 5), ("start", 5, 6), ("run", 6, 66), ("end", 66, 67)]
    assert found.end is not None
    assert found.end.word == "NODE_FAIL"


def test_two_parties_with_other_words_and_clocks_make_one_story() -> None:
    platform = [said("PENDING", 0), said("RUNNING", 5), said("COMPLETED", 65)]
    tenant = [
        said("running", 4.9, source="tenant", scheduler=""),
        said("finished", 65.2, source="tenant", scheduler=""),
    ]
    found = attempt_lifecycle([*platform, *tenant], started_at=at(4.9), ended_at=at(65))
    assert drawn(found) == [("queue", 0, 5), ("run", 5, 65), ("end", 65, 65)]


def test_another_party_fills_in_what_the_one_that_tells_most_does_not() -> None:
    queue = [said("PENDING", 0, source="tenant")]
    run = [said("CONFIGURING", 4), said("RUNNING", 5)]
    end = [said("FAILED", 9, source="operator")]
    found = attempt_lifecycle([*queue, *run, *end], ended_at=at(9))
    assert [lane for lane, _from, _to in drawn(found)] == ["queue", "start", "run", "end"]


def test_a_claim_counts_only_where_nobody_asserts() -> None:
    claim = [said("PENDING", 0, is_claimed=True), said("RUNNING", 1, is_claimed=True)]
    alone = attempt_lifecycle(claim)
    assert [span.is_claimed for span in alone.spans] == [True, True]
    beside = attempt_lifecycle([*claim, said("RUNNING", 3, source="operator")])
    assert drawn(beside) == [("run", 3, None)]


def test_without_states_the_reported_times_are_the_run() -> None:
    assert drawn(attempt_lifecycle([], started_at=at(0), ended_at=at(9))) == [("run", 0, 9)]
    assert drawn(attempt_lifecycle([], started_at=at(0))) == [("run", 0, None)]
    assert drawn(attempt_lifecycle([])) == []


def test_a_known_start_stands_between_the_queue_and_the_end() -> None:
    found = attempt_lifecycle(
        [said("PENDING", 0), said("COMPLETED", 9)], started_at=at(2), ended_at=at(9)
    )
    assert drawn(found) == [("queue", 0, 2), ("run", 2, 9), ("end", 9, 9)]


def test_an_unknown_state_is_kept_as_it_was_said() -> None:
    found = attempt_lifecycle([said("PENDING", 0), said("HIBERNATING", 3), said("RUNNING", 5)])
    assert [(str(span.lane), span.word) for span in found.spans] == [
        ("queue", "PENDING"),
        ("unknown", "HIBERNATING"),
        ("run", "RUNNING"),
    ]


def test_it_may_be_suspended_and_go_on() -> None:
    found = attempt_lifecycle(
        [said("RUNNING", 0), said("SUSPENDED", 4), said("RUNNING", 6), said("SUSPENDED", 9)]
    )
    assert drawn(found) == [
        ("run", 0, 4),
        ("suspended", 4, 6),
        ("run", 6, 9),
        ("suspended", 9, None),
    ]
    assert found.seconds_in(LifecycleLane.RUN, now=at(20)) == 7 * 60
    assert found.seconds_in(LifecycleLane.SUSPENDED, now=at(20)) == 13 * 60
    assert found.seconds_in(LifecycleLane.QUEUE, now=at(20)) is None


def test_pods_are_as_far_as_the_slowest_and_end_with_the_first() -> None:
    states = [
        said(word, minutes, scheduler="kubernetes", member=pod)
        for pod, late in (("w-0", 0.0), ("w-1", 2.0))
        for word, minutes in (("Scheduled", late), ("Pulling", late + 1), ("Started", late + 3))
    ]
    created = said("SuccessfulCreate", -1, scheduler="kubernetes")
    ended = said("OOMKilled", 60, scheduler="kubernetes", member="w-1")
    found = attempt_lifecycle([created, *states, ended], ended_at=at(60))
    assert drawn(found)[-3:] == [("start", 0, 5), ("run", 5, 60), ("end", 60, 60)]


def test_a_pod_in_the_place_of_one_that_ended_runs_on() -> None:
    told = (("w-0", "Started", 0), ("w-0", "Error", 9), ("w-1", "Scheduled", 10))
    states = [
        said(word, minutes, scheduler="kubernetes", member=pod)
        for pod, word, minutes in (*told, ("w-1", "Started", 12))
    ]
    lanes = [lane for lane, _from, _to in drawn(attempt_lifecycle(states))]
    assert lanes == ["run", "end", "start", "run"]


@given(
    st.lists(
        st.builds(
            lambda word, minutes, source, member: said(
                word[1], minutes, source=source, scheduler=word[0], member=member
            ),
            st.sampled_from([*WORDS, ("slurm", "HIBERNATING")]),
            st.integers(0, 30),
            st.sampled_from(["operator", "platform", "tenant"]),
            st.sampled_from(["", "", "w-0", "w-1"]),
        ),
        max_size=12,
    ),
    st.randoms(use_true_random=False),
)
def test_order_and_doubles_change_nothing_and_no_time_is_in_two_lanes(
    states: list[LifecycleState], chance: random.Random
) -> None:
    found = attempt_lifecycle(states, started_at=at(3), ended_at=at(31))
    mixed = [*states, *states[:4]]
    chance.shuffle(mixed)
    assert attempt_lifecycle(mixed, started_at=at(3), ended_at=at(31)) == found
    for before, after in pairwise(found.spans):
        assert before.ends_at == after.starts_at
    for span in found.spans:
        assert span.ends_at is not None
        assert span.ends_at >= span.starts_at
