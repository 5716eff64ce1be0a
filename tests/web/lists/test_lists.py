"""Lists that their address narrows, orders and pages; each beside who may not learn that way."""

import re

import pytest

from apps.incidents.models import Incident, IncidentParty
from apps.incidents.states import IncidentStatus
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from apps.web.incidents import view as incidents_view
from apps.web.sessions import view as sessions_view
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.cast.warnings import warn
from tests.web.conftest import Browser
from tests.web.markup import one_line


def page(browser: Browser, who: Organization, place: str) -> str:
    """Return a page as a member of an organization sees it."""
    answer = browser(who).get(f"/o/{who.slug}/{place}")
    assert answer.status_code == 200
    return one_line(answer.content.decode())


def listed(browser: Browser, who: Organization, query: str, of: str = "incidents") -> list[str]:
    """Return the ids that a list links, in order."""
    text = page(browser, who, f"{of}/?{query}")
    found = re.findall(rf'class="row-link" href="/o/{who.slug}/{of}/([^/]+)/"', text)
    return list(dict.fromkeys(found))


@pytest.mark.parametrize(
    ("holds", "lacks"),
    [
        ("cause=gpu-off-bus", "cause=gpu-throttling"),
        ("host=gpu001", "host=gpu002"),
        ("since=2026-11-21&until=2026-11-21", "since=2026-11-22"),
        ("status=open", "status=resolved"),
        ("layer=gpu", "layer=network"),
        ("with=us", "with=us&layer=network"),
    ],
)
def test_incidents_are_narrowed(
    cast: Cast, incident: Incident, browser: Browser, holds: str, lacks: str
) -> None:
    assert listed(browser, cast.operator, holds) == [incident.public_id]
    assert listed(browser, cast.operator, lacks) == []
    assert listed(browser, cast.stranger, holds) == []


def test_only_who_has_it_finds_it_with_us(cast: Cast, incident: Incident, browser: Browser) -> None:
    assert listed(browser, cast.operator, "with=us") == [incident.public_id]
    assert listed(browser, cast.other_tenant, "with=us") == []


