"""Home, lists, session, sources: they render, stay inside the organization, are quick."""

import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from apps.fleet.models import Attempt, Session
from apps.incidents.correlation import stop_folding
from apps.incidents.models import Incident
from apps.operations.http.bad_requests import PAGES
from apps.tenancy.models import MemberRole
from apps.tenancy.scope import organization_scope
from apps.web.settings.tabs import TABS
from tests.apps.incidents.correlation.stopped_attempts import attempts
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.web.conftest import Browser
from tests.web.markup import one_line

PLACES = ("", "incidents/", "warnings/", "sessions/", "sources/", "upload/")


@pytest.mark.parametrize("place", PLACES)
def test_each_page_renders_for_a_member_and_is_not_there_for_an_outsider(
    cast: Cast, incident: Incident, browser: Browser, place: str
) -> None:
    there = f"/o/{cast.tenant.slug}/{place}"
    assert browser(cast.tenant).get(there).status_code == 200
    assert browser(cast.stranger).get(there).status_code == 404
    assert Client().get(there).status_code == 302


@pytest.mark.parametrize("place", PLACES)
def test_each_page_renders_for_an_organization_with_nothing_in_it(
    db: None, browser: Browser, place: str
) -> None:
    alone = make.organization()
    assert browser(alone).get(f"/o/{alone.slug}/{place}").status_code == 200


@pytest.mark.parametrize("place", ["", "incidents/"])
def test_lists_name_what_broke_and_what_to_do(
    cast: Cast, incident: Incident, browser: Browser, place: str
) -> None:
    text = browser(cast.tenant).get(f"/o/{cast.tenant.slug}/{place}").content.decode()
    assert incident.public_id in text
    assert "fell off the bus" in text
    assert "Restart without gpu001." in text


def test_what_waits_for_the_reader_is_marked(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    operator = browser(cast.operator).get(f"/o/{cast.operator.slug}/").content.decode()
    tenant = browser(cast.tenant).get(f"/o/{cast.tenant.slug}/").content.decode()
    assert 'class="is-mine"' in operator
    assert 'class="is-mine"' not in tenant


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("?status=open", 2),
        ("?status=resolved", 0),
        ("?layer=gpu", 2),
        ("?layer=storage", 0),
        ("?layer=nonsense&status=x&before=yesterday", 2),
        ("?before=2001-01-01T00:00:00Z", 0),
    ],
)
def test_the_list_is_filtered_by_its_address(
    cast: Cast, incident: Incident, browser: Browser, query: str, count: int
) -> None:
    response = browser(cast.tenant).get(f"/o/{cast.tenant.slug}/incidents/{query}")
    assert response.content.decode().count(incident.public_id) == count


@pytest.mark.parametrize("place", ["", "incidents/", "sessions/"])
def test_many_incidents_take_no_more_queries_than_one(
    cast: Cast,
    browser: Browser,
    django_assert_max_num_queries: DjangoAssertNumQueries,
    place: str,
) -> None:
    for _ in range(5):
        stop_of(cast, attempt_of(cast, cast.tenant))
    client = browser(cast.tenant)
    with django_assert_max_num_queries(42):
        client.get(f"/o/{cast.tenant.slug}/{place}")


def test_a_session_that_stops_again_is_one_line_that_leads_to_all(
    cast: Cast, browser: Browser
) -> None:
    stops = [stop_of(cast, each) for each in attempts(cast, cast.tenant, 3)]
    ids = [each.public_id for each in stops]
    for who in (cast.tenant, cast.operator, cast.vendor):
        reader, there = browser(who), f"/o/{who.slug}/incidents/"
        text = one_line(reader.get(there).content.decode())
        assert [each in text for each in ids] == [False, False, True]
        assert f'href="{there}?line={ids[-1]}">3 times in a row' in text
        every = reader.get(f"{there}?line={ids[-1]}").content.decode()
        assert all(each in every for each in ids)
        assert [each in reader.get(f"/o/{who.slug}/").content.decode() for each in ids] == [
            *(False, False, True),
        ]
    outsider = browser(cast.stranger)
    assert outsider.get(f"/o/{cast.stranger.slug}/incidents/?line={ids[-1]}").status_code == 404


def test_a_flood_is_one_line_with_its_tenant_and_number(
    cast: Cast, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stop_folding, "LINES_AN_HOUR", 1)
    for _ in range(4):
        stop_of(cast, attempt_of(cast, cast.tenant))
    text = browser(cast.operator).get(f"/o/{cast.operator.slug}/incidents/").content.decode()
    assert f"3 further stops of {cast.tenant.name} within the hour" in text
    assert text.count("row-link") == 2


