"""Exports: what REST shows, as files; streamed in scopes of their own; harmless in spreadsheets."""

import csv
import io
import json
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.db import connection
from django.test import AsyncClient
from django.test.utils import CaptureQueriesContext
from time_machine import TimeMachineFixture

from apps.api import exporting
from apps.api.v1.views.incident import exports
from apps.incidents.exports.formats.csv import harmless
from apps.incidents.exports.known_formats import all_formats
from apps.incidents.models import Incident
from apps.tenancy.models import AuditEntry
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.clients import member, token
from tests.cast.incidents import Cast, assemble, attempt_of, stop_of
from tests.cast.scopes import current_scope


def _body(answer: Any) -> str:
    return b"".join(answer.streaming_content).decode()


def _rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_an_exported_incident_is_what_rest_shows(
    cast: Cast, incident: Incident, time_machine: TimeMachineFixture
) -> None:
    time_machine.move_to(make.AT + timedelta(hours=1), tick=False)  # how long it is held is told
    asking = member(cast.tenant)
    at = f"incidents/{incident.public_id}"
    document = json.loads(_body(asking.get(f"{at}/export", format="json")))

    assert document["schema"] == "faultline.incident/1"
    assert document["organization"] == cast.tenant.slug
    assert document["incident"] == asking.get(f"{at}/").json()
    for part in ("missing", "annotations"):
        assert document[part] == asking.get(f"{at}/{part}/").json()["results"]
    moments = asking.get(f"{at}/timeline/").json()["results"]
    shown = asking.get(f"{at}/hypotheses/").json()["results"]
    for moment in moments:
        del moment["fields"]
    for item in [each for one in shown for side in ("for", "against") for each in one[side]]:
        # A file may be handed on: it holds no line.
        del item["log_line"], item["shared_line"], item["place"], item["fields"]
    assert document["timeline"] == moments
    assert document["hypotheses"] == shown


def test_the_exported_list_is_what_rest_shows(cast: Cast, time_machine: TimeMachineFixture) -> None:
    time_machine.move_to(make.AT + timedelta(hours=1), tick=False)
    for _ in range(3):
        stop_of(cast, attempt_of(cast, cast.tenant))
    asking = token(cast.vendor)
    document = json.loads(_body(asking.get("incidents/export")))

    assert document["schema"] == "faultline.incidents/1"
    assert document["incidents"] == asking.get("incidents/").json()["results"]
    assert len(document["incidents"]) == 3


def test_a_list_longer_than_one_scope_is_complete(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = {stop_of(cast, attempt_of(cast, cast.tenant)).public_id for _ in range(5)}
    monkeypatch.setattr(exports, "ROWS_A_SCOPE", 2)
    rows = _rows(_body(member(cast.operator).get("incidents/export", format="csv")))

    assert [row["schema"] for row in rows] == ["faultline.incidents/1"] * 5
    assert {row["id"] for row in rows} == made


def test_no_scope_is_held_while_the_client_takes_its_time(cast: Cast, incident: Incident) -> None:
    answer = member(cast.tenant).get("incidents/export", format="json")
    pieces = []
    for piece in answer.streaming_content:
        assert current_scope() == ""
        pieces.append(piece)

    assert json.loads(b"".join(pieces))["incidents"][0]["id"] == incident.public_id


def test_filters_hold_in_exports(cast: Cast, incident: Incident) -> None:
    asking = member(cast.tenant)

    assert _rows(_body(asking.get("incidents/export", format="csv", layer="network"))) == []
    assert len(_rows(_body(asking.get("incidents/export", format="csv", layer="gpu")))) == 1


def test_csv_of_an_incident_tells_its_whole_story(cast: Cast, incident: Incident) -> None:
    asking = member(cast.operator)
    asking.post(f"incidents/{incident.public_id}/annotations/", {"text": "=HYPERLINK(1)"})
    text = _body(asking.get(f"incidents/{incident.public_id}/export", format="csv"))
    rows = _rows(text)

    sections = {row["section"] for row in rows}
    assert sections >= {"incident", "hypothesis", "evidence", "held", "timeline", "annotation"}
    assert {row["text"] for row in rows if row["section"] == "annotation"} == {"'=HYPERLINK(1)"}
    assert text.startswith("schema,incident,section,")
    assert "\r\n" in text


FULL_WIDTH = ["\uff1d1", "\uff0b1", "\uff0d1", "\uff20x"]


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1", "\x00=1", *FULL_WIDTH],
)
def test_text_that_a_spreadsheet_would_run_is_defused(text: str) -> None:
    assert str(harmless(text)).startswith("'")
    assert "\x00" not in str(harmless(text))


@pytest.mark.parametrize("value", [-5, -0.5, 0, 7, 0.25])
def test_numbers_stay_numbers(value: float) -> None:
    assert harmless(value) is value


@pytest.mark.parametrize("text", ['a "quoted" word', "two\nlines", "a,b", "a;b", "한국어"])
def test_text_survives_the_round_trip(text: str) -> None:
    kept = io.StringIO(newline="")
    csv.writer(kept).writerow([harmless(text)])

    assert next(csv.reader(io.StringIO(kept.getvalue(), newline=""))) == [text]


def test_an_export_is_recorded(cast: Cast, incident: Incident) -> None:
    _body(member(cast.tenant).get(f"incidents/{incident.public_id}/export", format="csv"))
    with organization_scope(cast.tenant.pk):
        (entry,) = AuditEntry.objects.for_organization(cast.tenant)

    assert (entry.action, entry.subject) == ("incident.exported", f"{incident.public_id} csv")


def test_an_unknown_format_is_refused_by_name(cast: Cast, incident: Incident) -> None:
    answer = member(cast.tenant).get("incidents/export", format="pickle")

    assert answer.status_code == 400
    assert min(all_formats()) in answer.json()["detail"]


@pytest.mark.parametrize("path", ["incidents/", "incidents/export"])
def test_more_incidents_take_no_more_queries(
    cast: Cast, path: str, django_assert_num_queries: Any
) -> None:
    stop_of(cast, attempt_of(cast, cast.tenant))
    asking = token(cast.operator)
    asking.get(path).getvalue()  # notes the use of the token
    with CaptureQueriesContext(connection) as one:
        asking.get(path).getvalue()
    for _ in range(9):
        stop_of(cast, attempt_of(cast, cast.tenant))

    with django_assert_num_queries(len(one)):
        asking.get(path).getvalue()


@pytest.mark.django_db(transaction=True)
def test_the_asynchronous_server_streams_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "STEP_BYTES", 1)
    cast = assemble()
    stop_of(cast, attempt_of(cast, cast.tenant))
    headers = {"authorization": f"Bearer {make.token(organization=cast.tenant)}"}

    async def ask() -> list[bytes]:
        path = f"/api/v1/o/{cast.tenant.slug}/incidents/export"
        answer: Any = await AsyncClient().get(path, headers=headers)
        return [piece async for piece in answer]

    pieces = async_to_sync(ask)()
    assert len(pieces) > 1
    assert len(json.loads(b"".join(pieces))["incidents"]) == 1
