"""Lines of a story whose words are made when somebody asks for them say what all others say."""

import json
from dataclasses import fields, replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils.translation import override

from apps.diagnosis.model import Statement, statement, statement_json
from apps.incidents.projection.own_moments import OwnMoment, own_moments
from apps.incidents.projection.values import TimelineMoment
from apps.incidents.story_reading.stored_moments import TITLE_LENGTH, StoredMoment
from apps.tenancy.values import OrganizationName, value_of
from apps.web.incident.timeline.folding import fold
from apps.web.incident.timeline.moments import Speakers, entries_of
from apps.web.incident.timeline.story_lines import StoryLine
from apps.web.lanes.elements import Entry
from apps.wording import headline_in_english
from tests.cast import make

ACME = Speakers(by_id={7: OrganizationName(id=7, slug="acme", name="Acme", mark="A")})
DETAIL = {
    "host": "gpu001",
    "gpu": 3,
    "count": 4,
    "ranks": [5],
    "source": "gpu001.log",
    "line": 20,
    "reference": "fact-1",
    "signature": "nccl.closed",
}


def stored(told: Statement, number: int = 1, **changed: Any) -> StoredMoment:
    """Return a moment as it lies in the database."""
    detail = changed.pop("detail", DETAIL)
    values: dict[str, Any] = {
        "id": number,
        "organization_id": 7,
        "attempt_id": 1,
        "moment": b"m",
        "is_retracted": False,
        "revision": 2,
        "lane": "network",
        "kind": "event",
        "role": "cascade",
        "at": make.AT + timedelta(seconds=number),
        "ends_at": None,
        "clock_error_seconds": 0.4,
        "order_key": 1,
        "title": headline_in_english(told)[:TITLE_LENGTH],
        "statement_text": json.dumps(statement_json(told)),
        "detail_text": json.dumps(detail),
        "told_kind": told.kind,
        "told_count": str(detail["count"]) if "count" in detail else None,
        **{name: detail.get(name) for name in ("host", "reference", "signature")},
        "for_all_parties": False,
        "audience": [],
        "created_at": make.AT,
    }
    return StoredMoment(**(values | changed))


SILENT = statement("measured", detector="silence", signal="gpu.power")
MOMENTS = {
    "of a host": stored(statement("text", text="Port 3 closed by its peer")),
    "without any detail": stored(statement("text", text="A step"), detail={}, role=""),
    "of no data": stored(SILENT, lane="gpu", kind="anomaly"),
    "of the portal": stored(statement("text", text="Answer 1"), lane="portal", detail={}),
    "of a party that has no name here": stored(
        statement("text", text="Xid 45"), organization_id=9, lane="gpu"
    ),
    "of a part that was changed": stored(statement("part-renumbered", host="gpu001"), lane="gpu"),
    "without a time": stored(statement("text", text="Bye"), at=None, clock_error_seconds=None),
    "of an hour": stored(statement("text", text="Slow"), ends_at=make.AT + timedelta(hours=1)),
}


def line(moment: StoredMoment) -> Entry:
    (entry,) = entries_of(rows=own_moments([moment]), speakers=ACME)
    return entry


def whole(moment: StoredMoment) -> Entry:
    """Return the same from a value of which everything was taken apart before."""
    (entry,) = entries_of(rows=(value_of(TimelineMoment, moment, shared=None),), speakers=ACME)
    return entry


def told(entry: Entry) -> dict[str, Any]:
    return {each.name: getattr(entry, each.name) for each in fields(Entry) if each.name != "same"}


@pytest.mark.parametrize("moment", MOMENTS.values(), ids=MOMENTS)
@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_line_says_what_a_whole_entry_says(moment: StoredMoment, language: str) -> None:
    with override(language):
        assert told(line(moment)) == told(whole(moment))


def test_a_moment_holds_what_is_stored() -> None:
    (moment,) = own_moments([MOMENTS["of a host"]])
    assert isinstance(moment, OwnMoment)
    assert [getattr(moment, each.name) for each in fields(TimelineMoment)] == [
        getattr(value_of(TimelineMoment, MOMENTS["of a host"], shared=None), each.name)
        for each in fields(TimelineMoment)
    ]
    with pytest.raises(AttributeError):
        moment.no_such_value  # noqa: B018


def test_its_words_are_of_the_language_of_its_page_whenever_they_are_asked_for() -> None:
    moment = MOMENTS["of a host"]
    with override("ko"):
        korean, wanted = line(moment), whole(moment)
    with override("en"):
        assert korean.detail == wanted.detail
        assert line(moment).detail != wanted.detail


def test_what_is_made_of_a_line_is_a_plain_entry() -> None:
    found = line(MOMENTS["of a host"])
    changed = replace(found, role="context", weight=2.0)
    assert type(found) is StoryLine
    assert type(changed) is Entry
    assert told(changed) == {**told(found), "role": "context", "weight": 2.0}


def test_what_says_the_same_is_folded_as_a_whole_entry_is() -> None:
    rows = [
        stored(statement("text", text=text), number)
        for number, text in enumerate(["closed"] * 4 + ["opened"] * 3)
    ]
    lines = [line(each) for each in rows]
    wholes = [whole(each) for each in rows]
    assert [(each.count, each.title) for each in fold(lines)] == [
        (each.count, each.title) for each in fold(wholes)
    ]
    assert len(fold(lines)) == 4


def test_what_differs_only_beyond_what_is_kept_in_english_is_not_folded() -> None:
    long = "x" * TITLE_LENGTH
    rows = [stored(statement("text", text=f"{long}{number}"), number) for number in range(5)]
    assert len(fold([line(each) for each in rows])) == 5
