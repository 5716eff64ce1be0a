"""Moments are put into words once, for each language and for how their organization is called."""

from dataclasses import replace

from django.utils.translation import override

from apps.diagnosis.model import statement, statement_json
from apps.incidents.projection.values import TimelineMoment
from apps.tenancy.values import OrganizationName
from apps.web.incident.timeline.folding import told_once
from apps.web.incident.timeline.moments import Speakers, entries_of
from apps.web.lanes.elements import Entry
from tests.cast import make

ROW = TimelineMoment(
    id=1,
    organization_id=7,
    lane="network",
    kind="event",
    role="context",
    at=make.AT,
    ends_at=None,
    clock_error_seconds=None,
    statement=statement_json(statement("text", text="port down")),
    detail={"ranks": [1, 2]},
    for_all_parties=False,
    revision=1,
    created_at=make.AT,
)


def worded(row: TimelineMoment, name: str = "") -> Entry:
    known = {7: OrganizationName(id=7, slug="acme", name=name, mark=name[0])} if name else {}
    (entry,) = entries_of(rows=(row,), speakers=Speakers(by_id=known))
    return entry


def test_the_same_moment_is_worded_once() -> None:
    assert worded(ROW, "Acme") is worded(ROW, "Acme")


def test_each_language_has_words_of_its_own() -> None:
    english = worded(ROW, "Acme")
    with override("ko"):
        korean = worded(ROW, "Acme")

    assert "ranks" in english.detail
    assert "ranks" not in korean.detail
    assert worded(ROW, "Acme") is english


def test_who_may_not_know_the_organization_does_not_read_its_name_after_who_may() -> None:
    assert worded(ROW, "Acme").owner == "Acme"
    assert worded(ROW).owner == "another party"
    assert worded(ROW, "Renamed").owner == "Renamed"


def test_a_moment_that_was_read_anew_gets_words_of_its_own() -> None:
    worded(ROW, "Acme")
    told = statement_json(statement("text", text="port up"))

    assert worded(replace(ROW, statement=told), "Acme").title == "port up"


def test_what_is_folded_is_counted_in_the_words_of_each_language() -> None:
    rows = tuple(replace(ROW, id=number) for number in range(5))

    def folded() -> Entry:
        entries = entries_of(rows=rows, speakers=Speakers(by_id={}))
        (entry,) = told_once(entries=entries, layer="network", hosts=(), weights={})
        return entry

    english = folded()
    with override("ko"):
        korean = folded()

    assert "5 times" in english.detail
    assert "5 times" not in korean.detail
    assert folded() is english


def test_another_verdict_rings_something_else() -> None:
    rows = (replace(ROW, role="initiating", detail={"host": "gpu001"}),)
    entries = entries_of(rows=rows, speakers=Speakers(by_id={}))

    def role(layer: str) -> str:
        (entry,) = told_once(entries=entries, layer=layer, hosts={"gpu001"}, weights={})
        return entry.role

    assert [role("network"), role("gpu"), role("network")] == [
        "initiating",
        "context",
        "initiating",
    ]
