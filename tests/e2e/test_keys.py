"""Keys do what the page says, and `?` lists them all."""

import re

import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from tests.cast import make
from tests.cast.incidents import Cast
from tests.e2e.conftest import OpenPage
from tests.e2e.signing_in import sign_in

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]


def test_every_page_of_the_frame_is_two_keys_away_and_all_keys_are_listed(
    live_server: LiveServer, open_page: OpenPage, cast: Cast
) -> None:
    page = open_page(width=1440)
    sign_in(page, live_server.url, make.user(organization=cast.tenant))
    links = page.locator(".nav a[data-key]")
    pages = {
        links.nth(at).get_attribute("data-key") or "": links.nth(at).get_attribute("href") or ""
        for at in range(links.count())
    }
    assert len(pages) == links.count() > 5  # no key leads to two pages
    page.keyboard.press("?")
    listed = page.locator("#keys [data-page]")
    expect(listed).to_have_count(len(pages))
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).not_to_be_visible()
    for key, address in pages.items():
        page.keyboard.press("g")
        page.keyboard.press(key)
        # A fleet of one cluster is shown at once.
        end = r"[\w-]+/$" if address.endswith("/fleet/") else "$"
        page.wait_for_url(re.compile(re.escape(address) + end))


def test_keys_that_are_typed_into_a_form_do_nothing_else(
    live_server: LiveServer, open_page: OpenPage, cast: Cast
) -> None:
    page = open_page(width=1440)
    sign_in(page, live_server.url, make.user(organization=cast.tenant))
    page.goto(f"{live_server.url}/o/{cast.tenant.slug}/sources/connect/")
    page.locator("main input, main textarea, main select").locator("visible=true").first.focus()
    page.keyboard.press("?")
    expect(page.locator("#keys")).not_to_be_visible()
    page.get_by_role("button", name="all keys").click()
    expect(page.locator("#keys")).to_be_visible()
