"""The page of what is kept: rules, amounts, what goes next, what went and why; own rows alone."""

import re
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.conf import LazySettings
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from apps.telemetry.models import Batch, BatchState
from apps.telemetry.retention import usage
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.ageing import RAW, come_in, retire, xid
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.web.conftest import Browser
from tests.web.markup import one_line

KERNEL = {"stream": "kernel", "host": "gpu001"}


@pytest.fixture
def now() -> datetime:
    """The time that the page goes by."""
    return timezone.now()  # noqa: TID251  the page reads the clock


def page_of(organization: Organization, browser: Browser) -> str:
    """Return the page as a viewer sees it."""
    client = browser(organization, MemberRole.VIEWER)
    answer = client.get(f"/o/{organization.slug}/settings/retention/")
    assert answer.status_code == 200
    return one_line(answer.content.decode())


def measure(organization: Organization, *, now: datetime) -> None:
    """Count what an organization keeps."""
    with organization_scope(organization.pk):
        usage.measure(organization_id=organization.pk, now=now)


def test_the_page_tells_what_went_by_which_rule_and_what_goes_next(
    cast: Cast, browser: Browser, now: datetime
) -> None:
    for age in (RAW, timedelta(days=14), timedelta(days=1)):
        at = now - age
        come_in(cast.operator, cast.cluster, [xid(n, at) for n in range(30)], at=at, **KERNEL)
    retire(cast.operator, now=now)

    page = page_of(cast.operator, browser)

    assert "1 row, about" in page  # what went, and what goes at midnight
    assert "older than 14 days: came in before" in page
    assert "PORTAL_KEEP_RAW_DAYS" in page
    assert page.count('<b class="strong">Raw text</b>') == 2
    assert "90 rows, about" not in page  # the events have half a year


def test_another_party_s_deletions_are_not_on_it(
    cast: Cast, browser: Browser, now: datetime
) -> None:
    lines = [xid(n, now - RAW) for n in range(30)]
    come_in(cast.operator, cast.cluster, lines, at=now - RAW, **KERNEL)
    retire(cast.operator, now=now)

    page = page_of(cast.tenant, browser)

    assert "Nothing so far" in page
    assert "came in before" not in page


def test_incidents_are_counted_with_what_was_written_of_them(
    cast: Cast, browser: Browser, now: datetime
) -> None:
    attempt = attempt_of(cast, cast.tenant)
    before = _incidents_row(cast, browser, now)
    stop_of(cast, attempt)
    row = _incidents_row(cast, browser, now)

    assert ">0 B<" in before
    assert ">0 B<" not in row
    assert f"{make.AT.day} {make.AT:%b %Y}" in row


def _incidents_row(cast: Cast, browser: Browser, now: datetime) -> str:
    with organization_scope(cast.tenant.pk):
        usage.measure(organization_id=cast.tenant.pk, now=now)
    rows = page_of(cast.tenant, browser).split("<tr>")
    return next(row for row in rows if '<b class="strong">Incidents</b>' in row)


def test_an_outsider_finds_no_such_page(cast: Cast, browser: Browser) -> None:
    client = browser(cast.stranger)

    assert client.get(f"/o/{cast.tenant.slug}/settings/retention/").status_code == 404


def test_over_the_quota_the_page_says_that_pushes_are_refused(
    cast: Cast, browser: Browser, settings: LazySettings, now: datetime
) -> None:
    come_in(cast.operator, cast.cluster, [xid(1, now)], at=now, **KERNEL)
    with organization_scope(cast.operator.pk):
        usage.measure(organization_id=cast.operator.pk, now=now)
    assert "refused now" not in page_of(cast.operator, browser)
    settings.PORTAL_MAX_STORED_BYTES = 100

    page = page_of(cast.operator, browser)

    assert "What is sent is refused now:" in page
    assert "nothing goes before its time" in page
    assert "PORTAL_MAX_STORED_BYTES" not in page
    assert "manage.py" not in page
    assert 'class="quota is-over"' in page
    assert 'class="fill" x="0" y="0" width="100.0"' in page
    home = browser(cast.operator).get(f"/o/{cast.operator.slug}/").content.decode()
    assert "What is sent is refused now:" in home


def test_the_limit_of_one_organization_is_its_own(cast: Cast, browser: Browser) -> None:
    call_command("quota", cast.operator.slug, "7000000000", stdout=StringIO())
    for each in (cast.operator, cast.tenant):
        measure(each, now=timezone.now())  # noqa: TID251  the page reads the clock

    assert "of at most 6.5 GiB" in page_of(cast.operator, browser)
    assert "of at most 6.5 GiB" not in page_of(cast.tenant, browser)


def test_a_day_past_its_time_that_could_not_go_is_said(cast: Cast, browser: Browser) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT telemetry_make_chunk_day('2026-02-03')")

    page = page_of(cast.tenant, browser)

    late = re.search("Raw text that came in on ([^.]*) is past its time", page)
    assert late
    assert "3 Feb 2026" in late[1]  # days that other tests made stay in the database
    assert "It goes with the next hourly run, unless somebody is reading" in page


def test_bodies_that_hold_a_day_back_are_counted_for_their_owner_alone(
    cast: Cast, browser: Browser
) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT telemetry_make_chunk_day('2026-02-03')")
    at = datetime(2026, 2, 3, 23, 59, tzinfo=UTC)
    come_in(cast.operator, cast.cluster, [xid(1, at)], at=at, **KERNEL)
    with organization_scope(cast.operator.pk):
        Batch.objects.update(state=BatchState.ACCEPTED)

    assert "1 body of then still waits to be read" in page_of(cast.operator, browser)
    assert "body of then" not in page_of(cast.tenant, browser)


def test_without_a_limit_there_is_no_meter(
    cast: Cast, browser: Browser, settings: LazySettings
) -> None:
    settings.PORTAL_MAX_STORED_BYTES = 0

    page = page_of(cast.operator, browser)

    assert "no limit is set" in page
    assert 'class="quota' not in page


def test_what_was_not_measured_yet_is_no_zero(cast: Cast, browser: Browser, now: datetime) -> None:
    before = page_of(cast.operator, browser)
    measure(cast.operator, now=now)
    after = page_of(cast.operator, browser)

    assert "Not measured yet; at most" in before
    assert "About 0" not in before
    assert not re.search(r">0( |<)", before)
    assert "Not measured yet" not in after
    assert re.search(r">0( |<)", after)
