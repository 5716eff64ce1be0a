"""What one answer reads once: within it the same, outside of it and afterwards read anew."""

from itertools import count

import pytest

from apps.tenancy.one_reading import one_reading, read_once


def test_within_one_reading_each_key_is_read_once() -> None:
    numbers = count()
    with one_reading():
        assert [read_once("a", lambda: next(numbers)) for _ in range(3)] == [0, 0, 0]
        assert read_once("b", lambda: next(numbers)) == 1


def test_the_next_reading_and_who_reads_outside_of_one_read_anew() -> None:
    numbers = count()
    with one_reading():
        assert read_once("a", lambda: next(numbers)) == 0
    with one_reading():
        assert read_once("a", lambda: next(numbers)) == 1
    assert [read_once("a", lambda: next(numbers)) for _ in range(2)] == [2, 3]


def test_a_reading_within_another_keeps_its_own() -> None:
    numbers = count()
    with one_reading():
        assert read_once("a", lambda: next(numbers)) == 0
        with one_reading():
            assert read_once("a", lambda: next(numbers)) == 1
        assert read_once("a", lambda: next(numbers)) == 0


def test_what_was_refused_is_asked_again() -> None:
    answers = iter([LookupError(), 5])

    def read() -> object:
        answer = next(answers)
        if isinstance(answer, LookupError):
            raise answer
        return answer

    with one_reading():
        with pytest.raises(LookupError):
            read_once("a", read)
        assert read_once("a", read) == 5
