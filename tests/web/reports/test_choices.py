"""What the form of reports offers, keeps, and says of what was filled in wrongly."""

import re
from typing import Any

import pytest
from django.test import Client
from time_machine import TimeMachineFixture

from apps.reliability.facade.report_schedules import set_schedule
from apps.reliability.period.scopes import Audience
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of
from tests.cast.reports import AFTER, context_of
from tests.web.conftest import Browser
from tests.web.markup import one_line
from tests.web.pressing import read


@pytest.fixture(autouse=True)
def _after_the_week(time_machine: TimeMachineFixture) -> None:
    time_machine.move_to(AFTER, tick=False)


def offered(page: str) -> tuple[str, str, list[str]]:
    """Return what the form that issues has chosen: of whom, of which cluster, the days."""
    form = page[page.index('id="issue"') : page.index('id="schedules"')]
    audience = re.search(r'value="(\w+)" checked', form)
    cluster = re.search(r'<option value="([\w-]*)" selected', form)
    days = re.findall(r'type="date"[^>]* value="([\d-]+)"', form)
    return (audience[1] if audience else "", cluster[1] if cluster else "", days)


def sent_back(asking: Client, who: Organization, **typed: Any) -> str:
    """Send the form, and return the page that follows."""
    answer = asking.post(f"/o/{who.slug}/reports/issue/", typed, follow=True)
    return one_line(answer.content.decode())


def test_who_comes_from_reliability_finds_its_days_and_view_chosen(
    cast: Cast, browser: Browser
) -> None:
    asked = f"?view=joint&cluster={cast.cluster.slug}&from=2026-11-01&until=2026-11-09"
    page = read(browser(cast.tenant), f"/o/{cast.tenant.slug}/reports/{asked}")
    assert offered(page) == ("joint", cast.cluster.slug, ["2026-11-01", "2026-11-09"])


def test_who_has_no_sessions_is_offered_the_cluster(cast: Cast, browser: Browser) -> None:
    attempt_of(cast, cast.tenant)
    page = read(browser(cast.operator), f"/o/{cast.operator.slug}/reports/")
    assert offered(page) == ("cluster", cast.cluster.slug, ["2026-11-16", "2026-11-22"])
    page = read(browser(cast.tenant), f"/o/{cast.tenant.slug}/reports/")
    assert offered(page) == ("own", "", ["2026-11-16", "2026-11-22"])


def test_usual_days_are_chosen_by_one_press_and_keep_the_view(cast: Cast, browser: Browser) -> None:
    asking = browser(cast.operator)
    there = f"/o/{cast.operator.slug}/reports/"
    page = read(asking, f"{there}?view=joint&cluster={cast.cluster.slug}")
    links = re.findall(r'<a href="([^"]*)"[^>]*>Last month</a>', page)
    assert len(links) == 1
    page = read(asking, there + links[0].replace("&amp;", "&").partition("#")[0])
    assert offered(page) == ("joint", cast.cluster.slug, ["2026-10-01", "2026-10-31"])


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ({"first_day": "soon", "last_day": "2026-11-22"}, "“First day (UTC)”, soon, is no day"),
        ({"first_day": "2026-11-16", "last_day": ""}, "“Last day (UTC), included” is empty"),
        ({"first_day": "2026-11-22", "last_day": "2026-11-16"}, "the last day is before the first"),
        ({"first_day": "2020-01-01", "last_day": "2026-11-22"}, "400 days at most"),
        (
            {"first_day": "2026-11-16", "last_day": "2026-11-22", "audience": "joint"},
            "choose the cluster",
        ),
    ],
)
def test_each_wrong_field_is_named_alone(
    cast: Cast, browser: Browser, typed: dict[str, str], told: str
) -> None:
    page = sent_back(browser(cast.tenant), cast.tenant, **{"audience": "own", **typed})
    assert told in page
    assert page.count("Not issued:") == 1


def test_what_was_right_comes_back_as_it_was_filled_in(cast: Cast, browser: Browser) -> None:
    typed = {"audience": "joint", "first_day": "2026-10-05", "last_day": "2026-10-06"}
    audience, _cluster, days = offered(sent_back(browser(cast.tenant), cast.tenant, **typed))
    assert (audience, days) == ("joint", ["2026-10-05", "2026-10-06"])


def test_a_cluster_of_others_is_not_offered(cast: Cast, browser: Browser) -> None:
    asked = f"?view=cluster&cluster={make.cluster().slug}"
    page = read(browser(cast.tenant), f"/o/{cast.tenant.slug}/reports/{asked}")
    assert "is no cluster that is known" in page
    assert offered(page)[1] == cast.cluster.slug


@pytest.mark.parametrize("sends_mail", [True, False])
def test_who_is_told_by_no_mail_is_said(
    cast: Cast, browser: Browser, settings: Any, *, sends_mail: bool
) -> None:
    settings.PORTAL_SMTP = {"host": "127.0.0.1"} if sends_mail else None
    member = make.user(organization=cast.tenant)
    with organization_scope(cast.tenant.pk):
        set_schedule(
            context=context_of(cast.tenant),
            audience=Audience.OWN,
            cluster=None,
            rhythm="weekly",
            recipients=[member.pk],
            to_webhook=False,
        )
    page = read(browser(cast.tenant), f"/o/{cast.tenant.slug}/reports/")
    told = f"{member.username}: not told, this portal has no mail server"
    assert (told in page) is not sends_mail
    assert member.username in page
