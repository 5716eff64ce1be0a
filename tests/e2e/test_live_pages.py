"""Lists and overviews while they are open: what happens appears, what is being done there stays."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Route, expect

from apps.incidents.models import Incident
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.e2e.asgi_server import CUT_OFF, serving
from tests.e2e.conftest import OpenPage
from tests.e2e.signing_in import sign_in

pytestmark = [
    pytest.mark.usefixtures("lately"),
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
    CUT_OFF,
]


@pytest.fixture
def base() -> Iterator[str]:
    """Serve the portal as it runs."""
    with serving() as address:
        yield address


@pytest.fixture
def incident(cast: Cast) -> Incident:
    """Record a stop that has settled."""
    found = stop_of(cast, attempt_of(cast, cast.tenant))
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=found.pk).update(settled_at=make.AT)
    return found


def _enter(page: Page, base: str, who: Organization) -> Page:
    sign_in(page, base, make.user(organization=who, role=MemberRole.ADMIN))
    return page


def _open(page: Page, base: str, who: Organization, path: str, *, state: str = "live") -> None:
    page.goto(f"{base}/o/{who.slug}/{path}")
    _expect_state(page, state)
    page.evaluate("window.isSamePage = true")


def _expect_state(page: Page, state: str) -> None:
    expect(page.locator("[data-live-state]")).to_have_attribute("data-state", state, timeout=30_000)


def _stop(cast: Cast) -> str:
    """Let another session stop, and return what its incident is called."""
    return str(stop_of(cast, attempt_of(cast, cast.tenant)).public_id)


def _expect_shown(page: Page, text: str) -> None:
    expect(page.locator("main").get_by_text(text).first).to_be_attached(timeout=30_000)
    assert page.evaluate("window.isSamePage"), "it was loaded again"


def test_a_stop_appears_on_lists_and_overviews_of_its_parties_and_of_nobody_else(
    cast: Cast, incident: Incident, base: str, open_page: OpenPage
) -> None:
    operator = _enter(open_page(), base, cast.operator)
    home = operator.context.new_page()  # two tabs of one browser share a stream
    stranger = _enter(open_page(), base, cast.stranger)
    streams: list[str] = []
    operator.context.on(
        "request", lambda asked: streams.append(asked.url) if "/live/stream/" in asked.url else None
    )
    _open(operator, base, cast.operator, "incidents/")
    _open(home, base, cast.operator, "")
    _open(stranger, base, cast.stranger, "incidents/")
    asked: list[str] = []
    stranger.on("request", lambda request: asked.append(request.url))
    operator.evaluate("document.querySelector('[data-key=s]').focus()")

    new = _stop(cast)

    for page in (operator, home):
        expect(page.locator(f"main a[href*='{new}']").first).to_be_attached(timeout=30_000)
        assert page.evaluate("window.isSamePage"), "it was loaded again"
    assert operator.evaluate("document.activeElement.dataset.key") == "s"
    assert len(streams) == 1
    stranger.wait_for_timeout(1_000)
    assert asked == []


def test_what_is_missed_while_the_network_is_away_appears_once_it_is_back(
    cast: Cast, incident: Incident, base: str, open_page: OpenPage
) -> None:
    page = _enter(open_page(loads_all=False), base, cast.operator)
    _open(page, base, cast.operator, "incidents/")
    page.context.set_offline(True)
    page.evaluate("document.querySelector('[data-live-state]').dataset.tried = 'yes'")
    new = _stop(cast)
    page.wait_for_timeout(1_000)
    page.context.set_offline(False)
    expect(page.locator(f"main a[href*='{new}']").first).to_be_attached(timeout=60_000)
    _expect_state(page, "live")
    assert page.evaluate("window.isSamePage"), "it was loaded again"


def test_where_streams_are_held_back_changes_come_by_polling(
    cast: Cast, incident: Incident, base: str, open_page: OpenPage
) -> None:
    held: list[Route] = []
    page = _enter(open_page(loads_all=False), base, cast.operator)
    page.goto("about:blank")  # the stream of the page before is no stream of this one
    page.route(re.compile(r"/live/stream/"), lambda route: held.append(route))  # noqa: PLW0108  its kind is asked
    _open(page, base, cast.operator, "incidents/", state="polling")
    expect(page.locator("[data-live-text]")).to_have_text("Live, by polling")
    new = _stop(cast)
    expect(page.locator(f"main a[href*='{new}']").first).to_be_attached(timeout=30_000)
    assert page.evaluate("window.isSamePage"), "it was loaded again"
    assert len(held) == 1


def test_who_signs_out_elsewhere_is_told_that_the_page_stands_still(
    cast: Cast, incident: Incident, base: str, open_page: OpenPage
) -> None:
    page = _enter(open_page(loads_all=False), base, cast.operator)
    _open(page, base, cast.operator, "incidents/")
    page.evaluate(
        "fetch(document.querySelector('form[action*=sign-out]').action, {method: 'POST',"
        " body: new FormData(document.querySelector('form[action*=sign-out]'))})"
    )
    page.wait_for_timeout(1_000)
    new = _stop(cast)
    _expect_state(page, "stopped")
    expect(page.locator(f"main a[href*='{new}']")).to_have_count(0)
