"""Terms are read strictly and written in one spelling."""

import pytest

from apps.sharing.terms import (
    BadTerms,
    Level,
    Place,
    SharingRule,
    digest_of,
    plain_terms,
    read_terms,
)

SIDES = ("aurora", "solar")


def test_terms_come_back_as_they_were_told() -> None:
    told = {
        "aurora": [
            {"data": "metrics:gpu", "level": "full", "where": "own-sessions"},
            {"data": "logs:*", "level": "redacted", "where": "cluster", "keep_days": 30},
            {"data": "events:host", "level": "signal", "where": "cluster", "purpose": "operations"},
        ],
        "solar": [{"data": "sessions", "level": "signal", "where": "blamed"}],
    }

    terms = read_terms(told, sides=SIDES)

    assert plain_terms(terms) == told
    assert terms["aurora"][0] == SharingRule(
        data="metrics:gpu", level=Level.FULL, where=Place.OWN_SESSIONS
    )


@pytest.mark.parametrize(
    ("gives", "said"),
    [
        ([], "gives: a list of rules for each side"),
        ({"verdant": []}, "verdant is no side of it; those are aurora and solar"),
        ({"aurora": "all"}, "gives.aurora: a list of rules is wanted"),
        ({"aurora": ["all"]}, r"gives.aurora\[0\]: a rule has data, level and where"),
        ({"aurora": [{"level": "full"}]}, r"gives.aurora\[0\]: data is missing"),
        ({"aurora": [{"data": "events:gpu"}]}, "level is missing"),
        ({"aurora": [{"data": "mails", "level": "full"}]}, "mails is unknown; families are"),
        ({"aurora": [{"data": "incidents", "level": "full"}]}, "incidents can't be agreed on: who"),
        ({"aurora": [{"data": "reports:*", "level": "full"}]}, "reports can't be agreed on: exp"),
        (
            {"aurora": [{"data": "sessions", "level": "full", "where": "own-sessions"}]},
            "sessions are shown of cluster, incidents, blamed",
        ),
        ({"aurora": [{"data": "sessions:*", "level": "full"}]}, "write sessions alone"),
        ({"aurora": [{"data": "metrics", "level": "full"}]}, "write metrics:\\* or metrics:"),
        ({"aurora": [{"data": "logs:gpu", "level": "full"}]}, "write logs:\\* or logs:"),
        ({"aurora": [{"data": "events:gpu", "level": "some"}]}, "some is none of none, signal"),
        ({"aurora": [{"data": "events:gpu", "level": "full", "where": "x"}]}, "where: x is none"),
        ({"aurora": [{"data": "events:gpu", "level": "full", "keep_days": True}]}, "keep_days: a"),
        ({"aurora": [{"data": "events:gpu", "level": "full", "keep_days": 0}]}, "keep_days: a"),
        ({"aurora": [{"data": "events:gpu", "level": "full", "days": 3}]}, "days is unknown"),
        (
            {
                "aurora": [
                    {"data": "events:gpu", "level": "full"},
                    {"data": "events:gpu", "level": "none"},
                ]
            },
            "two rules for events:gpu of cluster",
        ),
        ({"aurora": [{"data": "events:gpu", "level": "full"}] * 201}, "201 rules; at most 200"),
    ],
)
def test_what_can_t_be_read_is_named(gives: object, said: str) -> None:
    with pytest.raises(BadTerms, match=said):
        read_terms(gives, sides=SIDES)


def test_a_digest_stands_for_the_meaning_and_not_for_the_order_of_keys() -> None:
    assert digest_of({"a": 1, "b": [2]}) == digest_of({"b": [2], "a": 1})
    assert digest_of({"a": 1}) != digest_of({"a": 2})


@pytest.mark.parametrize(
    ("rule", "data", "covers"),
    [
        ("metrics:*", "metrics:gpu", True),
        ("metrics:gpu", "metrics:gpu", True),
        ("metrics:gpu", "metrics:host", False),
        ("metrics:*", "events:gpu", False),
        ("sessions", "sessions", True),
        ("logs:session", "sessions", False),
    ],
)
def test_a_rule_covers_its_class_and_no_other(rule: str, data: str, covers: bool) -> None:  # noqa: FBT001
    assert SharingRule(data=rule, level=Level.FULL).covers(data) is covers
