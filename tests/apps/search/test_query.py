"""A text as it was typed → what is looked for."""

import pytest

from apps.search.query import ALL, read_query
from apps.search.values import HitKind, QueryProblem


@pytest.mark.parametrize(
    ("typed", "prefix", "text"),
    [
        ("host:gpu071", "host", "gpu071"),
        ("HOST: gpu071 ", "host", "gpu071"),
        ("0000:3b:00.0", "", "0000:3b:00.0"),
        ("NCCL WARN: timeout", "", "NCCL WARN: timeout"),
        ("session:job 7", "session", "job 7"),
        ("log:host:x", "log", "host:x"),
    ],
)
def test_only_known_words_before_a_colon_narrow(typed: str, prefix: str, text: str) -> None:
    query = read_query(typed)

    assert (query.prefix, query.text, query.problem) == (prefix, text, "")


def test_a_prefix_says_what_is_looked_through() -> None:
    assert read_query("gpu071").kinds == ALL
    assert read_query("gpu:3b").kinds == {HitKind.GPU}
    assert HitKind.LINE not in read_query("host:gpu071").kinds


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        ("", QueryProblem.EMPTY),
        ("host:", QueryProblem.EMPTY),
        ("x", QueryProblem.SHORT),
        ("x" * 201, QueryProblem.LONG),
        ("xid:7x", QueryProblem.BAD_XID),
        ("xid:-1", QueryProblem.BAD_XID),
    ],
)
def test_what_can_not_be_answered_says_why(typed: str, problem: str) -> None:
    assert read_query(typed).problem == problem


def test_a_misspelt_prefix_is_text_and_names_the_one_that_was_meant() -> None:
    query = read_query("hots:gpu071")

    assert (query.text, query.meant, query.kinds) == ("hots:gpu071", "host", ALL)


def test_an_xid_is_a_number() -> None:
    assert read_query("xid:79").xid == 79
