"""Copies of a process say what they find, and change nothing here."""

import os
import time
from threading import Event

import pytest

from tests.mutants.forks import at_most, in_fork


def test_a_fork_says_what_it_finds_and_changes_nothing_here() -> None:
    here: list[str] = []

    def noticed() -> str:
        here.append("there")
        return here[-1]

    assert (in_fork(noticed, if_dead=""), here) == ("there", [])


def test_a_fork_that_dies_is_told_apart_and_one_that_cannot_run_is_an_error() -> None:
    assert in_fork(lambda: os._exit(3), if_dead="ended") == "ended"
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        in_fork(lambda: 1 // 0, if_dead=0)


def test_what_takes_longer_than_it_may_fails() -> None:
    begun = time.monotonic()
    with at_most(0.1), pytest.raises(pytest.fail.Exception):
        Event().wait(10)
    assert time.monotonic() < begun + 5
