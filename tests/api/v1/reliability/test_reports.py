"""Reports by REST: issued once, read by revision, as files, and by whom they are no business of."""

import csv
import io
from typing import Any

import pytest
from time_machine import TimeMachineFixture

from apps.api.v1.views.reliability import report_files
from apps.fleet.models import ParticipationRole
from apps.incidents.exports.printing import letters, pdf
from apps.reliability.models import Report
from apps.reliability.period.scopes import Audience
from apps.reliability.reports.counting.document_values import digest_of
from apps.tenancy.models import MemberRole, TokenScope
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.leaving import leave
from tests.cast import make
from tests.cast.clients import member, token
from tests.cast.incidents import Cast
from tests.cast.reports import AFTER, issued, leave_one_tenant, stops

WEEK = {"audience": "own", "first_day": "2026-11-16", "last_day": "2026-11-22"}


@pytest.fixture(autouse=True)
def _after_the_week(time_machine: TimeMachineFixture) -> None:
    time_machine.move_to(AFTER, tick=False)


def _text(answer: Any) -> str:
    assert answer.status_code == 200, answer.content
    return b"".join(answer.streaming_content).decode()


def test_a_report_is_issued_and_read_by_revision(cast: Cast) -> None:
    stops(cast)
    asking = token(cast.tenant, TokenScope.READ, TokenScope.WRITE)
    made = asking.post("reports/", WEEK)
    assert made.status_code == 201
    first = made.json()
    assert first["report"]["revision"] == first["newest_revision"] == 1
    assert digest_of(first["document"]) == first["report"]["digest"]
    stops(cast, count=1)
    second = asking.post("reports/", WEEK).json()
    assert second["report"]["id"] == first["report"]["id"]
    assert {each["kind"] for each in second["changes"]} >= {"came", "moved"}
    old = asking.get(f"reports/{first['report']['id']}/", revision="1").json()
    assert old["document"] == first["document"]
    assert old["newest_revision"] == 2
    (listed,) = asking.get("reports/").json()["results"]
    assert listed == second["report"]


def test_the_same_key_issues_once(cast: Cast) -> None:
    asking = member(cast.tenant)
    once = asking.post("reports/", WEEK, **{"Idempotency-Key": "k"})
    again = asking.post("reports/", WEEK, **{"Idempotency-Key": "k"})
    assert once.json() == again.json()


def test_every_table_is_a_csv(cast: Cast) -> None:
    made = stops(cast)
    report = issued(cast.tenant)
    asking, at = member(cast.tenant), f"reports/{report.head.public_id}/export.csv"
    figures = list(csv.DictReader(io.StringIO(_text(asking.get(at)), newline="")))
    assert {row["figure"] for row in figures} >= {"incidents", "goodput", "lost-gpu-hours"}
    for table in report.document["tables"]:
        rows = list(csv.reader(io.StringIO(_text(asking.get(at, table=table["key"])), newline="")))
        assert len(rows) == len(table["rows"]) + 1
    by_layer = list(
        csv.DictReader(io.StringIO(_text(asking.get(at, table="incidents-by-layer")), newline=""))
    )
    assert (by_layer[0]["share_hits"], by_layer[0]["share_n"]) == ("3", "3")
    assert set(by_layer[0]["incidents"].split()) == {each.public_id for each in made}


def test_an_unknown_table_is_refused_with_those_there_are(cast: Cast) -> None:
    report = issued(cast.tenant)
    answer = member(cast.tenant).get(f"reports/{report.head.public_id}/export.csv", table="in-hand")
    assert answer.status_code == 400
    assert "in-hands" in answer.json()["detail"]


def test_files_say_what_the_document_says(cast: Cast) -> None:
    made = stops(cast)
    report = issued(cast.tenant)
    asking, at = member(cast.tenant), f"reports/{report.head.public_id}/export"
    page, text = _text(asking.get(f"{at}.html")), _text(asking.get(f"{at}.md"))
    for each in (*(one.public_id for one in made), report.head.digest):
        assert each in page
        assert each in text
    assert "Content-Security-Policy" in page
    assert "<script" not in page
    assert "3 of 3, 100 %" in page


