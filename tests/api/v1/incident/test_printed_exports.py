"""Exports to print and to load: HTML that asks nobody for anything, PDF, Parquet."""

import base64
import csv
import hashlib
import html
import io
import json
import re
from collections.abc import Iterator
from datetime import timedelta
from html.parser import HTMLParser
from typing import Any

import pytest
from pyarrow import parquet  # type: ignore[import-untyped]
from time_machine import TimeMachineFixture

from apps.incidents.exports.formats.pdf import PDF
from apps.incidents.exports.known_formats import all_formats
from apps.incidents.exports.printing import pdf
from apps.incidents.models import Incident
from apps.incidents.timeline import append
from apps.tenancy.scope import organization_scope
from tests.cast import kept_charts, make
from tests.cast.clients import member
from tests.cast.incidents import Cast, attempt_of, stop_of, telling

HOSTILE = "<img src=x onerror=alert(1)></style><script>alert(2)</script> \" ' &lt;"
LOADS = ("src", "srcset", "data", "action", "background", "poster", "formaction", "ping")


class Reading(HTMLParser):
    """The elements of a page and its texts."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep an element."""
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """Keep a text."""
        self.text += data


def _read(page: str) -> Reading:
    found = Reading()
    found.feed(page)
    return found


def _bytes(answer: Any) -> bytes:
    return b"".join(answer.streaming_content)


@pytest.fixture(autouse=True)
def _at_one_time(time_machine: TimeMachineFixture) -> None:
    time_machine.move_to(make.AT + timedelta(hours=1), tick=False)


