"""On a card of an explanation what repeats a piece and adds nothing is counted, not listed."""

from dataclasses import replace

from apps.incidents.projection.values import EvidencePiece
from apps.web.incident.hypotheses.alike import folded, more_words
from tests.cast.make import text_fact

HANGS = EvidencePiece(
    id=1,
    cause="storage/checkpoint-slow",
    position=0,
    side="for",
    weight=1.4,
    layer="storage",
    statement=text_fact("Processes hang in the file system"),
    source="kernel log, gpu001",
    line=7,
    at=None,
    reference="1:7",
    is_claimed=False,
    fact=None,
)
REPEATED = replace(HANGS, id=2, weight=0.0)


def test_what_repeats_and_adds_nothing_is_counted() -> None:
    (one,) = folded([HANGS, REPEATED, replace(REPEATED, id=3)])
    assert (one.first, one.more) == (HANGS, 2)
    assert more_words(one.more) == "2 more say the same"
    assert more_words(0) == ""


def test_what_weighs_is_claimed_or_says_something_else_stands_for_itself() -> None:
    others = (
        replace(HANGS, id=2, weight=0.6),
        replace(REPEATED, id=3, is_claimed=True),
        replace(REPEATED, id=4, statement=text_fact("A queue is long")),
    )
    found = folded([HANGS, *others])
    assert [each.first for each in found] == [HANGS, *others]
    assert {each.more for each in found} == {0}


def test_of_pieces_that_all_weigh_nothing_the_first_stands() -> None:
    assert [each.more for each in folded([REPEATED, replace(REPEATED, id=3)])] == [1]