def test_incidents_are_narrowed_by_session_for_who_may_know_it(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    with organization_scope(*cast.ids):
        name = incident.attempt.session.name  # type: ignore[union-attr]  # a stop has one

    assert listed(browser, cast.tenant, f"session={name}") == [incident.public_id]
    assert listed(browser, cast.vendor, f"session={name}") == []
    assert listed(browser, cast.vendor, "") == [incident.public_id]


def test_who_does_not_see_whom_it_blames_does_not_narrow_by_that(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    with organization_scope(cast.vendor.pk):
        mine = IncidentParty.objects.for_organization(cast.vendor).filter(incident=incident)
        mine.update(sees_culprit=False)

    assert listed(browser, cast.vendor, "host=gpu001") == []
    assert listed(browser, cast.vendor, "cause=gpu-off-bus") == [incident.public_id]


def test_parties_that_one_met_are_offered_and_no_others(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    assert listed(browser, cast.tenant, f"party={cast.operator.slug}") == [incident.public_id]
    text = page(browser, cast.tenant, f"incidents/?party={cast.other_tenant.slug}")
    nobody = page(browser, cast.tenant, "incidents/?party=nobody-at-all")

    for each in (text, nobody):
        assert "is no party that is known" in each
        assert incident.public_id in each


@pytest.mark.parametrize(
    "query", ["cause=gpu-of-bus", "since=yesterday", "host=%20a%20b", "sort=colour", "cursor=x"]
)
def test_nonsense_says_so_and_narrows_nothing(
    cast: Cast, incident: Incident, browser: Browser, query: str
) -> None:
    text = page(browser, cast.operator, f"incidents/?{query}")

    assert 'class="message message-doubt" role="status"' in text
    assert incident.public_id in text


def test_a_span_that_ends_before_it_begins_says_so(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    text = page(browser, cast.operator, "incidents/?since=2026-11-20&until=2026-11-10")

    assert "It ends before it begins" in text
    assert incident.public_id in text


def test_each_thing_it_is_narrowed_by_can_be_taken_off(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    text = page(browser, cast.operator, "incidents/?status=open&host=gpu001")

    assert re.search(r'class="chip" href="\?status=open"', text)
    assert re.search(r'class="chip" href="\?host=gpu001"', text)


def test_pages_follow_each_other_whatever_the_order(
    cast: Cast, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [
        stop_of(cast, attempt_of(cast, cast.tenant), culprits=[{"kind": "node", "host": f"n{n}"}])
        for n in range(5)
    ]
    monkeypatch.setattr(incidents_view, "PAGE_SIZE", 2)
    for sort in ("", "began", "-layer", "state"):
        seen, query = [], f"party={cast.operator.slug}&sort={sort}"
        for _ in range(3):
            text = page(browser, cast.operator, f"incidents/?{query}")
            seen += re.findall(r'class="row-link" href="/o/[^/]+/incidents/([^/]+)/"', text)
            later = re.search(r'class="pager"><a class="text-link" href="\?([^"]+)"', text)
            query = later[1].replace("&amp;", "&") if later else ""
        assert sorted(seen) == sorted(each.public_id for each in made)
        assert query == ""


def test_a_cursor_of_another_order_begins_at_the_start(
    cast: Cast, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        attempt_of(cast, cast.tenant)
    monkeypatch.setattr(sessions_view, "PAGE_SIZE", 2)
    text = page(browser, cast.tenant, "sessions/?sort=name")
    cursor = re.search(r"cursor=([^\"&]+)", text.partition('class="pager"')[2])
    assert cursor

    text = page(browser, cast.tenant, f"sessions/?sort=-name&cursor={cursor[1]}")

    assert "does not say where to go on" in text


def test_sessions_are_narrowed_for_who_may_know_them(cast: Cast, browser: Browser) -> None:
    failed = attempt_of(cast, cast.tenant, state="failed", hosts=["gpu071"])
    attempt_of(cast, cast.tenant, state="running", hosts=["gpu002"])
    with organization_scope(*cast.ids):
        wanted = failed.session.public_id

    for query in ("state=failed", "host=GPU071", f"name={failed.session.name}"):
        assert listed(browser, cast.tenant, query, of="sessions") == [wanted]
        assert listed(browser, cast.operator, query, of="sessions") == [wanted]
        assert listed(browser, cast.other_tenant, query, of="sessions") == []


def test_sessions_are_narrowed_by_what_hit_them(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    attempt_of(cast, cast.tenant)
    with organization_scope(*cast.ids):
        hit = incident.attempt.session.public_id  # type: ignore[union-attr]  # a stop has one

    for query in ("layer=gpu", "cause=gpu-off-bus"):
        assert listed(browser, cast.tenant, query, of="sessions") == [hit]
    assert listed(browser, cast.tenant, "layer=network", of="sessions") == []


def test_warnings_are_narrowed_for_who_owns_them(cast: Cast, browser: Browser) -> None:
    warn(cast)
    warn(cast, public_id="EP-2", host="gpu009", entity_key="gpu:gpu009/1", causes=["nvlink-error"])

    for query in ("host=gpu001", "cause=gpu-throttling", "id=EP-1", "state=on&host=gpu001"):
        text = page(browser, cast.operator, f"warnings/?{query}")
        assert ('id="EP-1"' in text, 'id="EP-2"' in text) == (True, False)
        assert 'id="EP-1"' not in page(browser, cast.tenant, f"warnings/?{query}")
    assert 'id="EP-1"' not in page(browser, cast.operator, "warnings/?state=over")


def test_resolved_ones_are_with_nobody(cast: Cast, incident: Incident, browser: Browser) -> None:
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=incident.pk).update(status=IncidentStatus.RESOLVED)

    assert listed(browser, cast.operator, "with=us") == []
    assert listed(browser, cast.operator, "status=resolved") == [incident.public_id]