def test_without_weasyprint_pdf_says_what_to_do(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = issued(cast.tenant)
    pdf.pdf_lacks.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(pdf, "find_spec", lambda name: None)
        answer = member(cast.tenant).get(f"reports/{report.head.public_id}/export.pdf")
    pdf.pdf_lacks.cache_clear()
    assert answer.status_code == 501
    assert answer.json()["code"] == "format_not_installed"


@pytest.mark.parametrize(
    "wish",
    [
        {**WEEK, "last_day": "2026-11-15"},
        {**WEEK, "first_day": "2020-01-01"},
        {**WEEK, "audience": "joint"},
        {**WEEK, "audience": "everybody"},
        {**WEEK, "days": 7},
        {"audience": "own"},
    ],
)
def test_what_is_no_period_is_refused_and_nothing_is_issued(
    cast: Cast, wish: dict[str, object]
) -> None:
    assert member(cast.tenant).post("reports/", wish).status_code == 400
    with organization_scope(cast.tenant.pk):
        assert not Report.objects.for_organization(cast.tenant).exists()


def test_a_foreign_cluster_is_not_found(cast: Cast) -> None:
    wish = {**WEEK, "audience": "joint", "cluster": cast.cluster.slug}
    assert member(cast.stranger).post("reports/", wish).status_code == 404
    assert member(cast.vendor).post("reports/", wish).status_code == 201


def test_who_may_only_read_issues_nothing(cast: Cast) -> None:
    assert member(cast.tenant, MemberRole.VIEWER).post("reports/", WEEK).status_code == 404
    assert token(cast.tenant, TokenScope.READ).post("reports/", WEEK).status_code == 404


def test_who_left_keeps_what_was_issued_and_gets_nothing_new(cast: Cast) -> None:
    leave_one_tenant(cast)
    stops(cast)
    report = issued(cast.operator, audience=Audience.JOINT, cluster=cast.cluster.slug)
    asking = member(cast.vendor, MemberRole.ADMIN)
    leave(cast.vendor, cast, ParticipationRole.GPU_VENDOR)
    kept = asking.get(f"reports/{report.head.public_id}/")
    assert kept.status_code == 200
    assert kept.json()["document"] == report.document
    stops(cast, count=1)
    issued(cast.operator, audience=Audience.JOINT, cluster=cast.cluster.slug)
    later = asking.get(f"reports/{report.head.public_id}/").json()
    assert later["newest_revision"] == 1
    wish = {**WEEK, "audience": "joint", "cluster": cast.cluster.slug}
    assert asking.post("reports/", wish).status_code == 404
    assert asking.get(f"reports/{report.head.public_id}/changes/").status_code == 404


def test_schedules_are_set_by_admins_alone(cast: Cast) -> None:
    person = make.user(organization=cast.tenant)
    wish = {"audience": "own", "rhythm": "monthly", "recipients": [person.username]}
    assert member(cast.tenant).post("report-schedules/", wish).status_code == 404
    assert token(cast.tenant).post("report-schedules/", wish).status_code == 404
    admin = member(cast.tenant, MemberRole.ADMIN)
    made = admin.post("report-schedules/", wish)
    assert made.status_code == 201
    assert made.json()["next_at"] == "2026-12-01T06:00:00Z"
    again = admin.post("report-schedules/", {**wish, "to_webhook": True}).json()
    assert (again["id"], again["to_webhook"]) == (made.json()["id"], True)
    (listed,) = member(cast.tenant).get("report-schedules/").json()["results"]
    assert listed == again
    assert admin.send("DELETE", f"report-schedules/{again['id']}/").status_code == 204
    assert admin.get(f"report-schedules/{again['id']}/").status_code == 404


def test_nobody_outside_is_told(cast: Cast) -> None:
    foreign = make.user(organization=cast.stranger)
    wish = {"audience": "own", "rhythm": "weekly", "recipients": [foreign.username]}
    answer = member(cast.tenant, MemberRole.ADMIN).post("report-schedules/", wish)
    assert answer.status_code == 400
    assert foreign.username not in answer.json()["detail"]


def _signing(report: Any, **said: str) -> dict[str, object]:
    return {
        "revision": report.head.revision,
        "digest": report.head.digest,
        "stance": "settled",
        **said,
    }


def test_a_person_signs_by_rest_and_all_parties_read_it(cast: Cast) -> None:
    leave_one_tenant(cast)
    report = issued(cast.operator, audience=Audience.JOINT, cluster=cast.cluster.slug)
    at = f"reports/{report.head.public_id}/"
    told = _signing(report, stance="dissent", reason="Ours ended on Sunday.")
    answer = member(cast.vendor).post(f"{at}signatures/", told)
    assert answer.status_code == 200, answer.content
    read = member(cast.tenant).get(at).json()
    (signature,) = read["signatures"]
    assert signature["party"] == cast.vendor.slug
    assert (signature["stance"], signature["reason"]) == ("dissent", "Ours ended on Sunday.")
    assert signature["digest"] == report.head.digest
    assert cast.vendor.slug not in read["unsigned"]
    assert cast.operator.slug in read["unsigned"]
    assert read["report"]["signatures"]["dissenting"] == 1


def test_who_may_not_sign_is_told_nothing(cast: Cast) -> None:
    report = issued(cast.tenant)
    at = f"reports/{report.head.public_id}/signatures/"
    told = _signing(report)
    assert member(cast.tenant, MemberRole.VIEWER).post(at, told).status_code == 404
    assert token(cast.tenant).post(at, told).status_code == 404
    assert member(cast.stranger).post(at, told).status_code == 404
    assert member(cast.operator, MemberRole.ADMIN).post(at, told).status_code == 404
    assert member(cast.tenant).post(at, told).status_code == 200


@pytest.mark.parametrize(
    ("said", "status", "code"),
    [
        ({"stance": "dissent"}, 400, "reason_missing"),
        ({"digest": "0" * 64}, 409, "report_moved"),
        ({"revision": 2}, 409, "report_moved"),
        ({"stance": "maybe"}, 400, "invalid"),
    ],
)
def test_a_signature_that_says_nothing_is_refused(
    cast: Cast, said: dict[str, Any], status: int, code: str
) -> None:
    report = issued(cast.tenant)
    at = f"reports/{report.head.public_id}/signatures/"
    answer = member(cast.tenant).post(at, _signing(report, **said))
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert member(cast.tenant).get(f"reports/{report.head.public_id}/").json()["signatures"] == []


def test_files_say_who_signed(cast: Cast) -> None:
    report = issued(cast.tenant)
    asking, at = member(cast.tenant), f"reports/{report.head.public_id}/"
    reason = "The 17th\nis **missing** <i>"
    told = _signing(report, stance="dissent", reason=reason)
    assert asking.post(f"{at}signatures/", told).status_code == 200
    page, text = _text(asking.get(f"{at}export.html")), _text(asking.get(f"{at}export.md"))
    assert "is **missing** &lt;i&gt;" in page
    assert "## Signatures" in text
    (line,) = [each for each in text.splitlines() if "Dissents" in each]
    assert line.startswith(f"- {cast.tenant.name}: Dissents, 2026-11-23 08:00 UTC")
    assert "**missing**" not in line


def test_files_are_in_the_language_that_is_asked_for(cast: Cast) -> None:
    stops(cast)
    report = issued(cast.tenant)
    asking, at = member(cast.tenant), f"reports/{report.head.public_id}/export"
    english, korean = (
        _text(asking.get(f"{at}.html")),
        _text(asking.get(f"{at}.html", language="ko")),
    )
    assert '<html lang="en">' in english
    assert '<html lang="ko">' in korean
    assert "Incidents by layer" in english
    assert "Incidents by layer" not in korean
    assert "계층" in korean
    text = _text(asking.get(f"{at}.md", language="ko"))
    assert "Incidents by layer" not in text
    assert "계층" in text
    # What machines read is the same in each.
    assert asking.get(f"{at}.csv", language="ko").status_code == 400
    assert asking.get(f"{at}.html", language="fr").status_code == 400


def test_a_pdf_whose_letters_no_font_here_has_is_refused(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_files, "require_format", lambda form: None)
    monkeypatch.setattr(letters, "_has_font", lambda language: False)
    report = issued(cast.tenant)
    at = f"reports/{report.head.public_id}/export.pdf"
    answer = member(cast.tenant).get(at, language="ko")
    assert (answer.status_code, answer.json()["code"]) == (501, "format_not_installed")
    assert "fonts-noto-cjk" in answer.json()["detail"]
    assert letters.letters_lack("en") == ""
