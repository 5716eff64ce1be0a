"""Another window or other lanes of a timeline are put in place: the rest of the page stays."""

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from apps.incidents.models import Incident
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.e2e.conftest import OpenPage
from tests.e2e.signing_in import sign_in

pytestmark = [
    pytest.mark.usefixtures("lately"),
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]
MARKED = "document.documentElement.dataset.marked"


@pytest.fixture
def incident(cast: Cast) -> Incident:
    return stop_of(cast, attempt_of(cast, cast.tenant))


def shown(page: Page, live_server: LiveServer, cast: Cast, incident: Incident) -> Page:
    """Open the incident as its operator, and mark the document: another one has no mark."""
    sign_in(page, live_server.url, make.user(organization=cast.operator))
    page.goto(f"{live_server.url}/o/{cast.operator.slug}/incidents/{incident.public_id}/")
    page.evaluate(f"{MARKED} = 'as it was opened'")
    return page


def chosen(page: Page, name: str) -> None:
    """Expect that a choice is the one that is shown, and has the keyboard's focus still."""
    link = page.get_by_role("link", name=name, exact=True)
    expect(link).to_have_attribute("aria-current", "true")
    expect(link).to_be_focused()
    expect(page.locator("#timeline-card")).not_to_have_attribute("aria-busy", "true")


def test_what_is_written_stays_where_other_lanes_are_chosen(
    live_server: LiveServer, open_page: OpenPage, cast: Cast, incident: Incident
) -> None:
    page = shown(open_page(width=1440), live_server, cast, incident)
    lanes = page.locator("svg[data-timeline] .lane-place")
    expect(page.locator(".lane-place[data-lane=gpu]")).to_have_count(1)
    page.locator("#note-text").fill("half a sentence")
    page.get_by_role("link", name="By party", exact=True).click()
    chosen(page, "By party")
    expect(page.locator(".lane-place[data-lane=gpu]")).to_have_count(0)
    expect(lanes).not_to_have_count(0)
    assert "group=party" in page.url
    expect(page.locator("#note-text")).to_have_value("half a sentence")
    assert page.evaluate(MARKED) == "as it was opened"


def test_going_back_shows_the_window_before(
    live_server: LiveServer, open_page: OpenPage, cast: Cast, incident: Incident
) -> None:
    page = shown(open_page(width=1440), live_server, cast, incident)
    plot = page.locator("svg[data-timeline]")
    first = plot.get_attribute("data-from") or ""
    hour = page.get_by_role("link", name="2 h", exact=True)
    hour.focus()
    page.keyboard.press("Enter")
    chosen(page, "2 h")
    expect(plot).not_to_have_attribute("data-from", first)
    page.go_back()
    expect(plot).to_have_attribute("data-from", first)
    page.go_forward()
    expect(plot).not_to_have_attribute("data-from", first)
    assert page.evaluate(MARKED) == "as it was opened"


def test_the_list_is_there_as_the_lanes_are(
    live_server: LiveServer, open_page: OpenPage, cast: Cast, incident: Incident
) -> None:
    page = shown(open_page(width=1440), live_server, cast, incident)
    page.get_by_role("link", name="List", exact=True).click()
    chosen(page, "List")
    page.keyboard.press("j")
    expect(page.locator("[data-entry]").first).to_be_focused()


def test_where_a_timeline_alone_is_not_to_be_had_the_page_is_opened(
    live_server: LiveServer, open_page: OpenPage, cast: Cast, incident: Incident
) -> None:
    page = shown(open_page(width=1440, loads_all=False), live_server, cast, incident)
    page.route("**/timeline/?*", lambda route: route.abort())
    page.get_by_role("link", name="By party", exact=True).click()
    page.wait_for_url("**group=party*")
    expect(page.locator(".segments a[aria-current]", has_text="By party")).to_have_count(1)
    assert page.evaluate(f"{MARKED} ?? ''") == ""


def test_a_choice_leads_there_where_the_script_of_windows_does_not_come(
    live_server: LiveServer, open_page: OpenPage, cast: Cast, incident: Incident
) -> None:
    opened = open_page(width=1440, loads_all=False)
    opened.route("**/windows*.js", lambda route: route.abort())
    page = shown(opened, live_server, cast, incident)
    page.get_by_role("link", name="By party", exact=True).click()
    page.wait_for_url("**group=party*")
    expect(page.locator(".segments a[aria-current]", has_text="By party")).to_have_count(1)


def drawn_over_the_density(page: Page) -> None:
    """Drag a stretch out of the density, without letting go of it."""
    box = page.locator("svg[data-density] .lane-place").bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.3, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.7, middle)


def test_a_window_on_which_a_drag_rests_is_asked_for_once_before_it_is_let_go_of(
    live_server: LiveServer, open_page: OpenPage, cast: Cast, incident: Incident
) -> None:
    page = shown(open_page(width=1440), live_server, cast, incident)
    plot = page.locator("svg[data-timeline]")
    first = plot.get_attribute("data-from") or ""
    asked: list[str] = []
    page.on("request", lambda each: asked.append(each.url) if "/timeline/?" in each.url else None)
    with page.expect_response("**/timeline/?*"):
        drawn_over_the_density(page)
    expect(plot).to_have_attribute("data-from", first)
    page.mouse.up()
    expect(plot).not_to_have_attribute("data-from", first)
    expect(page.locator("#timeline-card")).not_to_have_attribute("aria-busy", "true")
    assert len(asked) == 1
    assert page.evaluate(MARKED) == "as it was opened"


def test_what_was_asked_for_ahead_is_let_go_of_with_its_drag(
    live_server: LiveServer, open_page: OpenPage, cast: Cast, incident: Incident
) -> None:
    page = shown(open_page(width=1440, loads_all=False), live_server, cast, incident)
    first = page.locator("svg[data-timeline]").get_attribute("data-from") or ""
    page.route("**/timeline/?*", lambda _: None)  # an answer that does not come
    with page.expect_event("requestfailed", lambda each: "/timeline/?" in each.url):
        with page.expect_request("**/timeline/?*"):
            drawn_over_the_density(page)
        page.keyboard.press("Escape")
    page.mouse.up()
    expect(page.locator("svg[data-timeline]")).to_have_attribute("data-from", first)
    assert "span=" not in page.url
