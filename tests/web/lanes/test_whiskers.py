"""A clock error strikes through no words, and the entry that decides always has some."""

import random
from datetime import timedelta

import pytest

from apps.web.incident.timeline.folding import with_weights
from apps.web.lanes.elements import Entry, Item
from apps.web.lanes.lettering import CHARACTER, letters
from apps.web.lanes.scale import LEFT, RIGHT
from tests.web.lanes.plotting import drawn, entry, items

ROLES = ("initiating", "confirmation", "cascade", "context")
TITLES = ("Xid 79", "The GPU is gone from the PCIe bus (Xid 79), 0000:9b:00.0", "a" * 150)


def crowd(seed: int) -> list[Entry]:
    """Return a story with clocks that are off by up to a quarter of an hour."""
    chance = random.Random(seed)  # noqa: S311  no secret
    told = [
        entry(
            str(n),
            seconds=chance.uniform(-600, 599),
            role=chance.choice(ROLES),
            title=chance.choice(TITLES),
            detail="gpu001, kernel line 15",
            reference=f"event:{n}",
            clock_error=timedelta(seconds=chance.choice([0, 2, 48, 300, 900])),
        )
        for n in range(chance.randint(1, 60))
    ]
    weights = {each.reference: chance.uniform(0.1, 8) for each in told[::3]}
    return with_weights(entries=told, weights=weights)


def lies_beside(item: Item) -> bool:
    """Say whether the words of an item lie beside or above its own clock error."""
    if item.whisker_left is None or not item.label or item.box_width or item.has_inner_label:
        return True
    if item.is_label_above:
        return item.label_y + 3 <= item.y - 4
    if item.anchor == "start":
        return item.label_x >= item.whisker_right
    return item.label_x <= item.whisker_left


@pytest.mark.parametrize("seed", range(40))
def test_no_clock_error_strikes_through_words(seed: int) -> None:
    assert all(lies_beside(item) for item in items(drawn(*crowd(seed))).values())


@pytest.mark.parametrize("seed", range(40))
def test_what_weighs_most_is_never_a_nameless_mark(seed: int) -> None:
    told = crowd(seed)
    heaviest = max(told, key=lambda each: each.weight)
    item = items(drawn(*told))[heaviest.key]
    assert item.is_ringed
    assert item.label


@pytest.mark.parametrize("seconds", [-599, 0, 598])
def test_an_error_as_wide_as_the_plot_leaves_the_words_above_it(seconds: float) -> None:
    wide = entry(
        "wide", seconds=seconds, role="initiating", title=TITLES[1], clock_error=timedelta(hours=1)
    )
    item = items(drawn(wide))["wide"]
    assert item.is_label_above
    assert item.label == TITLES[1]
    assert item.label_x >= LEFT
    assert item.label_x + letters(item.label) * CHARACTER <= RIGHT
