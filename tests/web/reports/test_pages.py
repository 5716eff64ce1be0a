"""The pages of reports: issue one, read it, see what moved, have it issued by itself."""

from collections.abc import Mapping
from datetime import timedelta

import pytest
from django.test import Client
from time_machine import TimeMachineFixture

from apps.incidents.projection.shared import shared_progress
from apps.reliability.models import Report, ReportSchedule
from apps.reliability.period.scopes import Audience
from apps.sharing.ledger.entries import LedgerUnavailable
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast
from tests.cast.reports import AFTER, issued, leave_one_tenant, stops
from tests.web.conftest import Browser
from tests.web.pressing import press, read


@pytest.fixture(autouse=True)
def _after_the_week(time_machine: TimeMachineFixture) -> None:
    time_machine.move_to(AFTER, tick=False)


def at(organization: Organization, path: str = "") -> str:
    return f"/o/{organization.slug}/reports/{path}"


def test_from_the_form_to_a_report_that_names_what_it_counts(cast: Cast, browser: Browser) -> None:
    made = stops(cast)
    asking = browser(cast.tenant)
    form = read(asking, at(cast.tenant))
    assert "No report was issued yet." in form
    # The last whole week is what the form offers.
    assert 'value="2026-11-16"' in form
    page = press(
        asking, form, "Issue it", audience="own", first_day="2026-11-16", last_day="2026-11-22"
    )

    assert "16 Nov 2026 to 22 Nov 2026" in page
    assert "Incidents by layer" in page
    assert "3 of 3, 100 %" in page
    assert "95 %:" in page
    for each in made:
        assert f"/o/{cast.tenant.slug}/incidents/{each.public_id}/" in page
    assert "not known" in page or "nobody told" in page or "nothing to count" in page
    assert "export.csv?revision=1&amp;table=in-hands" in page
    listed = read(asking, at(cast.tenant))
    assert "16 Nov 2026 to 22 Nov 2026" in listed


def test_what_moved_is_asked_for_and_issued_as_a_revision(cast: Cast, browser: Browser) -> None:
    stops(cast)
    report = issued(cast.tenant)
    asking, address = browser(cast.tenant), at(cast.tenant, f"{report.head.public_id}/")
    assert "Nothing moved since it was issued." in read(asking, f"{address}?changes=now")
    new = stops(cast, count=1)[0]
    moved = read(asking, f"{address}?changes=now")
    assert f"{new.public_id} came" in moved
    assert "Incidents: 3 → 4" in moved
    page = press(asking, moved, "Count again")
    assert "Revision 2" in page
    assert f"{new.public_id} came" in page
    old = read(asking, f"{address}?revision=1")
    assert "3 of 3, 100 %" in old


def test_counting_again_without_news_changes_nothing(cast: Cast, browser: Browser) -> None:
    stops(cast)
    report = issued(cast.tenant)
    asking = browser(cast.tenant)
    page = read(asking, at(cast.tenant, f"{report.head.public_id}/"))
    assert "Nothing moved since it was issued: it stands." in press(asking, page, "Count again")
    with organization_scope(cast.tenant.pk):
        assert Report.objects.for_organization(cast.tenant).count() == 1


def test_all_parties_read_the_joint_report(cast: Cast, browser: Browser) -> None:
    leave_one_tenant(cast)
    stops(cast)
    report = issued(cast.operator, audience=Audience.JOINT, cluster=cast.cluster.slug)
    for party in (cast.tenant, cast.vendor):
        page = read(browser(party), at(party, f"{report.head.public_id}/"))
        assert report.head.digest in page
        assert "Which parts are blamed: hidden by policy" in page
        assert "gpu001" not in page


def test_others_find_no_report_of_an_organization(cast: Cast, browser: Browser) -> None:
    report = issued(cast.tenant)
    for outsider in (cast.operator, cast.other_tenant, cast.stranger):
        for path in (f"{report.head.public_id}/", f"{report.head.public_id}/issue/"):
            asking = browser(outsider, MemberRole.ADMIN)
            ask = asking.post if path.endswith("issue/") else asking.get
            assert ask(at(outsider, path)).status_code == 404


