"""What of a long story is told once, and what of it is the chief thing."""

from datetime import timedelta
from typing import Any

import pytest

from apps.web.incident.timeline.folding import FOLD_FROM, fold, with_chiefs, with_weights
from apps.web.lanes.elements import Entry
from tests.cast.make import AT


def entry(key: str = "a", **more: Any) -> Entry:
    """Return one thing that happened."""
    said = {"lane": "gpu", "layer": "gpu", "role": "context", "title": "Xid 79"}
    return Entry(key=key, **(said | more))


def roles(weights: dict[str, float], **given: str) -> dict[str, str]:
    """Return the role of each entry once it is weighed; given: what it was before."""
    entries = [entry(key, role=role, reference=key) for key, role in given.items()]
    return {each.key: each.role for each in with_weights(entries=entries, weights=weights)}


def test_the_heaviest_is_ringed_and_one_of_less_than_half_its_weight_no_longer() -> None:
    before = {"a": "context", "b": "initiating", "c": "initiating", "d": "context"}
    assert roles({"a": 4.0, "b": 2.0, "c": 1.9, "d": 1.0}, **before) == {
        "a": "initiating",
        "b": "initiating",
        "c": "confirmation",
        "d": "context",
    }


@pytest.mark.parametrize("weights", [{}, {"a": 0.0}, {"a": -1.0}])
def test_where_nothing_speaks_for_the_verdict_roles_stay(weights: dict[str, float]) -> None:
    assert roles(weights, a="context", b="initiating") == {"a": "context", "b": "initiating"}


def test_an_entry_says_what_it_weighs() -> None:
    entries = [entry("a", reference="a"), entry("b", reference="b")]
    weighed = with_weights(entries=entries, weights={"a": 2.5})
    assert [each.weight for each in weighed] == [2.5, 0.0]


@pytest.mark.parametrize(
    ("layer", "host", "role"),
    [("gpu", "gpu017", "initiating"), ("host", "gpu017", "context"), ("gpu", "gpu018", "context")],
)
def test_ringed_is_only_what_tells_of_the_verdict(layer: str, host: str, role: str) -> None:
    told = entry(role="initiating", layer=layer, host=host)
    assert with_chiefs(entries=[told], layer="gpu", hosts={"gpu017"})[0].role == role
    assert with_chiefs(entries=[told], layer="unknown", hosts={"gpu017"}) == [told]
    assert with_chiefs(entries=[told], layer="gpu", hosts=()) == [told]


def test_what_is_not_ringed_keeps_its_role_whatever_the_verdict() -> None:
    told = entry(role="confirmation", layer="host")
    assert with_chiefs(entries=[told], layer="gpu", hosts={"gpu017"}) == [told]


def many(count: int, **more: Any) -> list[Entry]:
    """Return repetitions of one sentence, a minute apart."""
    return [entry(f"{n}", at=AT + timedelta(minutes=n), **more) for n in range(count)]


def test_a_sentence_is_told_once_from_its_fourth_time() -> None:
    few, enough = many(FOLD_FROM - 1), many(FOLD_FROM)
    assert fold(few) == few
    (once,) = fold(enough)
    assert (once.count, once.key, once.at) == (FOLD_FROM, "0", AT)
    assert f"{FOLD_FROM} times" in once.detail


def test_another_sentence_between_them_stays_where_it_stands() -> None:
    other = entry("other", title="link down", at=AT)
    folded = fold([*many(2), other, *many(FOLD_FROM)])
    assert [each.key for each in folded] == ["0", "other"]
    assert folded[0].count == FOLD_FROM + 2


@pytest.mark.parametrize(("clock", "told"), [("kernel", "kernel"), ("other", "")])
def test_a_fold_has_the_clock_that_all_of_it_have(clock: str, told: str) -> None:
    entries = [*many(FOLD_FROM - 1, clock="kernel"), entry("last", at=AT, clock=clock)]
    assert fold(entries)[0].clock == told


def test_a_fold_weighs_what_its_heaviest_does_and_spans_to_its_last_end() -> None:
    long = entry("long", at=AT, ends_at=AT + timedelta(hours=1), weight=3.0)
    (once,) = fold([*many(FOLD_FROM), long])
    assert once.weight == 3.0
    assert f"{AT:%H:%M:%S}–{AT + timedelta(hours=1):%H:%M:%S}" in once.detail  # noqa: RUF001  a span


def test_a_fold_of_no_known_time_has_none() -> None:
    (once,) = fold([entry(f"{n}") for n in range(FOLD_FROM)])
    assert (once.at, once.detail) == (None, f"{FOLD_FROM} times")


def test_what_is_not_shown_is_told_once_a_moment_with_its_count() -> None:
    bare = {"is_bare": True, "at": AT, "owner": "Aurora", "title": "Something in Software"}
    entries = [
        entry("a", role="cascade", **bare),
        entry("b", role="initiating", lane="application", layer="unknown", **bare),
        entry("c", **bare | {"at": AT + timedelta(minutes=1)}),
        entry("d", **bare | {"owner": "Northwind"}),
        entry("e"),
    ]
    told = fold(entries)
    assert [each.key for each in told] == ["a", "c", "d", "e"]
    assert told[0].title == "2 things whose details are not shown"
    assert told[0].role == "context"
    assert [each.key for each in told[0].members] == ["a", "b"]