@pytest.fixture
def _no_weasyprint(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    pdf.pdf_lacks.cache_clear()
    monkeypatch.setattr(pdf, "find_spec", lambda name: None)
    yield
    pdf.pdf_lacks.cache_clear()


def test_html_tells_what_json_tells(cast: Cast, incident: Incident) -> None:
    asking = member(cast.operator)
    asking.post(f"incidents/{incident.public_id}/annotations/", {"text": "looked at the riser"})
    at = f"incidents/{incident.public_id}/export"
    whole = json.loads(_bytes(asking.get(at, format="json")))
    shown = _read(_bytes(asking.get(f"{at}.html")).decode())
    evidence = [
        item["text"] for one in whole["hypotheses"] for item in (*one["for"], *one["against"])
    ]
    moments = [each["title"] for each in whole["timeline"]]
    actions = [each["text"] for each in whole["incident"]["actions"]]
    assert all((evidence, moments, actions))
    for each in (*evidence, *moments, *actions, whole["incident"]["title"], "looked at the riser"):
        assert each in shown.text
    assert "1 held by" in shown.text
    assert "TENANT-WORDS" not in shown.text  # of the other party: counted, never told


def test_html_asks_nobody_for_anything(cast: Cast, incident: Incident) -> None:
    kept_charts.keep(cast, incident)
    page = _bytes(member(cast.operator).get(f"incidents/{incident.public_id}/export.html")).decode()
    shown = _read(page)
    names = {tag for tag, _ in shown.tags}
    assert names.isdisjoint({"script", "link", "img", "iframe", "object", "embed", "form", "base"})
    assert not [attrs for _, attrs in shown.tags if any(each in attrs for each in LOADS)]
    assert not [attrs for _, attrs in shown.tags if any(name.startswith("on") for name in attrs)]
    assert "url(" not in page
    assert "@import" not in page
    addresses = {attrs["href"] for tag, attrs in shown.tags if tag == "a"}
    assert len(addresses) == 1  # the incident's own page, for who clicks it
    policies = [each.get("content") for _, each in shown.tags if "http-equiv" in each]
    assert policies[0] is not None
    assert policies[0].startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policies[0]


def test_the_policy_allows_the_style_that_is_there(cast: Cast, incident: Incident) -> None:
    page = _bytes(member(cast.tenant).get(f"incidents/{incident.public_id}/export.html")).decode()
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"sha256-{digest}" in html.unescape(page)


def test_no_text_of_html_is_markup(cast: Cast, incident: Incident) -> None:
    with organization_scope(*cast.ids):
        append(incident=incident, tellings=[telling(cast.tenant, HOSTILE)], now=make.AT)
    asking = member(cast.tenant)
    asking.post(f"incidents/{incident.public_id}/annotations/", {"text": HOSTILE})
    page = _bytes(asking.get(f"incidents/{incident.public_id}/export.html")).decode()
    shown = _read(page)
    assert page.count("<style>") == 1
    assert {tag for tag, _ in shown.tags}.isdisjoint({"img", "script"})
    assert shown.text.count(HOSTILE) >= 2


def test_charts_are_drawn_for_who_keeps_them_alone(cast: Cast, incident: Incident) -> None:
    kept_charts.keep(cast, incident)
    at = f"incidents/{incident.public_id}/export.html"
    own = _bytes(member(cast.operator).get(at)).decode()
    other = _bytes(member(cast.tenant).get(at)).decode()
    assert "Metrics around it" in own
    assert "GPU temperature" in own
    assert "No data at" in own  # a gap is said, never drawn as a value
    assert "Metrics around it" not in other


@pytest.mark.parametrize("form", ["html", "pdf", "parquet"])
def test_who_is_no_party_finds_no_file(cast: Cast, incident: Incident, form: str) -> None:
    at = f"incidents/{incident.public_id}/export.{form}"
    for outsider in (cast.other_tenant, cast.stranger):
        assert member(outsider).get(at).status_code == 404


def test_what_is_hidden_from_a_reader_is_named(cast: Cast) -> None:
    made = stop_of(cast, attempt_of(cast, cast.tenant), layer="network", cause="link-down")
    page = _bytes(member(cast.tenant).get(f"incidents/{made.public_id}/export.html")).decode()
    assert "by policy" not in page
    seen = stop_of(cast, attempt_of(cast, cast.tenant))
    told = _bytes(member(cast.vendor).get(f"incidents/{seen.public_id}/export.html")).decode()
    assert "Hidden from" in told
    assert "the session" in told


def test_simulated_data_is_marked(cast: Cast, incident: Incident) -> None:
    asking = member(cast.tenant)
    at = f"incidents/{incident.public_id}/export.html"
    assert "simulated data" not in _read(_bytes(asking.get(at)).decode()).text
    with organization_scope(cast.tenant.pk):
        Incident.objects.filter(pk=incident.pk).update(is_simulated=True)
    assert "simulated data" in _read(_bytes(asking.get(at)).decode()).text


@pytest.mark.parametrize("form", ["html", "md"])
def test_a_list_names_every_incident(cast: Cast, form: str) -> None:
    made = {stop_of(cast, attempt_of(cast, cast.tenant)).public_id for _ in range(3)}
    text = _bytes(member(cast.operator).get(f"incidents/export.{form}")).decode()
    assert all(each in text for each in made)


def test_parquet_has_the_rows_of_csv_with_types(cast: Cast, incident: Incident) -> None:
    asking = member(cast.operator)
    at = f"incidents/{incident.public_id}/export"
    told = list(csv.DictReader(io.StringIO(_bytes(asking.get(f"{at}.csv")).decode(), newline="")))
    table = parquet.read_table(io.BytesIO(_bytes(asking.get(f"{at}.parquet"))))
    assert table.column_names == list(told[0])
    assert table.column("section").to_pylist() == [row["section"] for row in told]
    assert table.column("text").to_pylist() == [row["text"] or None for row in told]
    assert str(table.schema.field("at").type) == "timestamp[us, tz=UTC]"
    assert [each or 0.0 for each in table.column("weight").to_pylist()] == [
        float(row["weight"] or 0) for row in told
    ]


def test_parquet_of_many_has_a_row_each(cast: Cast) -> None:
    made = {stop_of(cast, attempt_of(cast, cast.tenant)).public_id for _ in range(3)}
    body = _bytes(member(cast.operator).get("incidents/export.parquet"))
    assert set(parquet.read_table(io.BytesIO(body)).column("id").to_pylist()) == made


def test_parquet_of_none_can_be_read(cast: Cast) -> None:
    body = _bytes(member(cast.stranger).get("incidents/export.parquet"))
    assert parquet.read_table(io.BytesIO(body)).num_rows == 0


@pytest.mark.usefixtures("_no_weasyprint")
def test_without_weasyprint_pdf_says_what_to_do(cast: Cast, incident: Incident) -> None:
    for at in ("incidents/export.pdf", f"incidents/{incident.public_id}/export.pdf"):
        answer = member(cast.tenant).get(at)
        assert answer.status_code == 501
        assert answer.json()["code"] == "format_not_installed"
        assert "faultline[pdf]" in answer.json()["detail"]


@pytest.mark.usefixtures("_no_weasyprint")
def test_without_weasyprint_the_menu_says_so(cast: Cast, incident: Incident) -> None:
    asking = member(cast.tenant)
    address = f"/o/{cast.tenant.slug}/incidents/{incident.public_id}/"
    page = asking.client.get(address).content.decode()
    assert "PDF: not installed here" in page
    assert "export.pdf" not in page
    assert "export.html" in page


def test_without_pango_pdf_names_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "find_spec", lambda name: object())
    monkeypatch.setattr(pdf, "_is_there", lambda name: False)
    assert "Pango" in pdf.pdf_lacks.__wrapped__()


def test_pdf_is_made_where_it_can_be(cast: Cast, incident: Incident) -> None:
    pytest.importorskip(
        "weasyprint", reason="no WeasyPrint here: no PDF was made; the extra `pdf` brings it"
    )
    kept_charts.keep(cast, incident)
    answer = member(cast.operator).get(f"incidents/{incident.public_id}/export.pdf")
    assert answer["Content-Type"] == PDF.media_type
    assert _bytes(answer).startswith(b"%PDF-")


def test_nothing_is_loaded_for_a_pdf() -> None:
    with pytest.raises(ValueError, match="nothing is loaded"):
        pdf._refuse("file:///etc/passwd")


def test_formats_are_offered_in_order() -> None:
    assert list(all_formats()) == ["json", "csv", "ndjson", "md", "html", "pdf", "parquet"]