def test_days_that_are_none_are_refused_and_nothing_is_lost(cast: Cast, browser: Browser) -> None:
    asking = browser(cast.tenant)
    for days in (("2026-11-22", "2026-11-16"), ("nonsense", ""), ("2020-01-01", "2026-11-22")):
        sent = {"audience": "own", "first_day": days[0], "last_day": days[1]}
        answer = asking.post(at(cast.tenant, "issue/"), sent, follow=True)
        assert "Not issued" in answer.content.decode()
    with organization_scope(cast.tenant.pk):
        assert not Report.objects.for_organization(cast.tenant).exists()


def test_who_only_reads_sees_reports_and_issues_none(cast: Cast, browser: Browser) -> None:
    report = issued(cast.tenant)
    asking = browser(cast.tenant, MemberRole.VIEWER)
    page = read(asking, at(cast.tenant, f"{report.head.public_id}/"))
    assert "Count again" not in page
    assert "Issue a report" not in read(asking, at(cast.tenant))
    sent = {"audience": "own", "first_day": "2026-11-16", "last_day": "2026-11-22"}
    assert asking.post(at(cast.tenant, "issue/"), sent).status_code == 404


def test_an_admin_has_one_issued_by_itself(cast: Cast, browser: Browser) -> None:
    member = make.user(organization=cast.tenant)
    asking = browser(cast.tenant, MemberRole.ADMIN)
    form = read(asking, at(cast.tenant))
    sent = {"audience": "own", "rhythm": "weekly", "recipient": [str(member.pk)]}
    page = _set(asking, cast.tenant, sent)
    assert "No schedule yet." in form
    assert "every week: own sessions" in page
    # Monday the 23rd is over at midnight; the next Monday's comes at six.
    assert "30 Nov 2026 06:00" in page
    ended = press(asking, page, "End it")
    assert "No more reports come by this schedule." in ended
    with organization_scope(cast.tenant.pk):
        assert not ReportSchedule.objects.for_organization(cast.tenant).exists()


def test_who_manages_nothing_sets_no_schedule(cast: Cast, browser: Browser) -> None:
    asking = browser(cast.tenant, MemberRole.RESPONDER)
    answer = asking.post(_schedules(cast.tenant), {"audience": "own", "rhythm": "weekly"})
    assert answer.status_code == 404
    assert "Add a schedule" not in read(asking, at(cast.tenant))


def test_nobody_outside_is_made_a_recipient(cast: Cast, browser: Browser) -> None:
    foreign = make.user(organization=cast.stranger)
    asking = browser(cast.tenant, MemberRole.ADMIN)
    sent = {"audience": "own", "rhythm": "weekly", "recipient": [str(foreign.pk)]}
    assert "Not set" in _set(asking, cast.tenant, sent)


def test_a_range_that_is_not_over_says_so(
    cast: Cast, browser: Browser, time_machine: TimeMachineFixture
) -> None:
    time_machine.move_to(AFTER - timedelta(days=2), tick=False)
    report = issued(cast.tenant, now=AFTER - timedelta(days=2))
    page = read(browser(cast.tenant), at(cast.tenant, f"{report.head.public_id}/"))
    assert "Its days were not over when it was issued." in page


def _schedules(organization: Organization) -> str:
    return f"/o/{organization.slug}/report-schedules/"


def _set(asking: Client, organization: Organization, sent: Mapping[str, object]) -> str:
    answer = asking.post(_schedules(organization), dict(sent), follow=True)
    return answer.content.decode()


@pytest.mark.django_db
def test_nothing_is_counted_while_the_ledger_can_not_be_written(
    cast: Cast, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unwritable(**_: object) -> None:
        raise LedgerUnavailable

    monkeypatch.setattr(shared_progress, "write_looks", unwritable)
    sent = {
        "audience": "cluster",
        "cluster": cast.cluster.slug,
        "first_day": "2026-11-16",
        "last_day": "2026-11-22",
    }
    answer = browser(cast.operator).post(
        f"/o/{cast.operator.slug}/reports/issue/", sent, follow=True
    )
    assert answer.status_code == 200
    assert "written down now" in answer.content.decode()
    with organization_scope(cast.operator.pk):
        assert not Report.objects.filter(organization=cast.operator).exists()
