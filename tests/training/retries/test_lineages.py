"""Which attempts are retries of which: by what is told, by name, time and hosts."""

import random
from datetime import timedelta

import pytest

from apps.diagnosis.model import EndState
from apps.training.retries.attempt_runs import AttemptRun
from apps.training.retries.lineages import lineages
from tests.training.retries.runs import HOSTS, attempt, crashing


def names(*runs: AttemptRun) -> list[list[str]]:
    return [[run.name for run in line] for line in lineages(runs)]


def test_starts_of_one_job_after_its_stops_are_one_line() -> None:
    assert names(*crashing(3)) == [["a0", "a1", "a2", "a3"]]


def test_order_and_doubles_change_nothing() -> None:
    runs = [*crashing(9), *(attempt(f"b{at}", at, at + 1, job="other") for at in range(9))]
    shuffled = random.Random(3).sample(runs * 2, 2 * len(runs))  # noqa: S311  an order

    assert lineages(shuffled) == lineages(runs)


@pytest.mark.parametrize("other", [{"job": "b"}, {"project": "b"}, {"owner": "b"}])
def test_another_job_project_or_owner_is_no_retry(other: dict[str, str]) -> None:
    assert names(attempt("a", 0, 10), attempt("b", 20, 30, **other)) == [["a"], ["b"]]


@pytest.mark.parametrize("end", [EndState.FINISHED, EndState.CANCELLED, EndState.WALLTIME])
def test_what_was_meant_to_end_has_no_retry(end: EndState) -> None:
    assert names(attempt("a", 0, 10, end=end), attempt("b", 12, 30)) == [["a"], ["b"]]


def test_a_start_long_after_the_stop_is_no_retry() -> None:
    assert names(attempt("a", 0, 10), attempt("b", 10 + 12 * 60 + 1, None)) == [["a"], ["b"]]


def test_an_automatic_start_has_half_an_hour() -> None:
    late = attempt("b", 41, 50, is_automatic=True)

    assert names(attempt("a", 0, 10), late) == [["a"], ["b"]]


def test_the_start_on_the_same_hosts_is_the_retry_of_two_that_fit() -> None:
    others = frozenset(f"{host}-x" for host in HOSTS)
    first, second = attempt("a", 0, 10), attempt("b", 0, 10, hosts=others)
    again_b, again_a = attempt("c", 12, 20, hosts=others), attempt("d", 13, 20)

    assert names(first, second, again_b, again_a) == [["a", "d"], ["b", "c"]]


def test_a_small_job_may_come_back_anywhere() -> None:
    there, here = frozenset({"gpu001"}), frozenset({"gpu002"})

    assert names(attempt("a", 0, 10, hosts=there), attempt("b", 12, 20, hosts=here)) == [["a", "b"]]


def test_what_a_scheduler_counts_or_names_holds_whatever_the_hosts() -> None:
    there = frozenset(f"far{number}" for number in range(8))
    counted = attempt("b", 90, 100, session="17", number=2, hosts=there)
    named = attempt("c", 5000, 5010, retry_of="b", hosts=there)

    assert names(attempt("a", 0, 10, session="17", number=1), counted, named) == [["a", "b", "c"]]


def test_nothing_is_a_retry_of_what_started_later() -> None:
    runs = [attempt("a", 0, 10, retry_of="b", end=EndState.FINISHED), attempt("b", 20, 30)]

    assert names(*runs) == [["a"], ["b"]]


def test_clocks_may_differ_by_a_minute() -> None:
    early = attempt("b", 10, 30)
    (line,) = lineages([attempt("a", 0, 10.5), early])

    assert line[0].ends_at is not None
    assert line[1].starts_at - line[0].ends_at == timedelta(seconds=-30)
