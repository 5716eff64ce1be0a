"""Formats beside JSON and CSV: they tell what JSON tells, and no text of theirs is markup."""

import json
from datetime import timedelta
from typing import Any

import pytest
from markdown_it import MarkdownIt
from time_machine import TimeMachineFixture

from apps.incidents.exports.formats.markdown import plain
from apps.incidents.exports.formats.ndjson import SECTIONS
from apps.incidents.models import Incident
from apps.incidents.timeline import append
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.clients import member, token
from tests.cast.incidents import Cast, attempt_of, stop_of, telling

HOSTILE = "<img src=x onerror=alert(1)> | [a](javascript:x) `b` **c**\n# d\n- e \x85f\u2028g\u2029h"


def _body(answer: Any) -> str:
    return b"".join(answer.streaming_content).decode()


@pytest.fixture(autouse=True)
def _at_one_time(time_machine: TimeMachineFixture) -> None:
    time_machine.move_to(make.AT + timedelta(hours=1), tick=False)


def test_ndjson_holds_what_json_holds(cast: Cast, incident: Incident) -> None:
    asking = member(cast.tenant)
    asking.post(f"incidents/{incident.public_id}/annotations/", {"text": HOSTILE})
    at = f"incidents/{incident.public_id}/export"
    whole = json.loads(_body(asking.get(at, format="json")))
    head, first, *rows = (
        json.loads(line) for line in _body(asking.get(at, format="ndjson")).splitlines()
    )
    assert head == {"section": "export"} | {
        name: whole[name] for name in ("schema", "organization", "exported_at")
    }
    assert first == {"section": "incident", **whole["incident"]}
    mark = {"incident": incident.public_id}
    assert rows == [
        {"section": section, **mark, **each}
        for name, section in SECTIONS.items()
        for each in whole[name]
    ]
    assert {row["section"] for row in rows} >= {"hypothesis", "timeline", "annotation"}


def test_ndjson_of_many_is_a_line_each(cast: Cast) -> None:
    made = {stop_of(cast, attempt_of(cast, cast.tenant)).public_id for _ in range(3)}
    rows = _body(member(cast.operator).get("incidents/export", format="ndjson")).splitlines()
    head, *told = map(json.loads, rows)
    assert head["schema"] == "faultline.incidents/1"
    assert {each["id"] for each in told} == made


def test_markdown_tells_what_json_tells(cast: Cast, incident: Incident) -> None:
    asking = member(cast.operator)
    asking.post(f"incidents/{incident.public_id}/annotations/", {"text": "looked at the riser"})
    at = f"incidents/{incident.public_id}/export"
    whole = json.loads(_body(asking.get(at, format="json")))
    text = _body(asking.get(at, format="md"))
    assert text.startswith(f"# {plain(whole['incident']['title'])}\n")
    evidence = [
        item["text"] for one in whole["hypotheses"] for item in (*one["for"], *one["against"])
    ]
    moments = [each["title"] for each in whole["timeline"]]
    actions = [each["text"] for each in whole["incident"]["actions"]]
    assert all((evidence, moments, actions))
    for each in (*evidence, *moments, *actions, "looked at the riser"):
        assert plain(each) in text
    assert "1 held by" in text  # what the tenant holds is counted, not told
    assert "TENANT-WORDS" not in text


def test_no_text_is_markup_or_leaves_its_place(cast: Cast, incident: Incident) -> None:
    with organization_scope(*cast.ids):
        moment = telling(cast.tenant, HOSTILE, order_key=9)
        append(incident=incident, tellings=[moment], now=make.AT)
    asking = member(cast.tenant)
    asking.post(f"incidents/{incident.public_id}/annotations/", {"text": HOSTILE})
    text = _body(asking.get(f"incidents/{incident.public_id}/export", format="md"))
    shown = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(text)
    for mark in ("<img", "<a ", "<code", "<strong", "<h1>d", "<h1> d"):
        assert mark not in shown
    assert shown.count("<h1>") == 1
    assert shown.count("&lt;img src=x onerror=alert(1)&gt; | [a](javascript:x) `b` **c**") == 2
    rows = [line for line in text.splitlines() if "onerror" in line and line.startswith("|")]
    assert len(rows) == 1


@pytest.mark.parametrize(
    "text", ["1. first", "12) x", "- x", "+ x", "=====", "#1", "~~x~~", "a_b_c", "| x |", "&lt;"]
)
def test_a_text_shows_as_it_is(text: str) -> None:
    shown = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(f"- {plain(text)}")
    said = text.replace("&", "&amp;")
    assert shown == f"<ul>\n<li>{said}</li>\n</ul>\n"


def test_markdown_of_many_is_a_table(cast: Cast) -> None:
    made = {stop_of(cast, attempt_of(cast, cast.tenant)).public_id for _ in range(3)}
    text = _body(token(cast.vendor).get("incidents/export", format="md"))
    _, _, *rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {row.split("|")[2].split()[0] for row in rows} == made
