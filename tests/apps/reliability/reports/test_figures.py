"""Figures of reports: what is hidden is absent everywhere, nothing reaches beyond its moment."""

from datetime import timedelta
from typing import Any

import pytest

from apps.fleet.models import Attempt
from apps.reliability.period.scopes import Audience
from apps.reliability.reports.forms.layout import ReportText, report_text
from apps.reliability.reports.forms.report_csv import report_csv
from apps.reliability.reports.forms.report_markdown import report_markdown
from apps.reliability.reports.report_values import ReportView
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.cast.reports import AFTER, figure, issued, leave_one_tenant, rows, stops

HIDDEN = "hidden by policy"


def told(report: ReportView) -> ReportText:
    """Return a report in English words."""
    return report_text(report.document, changes=())


def cells(report: ReportView, key: str) -> list[dict[str, str]]:
    """Return the rows of a table by their headings, as a page shows them."""
    table = next(each for each in told(report).tables if each.key == key)
    names = [each.text for each in table.headings]
    return [dict(zip(names, (c.text for c in row), strict=True)) for row in table.rows]


def csv_rows(document: Any, table: str) -> tuple[list[str], list[list[str]]]:
    """Return the head and the rows of a table's file."""
    text = b"".join(report_csv(document, table=table)).decode().lstrip("\ufeff")
    head, *body = [line.split(",") for line in text.splitlines()]
    return head, body


def lost(cast: Cast) -> None:
    """Let 64 GPUs of the tenant stop for an hour."""
    attempt = attempt_of(
        cast,
        cast.tenant,
        started_at=make.AT - timedelta(hours=3),
        ended_at=make.AT - timedelta(hours=2),
        state="failed",
        world_size=64,
        hosts=["gpu001"],
    )
    stop_of(cast, attempt)


@pytest.mark.django_db
@pytest.mark.parametrize("view", [Audience.JOINT, Audience.CLUSTER])
def test_hidden_losses_and_sessions_are_no_zeros_in_any_form(cast: Cast, view: Audience) -> None:
    leave_one_tenant(cast)
    lost(cast)
    report = issued(cast.vendor, audience=view, cluster=cast.cluster.slug)
    sessions = figure(report, "sessions")
    assert (sessions["value"], sessions["absence"]) == (None, "hidden")
    (row,) = rows(report, "lost-by-layer")
    assert (row["gpu_hours"], row["gpu_hours_share"], row["absence"]) == (None, None, "hidden")
    (shown,) = cells(report, "lost-by-layer")
    assert {shown["GPU-hours"], shown["Share of GPU-hours"], shown["Disputed GPU-hours"]} == {
        HIDDEN
    }
    head, (line,) = csv_rows(report.document, "lost-by-layer")
    assert line[head.index("gpu_hours")] == ""
    assert line[head.index("absence")] == "hidden"
    text = report_markdown(report, title="Report")
    assert "0.0 h" not in text
    assert HIDDEN in text


@pytest.mark.django_db
def test_nobody_holds_an_incident_beyond_the_moment_of_issue(cast: Cast) -> None:
    (incident,) = stops(cast, count=1)
    moment = incident.detected_at + timedelta(minutes=10)
    (row,) = rows(issued(cast.tenant, now=moment), "in-hands")
    assert row["seconds"] == 600
    (later,) = rows(issued(cast.tenant, now=AFTER), "in-hands")
    assert later["seconds"] > row["seconds"]


@pytest.mark.django_db
def test_columns_of_a_file_have_each_a_name_of_their_own(cast: Cast) -> None:
    lost(cast)
    document = issued(cast.tenant).document
    for table in [each["key"] for each in document["tables"]]:
        head, _body = csv_rows(document, table)
        assert len(head) == len(set(head)), table
    head, (line,) = csv_rows(document, "lost-by-layer")
    (row,) = rows(issued(cast.tenant), "lost-by-layer")
    assert float(line[head.index("share_low")]) == row["share"]["low"]
    assert line[head.index("at_least")] == str(row["at_least"]).lower()


@pytest.mark.django_db
def test_a_report_of_the_first_form_is_still_read_and_its_columns_are_told_apart(
    cast: Cast,
) -> None:
    lost(cast)
    document = dict(issued(cast.tenant).document)
    document["schema"] = "faultline.report/1"
    old = {"gpu_hours_share_low": "share_low", "gpu_hours_share_high": "share_high"}
    new = {"at_least", "absence"}
    document["tables"] = [
        {
            **table,
            "columns": [
                {**each, "key": old.get(each["key"], each["key"])}
                for each in table["columns"]
                if each["key"] not in new
            ],
            "rows": [
                {old.get(k, k): v for k, v in row.items() if k not in new} for row in table["rows"]
            ],
        }
        for table in document["tables"]
    ]
    head, (line,) = csv_rows(document, "lost-by-layer")
    assert len(head) == len(set(head))
    (row,) = next(each["rows"] for each in document["tables"] if each["key"] == "lost-by-layer")
    assert float(line[head.index("share_low")]) == row["share"]["low"]
    names = [each.key for each in report_text(document, changes=()).tables]
    assert "lost-by-layer" in names


