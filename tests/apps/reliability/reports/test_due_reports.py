"""Reports that are issued by themselves: once for each range, told to whom the schedule names."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from apps.fleet.models import ParticipationRole
from apps.notifications.email.emails import letter_of
from apps.notifications.models import Delivery, Notification
from apps.notifications.notification_kinds import NotificationKind
from apps.notifications.webhook.webhook_delivery import body_of
from apps.reliability import tasks
from apps.reliability.facade.report_schedules import set_schedule
from apps.reliability.models import Report
from apps.reliability.period.scopes import Audience
from apps.reliability.reports.due_reports import issue_due
from apps.reliability.reports.schedules import last_range, next_at
from apps.tenancy.models import Organization, User
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.leaving import leave
from tests.apps.notifications.receiving import free_port, person, plain, webhook
from tests.cast.incidents import Cast
from tests.cast.reports import AFTER, context_of, leave_one_tenant, stops

BEFORE = datetime(2026, 11, 20, tzinfo=UTC)


def _schedule(organization: Organization, *people: User, **wish: Any) -> str:
    told = {"audience": Audience.OWN, "cluster": None, "rhythm": "weekly", "to_webhook": False}
    with organization_scope(organization.pk):
        return set_schedule(
            context=context_of(organization, now=BEFORE),
            recipients=[each.pk for each in people],
            **{**told, **wish},
        )


def _reports(organization: Organization) -> list[Report]:
    with organization_scope(organization.pk):
        return list(Report.objects.for_organization(organization).order_by("id"))


@pytest.mark.parametrize(
    ("rhythm", "now", "first", "end"),
    [
        ("weekly", datetime(2026, 11, 23, 6, tzinfo=UTC), (11, 16), (11, 23)),
        ("weekly", datetime(2026, 11, 23, 5, 59, tzinfo=UTC), (11, 9), (11, 16)),
        ("monthly", datetime(2026, 12, 1, 6, tzinfo=UTC), (11, 1), (12, 1)),
        ("monthly", datetime(2026, 12, 1, 5, tzinfo=UTC), (10, 1), (11, 1)),
        ("monthly", datetime(2026, 3, 31, 12, tzinfo=UTC), (2, 1), (3, 1)),
    ],
)
def test_the_range_that_is_due_is_the_last_whole_one(
    rhythm: str, now: datetime, first: tuple[int, int], end: tuple[int, int]
) -> None:
    starts_at, ends_at = last_range(rhythm, now=now)
    assert (starts_at.month, starts_at.day) == first
    assert (ends_at.month, ends_at.day) == end
    following = next_at(rhythm, after=ends_at)
    assert last_range(rhythm, now=following)[0] == ends_at
    assert last_range(rhythm, now=following - timedelta(seconds=1))[1] == ends_at


def test_a_report_is_issued_once_when_its_days_are_over(cast: Cast) -> None:
    stops(cast)
    _schedule(cast.tenant)
    assert issue_due(organization_id=cast.tenant.pk, now=BEFORE) == []
    for _ in range(3):
        issue_due(organization_id=cast.tenant.pk, now=AFTER)
    (report,) = _reports(cast.tenant)
    assert f"{report.starts_at:%Y-%m-%d}" == "2026-11-16"
    assert report.issuer_name == ""


def test_of_weeks_that_passed_while_nobody_worked_the_last_is_issued(cast: Cast) -> None:
    _schedule(cast.tenant)
    issue_due(organization_id=cast.tenant.pk, now=AFTER + timedelta(days=21))
    (report,) = _reports(cast.tenant)
    assert f"{report.starts_at:%Y-%m-%d}" == "2026-12-07"


def test_those_that_it_names_are_told_and_nobody_else(cast: Cast, settings: Any) -> None:
    settings.PORTAL_SMTP = plain(free_port())
    chosen, other = (person(cast.tenant, name) for name in ("chosen", "other"))
    webhook(cast.tenant, "http://127.0.0.1:9/hook")
    stops(cast)
    _schedule(cast.tenant, chosen, to_webhook=True)
    for _ in range(2):
        issue_due(organization_id=cast.tenant.pk, now=AFTER)
    with organization_scope(cast.tenant.pk):
        rows = Delivery.objects.for_organization(cast.tenant).select_related("notice", "user")
        found = list(rows.order_by("channel"))
        letter = letter_of(
            deliveries=[found[0]], user=chosen, zone=ZoneInfo("UTC"),
            now=AFTER,
        )  # fmt: skip
        sent = body_of(found[1])
    (report,) = _reports(cast.tenant)
    assert [(each.channel, each.user_id) for each in found] == [
        ("email", chosen.pk),
        ("webhook", None),
    ]
    assert other.pk not in {each.user_id for each in found}
    assert f"Report of {cast.tenant.name}, 2026-11-16 to 2026-11-22" in letter.subject
    assert f"/reports/{report.public_id}/" in str(letter.body)
    assert report.public_id.encode() in sent
    assert report.digest.encode() in sent


def test_a_joint_report_of_two_schedules_is_one_and_tells_each_its_own(
    cast: Cast, settings: Any
) -> None:
    settings.PORTAL_SMTP = plain(free_port())
    leave_one_tenant(cast)
    stops(cast)
    wish = {"audience": Audience.JOINT, "cluster": cast.cluster.slug}
    for each, name in ((cast.operator, "manager"), (cast.tenant, "lead")):
        _schedule(each, person(each, name), **wish)
    for each in (cast.operator, cast.tenant):
        issue_due(organization_id=each.pk, now=AFTER)
    copies = {each.pk: _reports(each) for each in (cast.operator, cast.tenant, cast.vendor)}
    assert {len(rows) for rows in copies.values()} == {1}
    assert len({rows[0].digest for rows in copies.values()}) == 1
    for each in (cast.operator, cast.tenant):
        with organization_scope(each.pk):
            notice = Notification.objects.get(organization=each, kind=NotificationKind.REPORT)
        assert notice.body["report"]["digest"] == copies[each.pk][0].digest
        assert f"/o/{each.slug}/reports/" in notice.body["url"]
    with organization_scope(cast.vendor.pk):
        told = Notification.objects.filter(organization=cast.vendor)
        assert not told.filter(kind=NotificationKind.REPORT).exists()


def test_who_left_the_cluster_gets_no_more_of_its_reports(cast: Cast) -> None:
    leave_one_tenant(cast)
    _schedule(cast.vendor, audience=Audience.JOINT, cluster=cast.cluster.slug)
    leave(cast.vendor, cast, ParticipationRole.GPU_VENDOR)
    assert issue_due(organization_id=cast.vendor.pk, now=AFTER) == []
    assert _reports(cast.vendor) == _reports(cast.operator) == []


def test_the_task_issues_what_is_due_of_one_organization(cast: Cast, time_machine: Any) -> None:
    _schedule(cast.tenant)
    time_machine.move_to(AFTER, tick=False)
    tasks.issue_reports_of(organization_id=cast.operator.pk)
    assert _reports(cast.tenant) == []
    tasks.issue_reports_of(organization_id=cast.tenant.pk)
    assert len(_reports(cast.tenant)) == 1


# What a receiver outside reads of a report: which one it is, never what it says.
TOLD = {"id", "revision", "audience", "cluster", "starts_at", "ends_at", "digest"}


@pytest.mark.parametrize("audience", list(Audience))
def test_a_webhook_tells_which_report_it_is_and_nothing_that_it_says(
    cast: Cast, audience: Audience
) -> None:
    leave_one_tenant(cast)
    found = stops(cast)
    cluster = None if audience is Audience.OWN else cast.cluster.slug
    for each in (cast.operator, cast.vendor):
        webhook(each, "http://127.0.0.1:9/hook")
        _schedule(each, audience=audience, cluster=cluster, to_webhook=True)
        issue_due(organization_id=each.pk, now=AFTER)
        with organization_scope(each.pk):
            (row,) = Delivery.objects.for_organization(each).select_related("notice")
            sent = json.loads(body_of(row))["data"]
        assert set(sent["report"]) == TOLD
        assert f"/o/{each.slug}/reports/" in sent["url"]
        others = {one.slug for one in (cast.operator, cast.tenant, cast.vendor)} - {each.slug}
        words = {*others, *(one.public_id for one in found), "gpu001", "gpu-off-bus"}
        assert {word for word in words if word in json.dumps(sent)} == set()