def test_a_session_shows_its_attempts_and_incident_to_those_who_may_see_it(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    with organization_scope(*cast.ids):
        session = Session.objects.get(organization=cast.tenant)
    for reader in (cast.tenant, cast.operator):
        response = browser(reader).get(f"/o/{reader.slug}/sessions/{session.public_id}/")
        assert session.name in response.content.decode()
        assert incident.public_id in response.content.decode()


@pytest.mark.parametrize("who", ["vendor", "other_tenant", "stranger"])
def test_a_session_is_not_there_for_vendors_and_others(
    cast: Cast, incident: Incident, browser: Browser, who: str
) -> None:
    with organization_scope(*cast.ids):
        session = Session.objects.get(organization=cast.tenant)
    outsider = getattr(cast, who)
    there = f"/o/{outsider.slug}/sessions/{session.public_id}/"
    assert browser(outsider).get(there).status_code == 404


def test_sources_wait_for_the_first_line_with_a_command_to_copy(
    cast: Cast, browser: Browser
) -> None:
    text = browser(cast.tenant).get(f"/o/{cast.tenant.slug}/sources/").content.decode()
    assert "Waiting for the first line…" in text
    assert f"/api/v1/logs?session=my-run&amp;cluster={cast.cluster.slug}" in text


def test_the_switcher_names_only_organizations_one_belongs_to(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    text = browser(cast.tenant).get(f"/o/{cast.tenant.slug}/").content.decode()
    assert f"/o/{cast.tenant.slug}/" in text
    assert f"/o/{cast.stranger.slug}/" not in text


@pytest.mark.parametrize(("cookie", "mark"), [("dark", 'class="dark"'), ("<b>", "<html lang")])
def test_the_theme_of_the_cookie_is_set_on_the_server(
    cast: Cast, browser: Browser, cookie: str, mark: str
) -> None:
    client = browser(cast.tenant)
    client.cookies["theme"] = cookie
    text = client.get(f"/o/{cast.tenant.slug}/").content.decode()
    assert mark in text
    assert "<b>" not in text.split("</head>")[0]


@pytest.mark.parametrize(("zone", "told"), [("Asia/Seoul", {"KST"}), ("../etc/passwd", set())])
def test_local_time_follows_the_browsers_zone_when_it_is_one(
    cast: Cast, incident: Incident, browser: Browser, zone: str, told: set[str]
) -> None:
    client = browser(cast.tenant)
    client.cookies["zone"] = zone
    text = client.get(f"/o/{cast.tenant.slug}/incidents/{incident.public_id}/").content.decode()
    assert {"KST"} & set(re.findall("[A-Z]{3}", text)) == told


def test_an_address_that_names_nothing_answers_with_a_page(db: None) -> None:
    response = Client().get("/no-such-place/")
    assert response.status_code == 404
    assert "There is nothing here for you" in response.content.decode()


def test_home_is_told_of_news_and_of_nothing_else(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    client, there = browser(cast.tenant), f"/o/{cast.tenant.slug}/"
    seen = re.search(r"seen=([0-9a-f]{8})", client.get(there).content.decode())
    assert seen is not None
    assert client.get(f"{there}?seen={seen[1]}").status_code == 204
    stop_of(cast, attempt_of(cast, cast.tenant))
    assert client.get(f"{there}?seen={seen[1]}").status_code == 200


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("incidnts/", "incidents/"),
        ("incidents", ""),  # Django leads there by itself
        ("incidnts/INC-1/", "incidents/INC-1/"),
        ("incidnts/INC-1", "incidents/INC-1/"),
        ("settings/membres/", "settings/members/"),
        ("settingz/audt/", "settings/audit/"),
        ("sources/konnect/", ""),  # the name of a source
        ("qqqq/", ""),
    ],
)
def test_a_mistyped_address_is_answered_with_the_one_that_was_meant(
    cast: Cast, browser: Browser, typed: str, meant: str
) -> None:
    home = f"/o/{cast.tenant.slug}/"
    answer = browser(cast.tenant).get(home + typed)
    text = answer.content.decode()

    assert answer.status_code in {301, 404}
    assert ("Is this the address that was meant?" in text) == bool(meant)
    assert f'href="{home}{meant}"' in text or not meant


def test_nobody_is_told_of_addresses_of_others(cast: Cast, browser: Browser) -> None:
    client = browser(cast.stranger)
    for typed in ("incidnts/", "incidents/INC-1/"):
        answer = client.get(f"/o/{cast.tenant.slug}/{typed}")
        assert answer.status_code == 404
        assert "that was meant" not in answer.content.decode()


def test_the_pages_that_are_named_for_mistyped_ones_are_all_that_one_goes_to(
    cast: Cast, browser: Browser
) -> None:
    home = f"/o/{cast.tenant.slug}/"
    client = browser(cast.tenant, MemberRole.ADMIN)
    ends = [f"{page}/" for page in PAGES]
    ends += [f"{page}/{tab}/" for page, tabs in PAGES.items() for tab in tabs]
    linked = {
        link
        for end in ends
        for link in re.findall(rf'href="{home}([a-z]+/)"', client.get(home + end).content.decode())
    }

    assert {end for end in ends if client.get(home + end, follow=True).status_code != 200} == set()
    assert linked <= set(ends)
    assert set(PAGES["settings"]) == {tab.key for tab in TABS}


def test_a_session_whose_size_nobody_reported_is_running_all_the_same(
    cast: Cast, browser: Browser
) -> None:
    unsized = attempt_of(cast, cast.tenant, state="running", hosts=[])
    there = f"/o/{cast.tenant.slug}/"
    text = browser(cast.tenant).get(there).content.decode()
    assert f"{unsized.session.name} is running." in text

    with organization_scope(*cast.ids):
        Attempt.objects.filter(pk=unsized.pk).update(hosts=["gpu001"])
    text = browser(cast.tenant).get(there).content.decode()
    assert f"{unsized.session.name} is running on 1 node." in text


@pytest.mark.parametrize("place", ["", "sessions/", "session"])
def test_a_session_that_is_called_by_a_number_is_listed_with_its_job(
    cast: Cast, browser: Browser, place: str
) -> None:
    session = attempt_of(cast, cast.tenant, started_at=make.AT).session
    with organization_scope(cast.tenant.pk):
        Session.objects.filter(pk=session.pk).update(name="9001", job="lantern-70b")
    where = f"sessions/{session.public_id}/" if place == "session" else place
    there = f"/o/{cast.tenant.slug}/{where}"
    assert "9001 (lantern-70b)" in browser(cast.tenant).get(there).content.decode()
    assert browser(cast.stranger).get(there).status_code == 404
    with organization_scope(cast.tenant.pk):
        Session.objects.filter(pk=session.pk).update(job="9001")
    assert "(9001)" not in browser(cast.tenant).get(there).content.decode()