@pytest.mark.django_db
def test_hidden_zeros_of_a_report_of_the_first_form_are_shown_as_hidden(cast: Cast) -> None:
    lost(cast)
    report = issued(cast.vendor, audience=Audience.CLUSTER, cluster=cast.cluster.slug)
    document = {**report.document, "schema": "faultline.report/1"}
    zero = {"gpu_hours": 0.0, "gpu_hours_share": 0.0, "disputed_gpu_hours": 0.0}
    document["tables"] = [
        {**each, "rows": [{**row, **zero, "absence": None} for row in each["rows"]]}
        for each in document["tables"]
        if each["key"] == "lost-by-layer"
    ]
    (table,) = report_text(document, changes=()).tables
    names = [each.text for each in table.headings]
    (row,) = table.rows
    assert row[names.index("GPU-hours")].text == HIDDEN
    assert row[names.index("Share of GPU-hours")].text == HIDDEN


@pytest.mark.django_db
def test_a_sum_of_which_parts_are_not_known_is_at_least_so_much_in_the_file(cast: Cast) -> None:
    attempt = attempt_of(
        cast,
        cast.tenant,
        started_at=make.AT - timedelta(hours=3),
        ended_at=make.AT - timedelta(hours=2),
        state="failed",
        world_size=64,
        hosts=["gpu001"],
    )
    with organization_scope(cast.tenant.pk):
        Attempt.objects.create(
            organization=cast.tenant,
            session=attempt.session,
            number=2,
            state="running",
            started_at=make.AT - timedelta(hours=1),
            world_size=64,
        )
    stop_of(cast, attempt)
    report = issued(cast.tenant)
    assert figure(report, "lost-gpu-hours")["at_least"] is True
    head, body = csv_rows(report.document, "figures")
    (line,) = [each for each in body if each[0] == "lost-gpu-hours"]
    assert line[head.index("at_least")] == "true"
    (shown,) = cells(report, "lost-by-layer")
    assert shown["GPU-hours"] == "at least 64.0 h"


@pytest.mark.django_db
def test_shares_say_of_what_they_are_and_nobody_has_a_name(cast: Cast) -> None:
    attempt = attempt_of(cast, cast.tenant, started_at=make.AT - timedelta(hours=1))
    stop_of(cast, attempt, layer="", cause="", verdict_status="unknown", culprits=[])
    report = issued(cast.tenant)
    (shown,) = cells(report, "lost-by-party")
    assert shown["Name"] == "nobody: no layer is blamed"
    document = dict(report.document)
    use = {"key": "use", "kind": "use"}
    share = {"key": "share", "kind": "ratio"}
    document["tables"] = [{"key": "time-uses", "columns": [use, share], "rows": [], "left_out": 0}]
    (table,) = report_text(document, changes=()).tables
    assert [each.text for each in table.headings] == ["Use", "Share of the wall clock"]


@pytest.mark.django_db
def test_attempts_that_a_figure_counts_are_named(cast: Cast) -> None:
    lost(cast)
    report = issued(cast.tenant)
    named = next(each for each in told(report).figures if each.key == "time-to-failure")
    (link,) = named.attempts
    assert link.text == f"{link.session}#1"
    assert link.query == "?attempt=1"
    assert named.more == 0


@pytest.mark.django_db
def test_verdicts_without_an_answer_are_not_called_wrong(cast: Cast) -> None:
    stops(cast, count=2)
    report = issued(cast.tenant, now=make.AT + timedelta(minutes=5))
    assert figure(report, "agreed")["value"] == 0
    assert figure(report, "contested")["value"] == 0
    assert figure(report, "not-answered")["value"] == 2


def test_sessions_that_its_readers_may_not_know_of_are_hidden_and_not_none(cast: Cast) -> None:
    leave_one_tenant(cast)
    stops(cast)
    joint = issued(cast.operator, audience=Audience.JOINT, cluster=cast.cluster.slug)
    told = figure(joint, "sessions")
    assert (told["value"], told["absence"]) == (None, "hidden")
    assert figure(issued(cast.tenant), "sessions")["value"] is not None
