"""Which members of a lane are tried with words, and which mark stands for those that are not."""

import random
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from apps.web.lanes.crowd import folded
from apps.web.lanes.elements import Entry
from apps.web.lanes.scale import Span
from apps.web.lanes.urgency import URGENCY, Member, by_urgency, most_urgent

AT = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)
SPAN = Span(starts_at=AT, ends_at=AT + timedelta(hours=1))
ROLES = [*URGENCY, "of no rank"]


def member(number: int, *, role: str = "context", seconds: float = 0, **told: float) -> Member:
    entry = Entry(
        key=str(number),
        lane="gpu",
        layer="gpu",
        role=role,
        title=f"moment {number}",
        at=AT + timedelta(seconds=seconds),
        weight=told.get("weight", 0.0),
        is_lesser=bool(told.get("is_lesser")),
    )
    return AT + timedelta(seconds=seconds), entry


def lane(seed: int, *, roles: list[str]) -> list[Member]:
    chance = random.Random(seed)  # noqa: S311  no secret
    return [
        member(
            number,
            role=chance.choice(roles),
            seconds=chance.randrange(60),  # several at one instant
            weight=chance.choice([0, 0, 0, 0, 0.4, 2]),
            is_lesser=chance.choice([0, 0, 0, 1]),
        )
        for number in range(300)
    ]


@pytest.mark.parametrize("most", [0, 1, 40, 299, 300, 400])
@pytest.mark.parametrize("roles", [ROLES, ["context"], ["context", "of no rank"]])
def test_the_most_urgent_are_the_first_of_all_in_order(roles: list[str], most: int) -> None:
    members = lane(7, roles=roles)
    first, others = most_urgent(members, most)
    assert first == sorted(members, key=by_urgency)[:most]
    assert others == [each for each in members if each not in first]


def test_of_several_at_one_place_the_most_urgent_stands_for_all() -> None:
    calm, chief = member(1, seconds=10), member(2, role="cascade", seconds=10)
    tried = member(3, role="initiating", seconds=10)
    (shown,) = folded(members=[calm, chief], tried=[tried], span=SPAN)
    assert shown.entry is chief[1]
    assert shown.folded_count == 2


def test_each_is_told_by_one_mark() -> None:
    members = [(at + timedelta(minutes=number % 60), each) for number, (at, each) in _numbered()]
    marks = folded(members=members, span=SPAN)
    assert sum(1 + mark.folded_count for mark in marks) == len(members)
    places = [mark.x for mark in marks]
    assert places == sorted(places)
    assert all(later - one >= 96 for one, later in pairwise(places))


def _numbered() -> list[tuple[int, Member]]:
    return list(enumerate(lane(11, roles=ROLES)))
