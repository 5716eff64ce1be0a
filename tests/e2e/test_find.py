"""The box that finds, by keyboard, and a list that is narrowed."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from apps.incidents.models import Incident
from tests.cast import make
from tests.cast.failing_nodes import inventory
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.cast.warnings import warn
from tests.e2e.conftest import OpenPage
from tests.e2e.signing_in import sign_in

pytestmark = [
    pytest.mark.usefixtures("lately"),
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]

PLACES = ("find/?q=gpu001", "incidents/?status=open&host=gpu001", "sessions/", "warnings/")


@pytest.fixture
def incident(cast: Cast) -> Incident:
    """Record a stop, a warning on the same host, and the operator's nodes."""
    inventory(cast, at=make.AT)
    warn(cast)
    return stop_of(cast, attempt_of(cast, cast.tenant))


def picture(page: Page, name: str) -> None:
    """Keep a picture where somebody asked for pictures."""
    if folder := os.environ.get("PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def test_what_is_typed_is_found_and_opened_by_keyboard(
    cast: Cast, incident: Incident, live_server: LiveServer, open_page: OpenPage
) -> None:
    page = open_page()
    sign_in(page, live_server.url, make.user(organization=cast.operator))
    page.goto(f"{live_server.url}/o/{cast.operator.slug}/sessions/")
    page.keyboard.press("/")
    box = page.get_by_role("combobox", name="Find incidents")
    expect(box).to_be_focused()
    page.keyboard.type("gpu001")
    found = page.get_by_role("option")
    expect(found.first).to_contain_text("gpu001")
    expect(box).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowDown")
    expect(found.first).to_have_attribute("aria-selected", "true")
    first = found.first.get_attribute("id")
    expect(box).to_have_attribute("aria-activedescendant", first or "")
    picture(page, "box")
    page.keyboard.press("Enter")

    page.wait_for_url(f"**/incidents/{incident.public_id}/")


def test_on_an_incident_s_page_what_asks_comes_with_the_first_touch(
    cast: Cast, incident: Incident, live_server: LiveServer, open_page: OpenPage
) -> None:
    page = open_page()
    sign_in(page, live_server.url, make.user(organization=cast.operator))
    there = f"{live_server.url}/o/{cast.operator.slug}/incidents/{incident.public_id}/"
    page.goto(there)
    assert page.evaluate("typeof window.htmx") == "undefined"
    page.keyboard.press("/")
    # To leave a page before it has its answer would be an error of htmx.
    with page.expect_response(lambda each: "q=gpu001" in each.url):
        page.keyboard.type("gpu001")
    expect(page.get_by_role("option").first).to_contain_text("gpu001")
    expect(page.locator(".htmx-request")).to_have_count(0)

    page.goto(there)
    page.evaluate(
        "(where) => document.querySelector('main').insertAdjacentHTML('beforeend', where)",
        '<a id="more" href="/nowhere/" hx-get="../../find/?q=gpu001" hx-target="next .log-context">'
        'more</a><div class="log-context"></div>',
    )
    page.evaluate("document.getElementById('more').click()")
    expect(page.locator("#more + .log-context")).to_contain_text("gpu001")
    assert page.url == there


def test_escape_closes_the_list_and_then_leaves_the_box(
    cast: Cast, incident: Incident, live_server: LiveServer, open_page: OpenPage
) -> None:
    page = open_page()
    sign_in(page, live_server.url, make.user(organization=cast.operator))
    page.goto(f"{live_server.url}/o/{cast.operator.slug}/")
    page.keyboard.press("/")
    page.keyboard.type("no-such-thing")
    expect(page.locator("#find-list")).to_contain_text("Nothing that you may read")
    page.keyboard.press("Escape")
    box = page.get_by_role("combobox")
    expect(box).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("Escape")

    expect(box).not_to_be_focused()


def test_enter_without_a_choice_shows_all_of_it_and_lists_fit_a_phone(
    cast: Cast, incident: Incident, live_server: LiveServer, open_page: OpenPage
) -> None:
    page = open_page()
    sign_in(page, live_server.url, make.user(organization=cast.operator))
    there = f"{live_server.url}/o/{cast.operator.slug}/"
    page.goto(there)
    page.keyboard.press("/")
    page.keyboard.type("gpu001")
    page.keyboard.press("Enter")
    page.wait_for_url("**/find/?q=gpu001")
    expect(page.get_by_role("heading", name="Nodes")).to_be_visible()
    picture(page, "page")
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        for name in (
            "find/?q=gpu001",
            "incidents/?status=open&host=gpu001",
            "sessions/",
            "warnings/",
        ):
            page.goto(there + name)
            wide = page.evaluate("document.documentElement.scrollWidth")
            picture(page, f"{name.partition('/')[0]}-{width}")
            assert wide <= width
