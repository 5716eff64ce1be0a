"""Which entries win their place, and how each is drawn."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from operator import itemgetter

from apps.web.lanes.elements import Entry

Member = tuple[datetime, Entry]  # where it is drawn

# The order in which labels win their place.
URGENCY = {
    "initiating": 0,
    "confirmation": 1,
    "cascade": 2,
    "recovery": 3,
    "teardown": 4,
    "context": 5,
    "progress": 6,
}


CALM = {"context", "progress"}
TREATMENTS = {
    "initiating": "initiating",
    "confirmation": "confirms",
    "cascade": "follows",
    "teardown": "follows",
    "recovery": "confirms",
    "progress": "context",
    "context": "context",
}


def by_urgency(member: Member) -> tuple[int, bool, float, datetime, str]:
    """Return what the members of a lane are ordered by, the most urgent first."""
    at, entry = member
    return URGENCY.get(entry.role, 9), entry.is_lesser, -entry.weight, at, entry.key


def most_urgent(members: Sequence[Member], most: int) -> tuple[list[Member], list[Member]]:
    """Return the most urgent ones in their order, and the others as they came.

    Of a lane of thousands few are compared: most roles have none among the first.
    """
    by_role: dict[int, list[Member]] = defaultdict(list)
    for member in members:
        by_role[URGENCY.get(member[1].role, 9)].append(member)
    first: list[Member] = []
    for urgency in sorted(by_role):
        if len(first) < most:
            first += _first(by_role[urgency], most - len(first))
    taken = set(map(id, first))
    return first, [member for member in members if id(member) not in taken]


def _first(members: Sequence[Member], most: int) -> list[Member]:
    # Of a long story nearly all weigh the same: only the earliest of these come into question.
    plain = [each for each in members if not (each[1].weight or each[1].is_lesser)]
    if len(plain) > most:
        latest = sorted(map(itemgetter(0), plain))[most - 1]
        members = [
            each for each in members if each[0] <= latest or each[1].weight or each[1].is_lesser
        ]
    return sorted(members, key=by_urgency)[:most]
