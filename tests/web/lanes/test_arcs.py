"""Arcs lead from a cause to what it explains, past words, and claim an order only where it is."""

import re

import pytest

from apps.web.lanes.arcs import MOST, CausalLink
from apps.web.lanes.scale import LEFT, RIGHT
from tests.web.lanes.plotting import drawn, entry, items


def link(
    effect: str, *, is_ordered: bool = True, rule: str = "gpu-off-bus: it is gone"
) -> CausalLink:
    return CausalLink(cause="cause", effect=effect, rule=rule, is_ordered=is_ordered)


def numbers(path: str) -> list[float]:
    return [float(each) for each in re.findall(r"-?\d+\.\d", path)]


def test_an_arc_begins_at_its_cause_and_ends_at_its_effect() -> None:
    drawing = drawn(
        entry("cause", role="initiating"), entry("effect", seconds=120), links=[link("effect")]
    )
    found = items(drawing)
    (arc,) = drawing.arcs
    x, y, *_, end_x, end_y = numbers(arc.path)
    assert x == pytest.approx(found["cause"].centre_x, abs=0.1)
    assert abs(y - found["cause"].centre_y) == pytest.approx(10)
    assert abs(end_x - found["effect"].centre_x) <= 11
    assert abs(end_y - found["effect"].centre_y) <= 11


def test_an_arc_arrives_past_the_words_of_its_effect() -> None:
    late = entry("effect", seconds=590, title="words that stand before their mark")
    drawing = drawn(entry("cause", role="initiating"), late, links=[link("effect")])
    effect, (arc,) = items(drawing)["effect"], drawing.arcs
    assert effect.anchor == "end"
    *_, end_x, end_y = numbers(arc.path)
    assert end_x == pytest.approx(effect.centre_x, abs=0.1)
    assert abs(end_y - effect.centre_y) == pytest.approx(10, abs=0.1)


def test_an_arc_reaches_the_side_of_a_box() -> None:
    box = entry("effect", seconds=300, count=480, lane="application")
    drawing = drawn(entry("cause", role="initiating"), box, links=[link("effect")])
    effect = items(drawing)["effect"]
    *_, end_x, end_y = numbers(drawing.arcs[0].path)
    assert end_x == pytest.approx(effect.box_x, abs=0.1)
    assert effect.box_y < end_y < effect.box_y + effect.box_height


@pytest.mark.parametrize("is_ordered", [True, False])
def test_only_what_surely_came_later_has_a_head(*, is_ordered: bool) -> None:
    drawing = drawn(
        entry("cause", role="initiating"),
        entry("effect", seconds=60),
        links=[link("effect", is_ordered=is_ordered)],
    )
    assert bool(drawing.arcs[0].head) is is_ordered


@pytest.mark.parametrize("seconds", [-595, 0, 595])
def test_the_words_of_a_rule_stand_inside_the_plot(seconds: float) -> None:
    told = entry("effect", seconds=seconds, lane="application")
    cause = entry("cause", role="initiating")
    drawing = drawn(cause, told, links=[link("effect", rule="a long rule " * 40)])
    (arc,) = drawing.arcs
    assert arc.label_x >= LEFT
    assert arc.label_x + arc.label_width <= RIGHT
    assert arc.label.endswith("…")
    assert arc.rule == "a long rule " * 40


def test_no_arc_leads_to_what_is_not_drawn_by_itself() -> None:
    outside = entry("outside", seconds=90_000)
    drawing = drawn(
        entry("cause", role="initiating"), outside, links=[link("outside"), link("unknown")]
    )
    assert drawing.arcs == ()


def test_of_many_links_the_first_are_drawn() -> None:
    effects = [entry(f"e{n}", seconds=n * 40, lane="application", title="x") for n in range(14)]
    links = [link(each.key, rule=each.key) for each in effects]
    drawing = drawn(entry("cause", role="initiating"), *effects, links=links)
    assert len(drawing.arcs) == MOST
    assert [arc.rule for arc in drawing.arcs] == [f"e{n}" for n in range(MOST)]
