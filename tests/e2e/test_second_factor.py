"""A second factor in a browser: added with an app's code, asked for at the door, kept apart."""

import re
import time

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core.cache import cache
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from apps.tenancy.models import User
from tests.cast import make
from tests.e2e.conftest import OpenPage
from tests.e2e.signing_in import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PERIOD, ROOM = 30, 10  # seconds: of a code, and that a page may take


def type_code(page: Page, key: str, button: str) -> None:
    """Type what an app shows, early enough in its half minute."""
    left = PERIOD - time.time() % PERIOD
    if left < ROOM:
        page.wait_for_timeout((left + 0.5) * 1000)
    code = format_hotp_value(hotp_value(key, int(time.time()) // PERIOD))
    page.locator("#code").fill(str(code))
    page.get_by_role("button", name=button).click()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_app_is_added_and_asked_for_from_then_on(
    live_server: LiveServer, open_page: OpenPage, scheme: str
) -> None:
    person = make.user(organization=make.organization())
    page = open_page(width=390, color_scheme=scheme)
    sign_in(page, live_server.url, person)
    page.goto(f"{live_server.url}/account/second-factor/")
    page.get_by_role("link", name="Add an authenticator app").click()
    page.get_by_label("Password").fill(make.PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    shown = page.get_by_role("img", name="QR code")
    expect(shown).to_be_visible()
    assert shown.evaluate("image => image.complete && image.naturalWidth > 0")
    ground = shown.evaluate("image => getComputedStyle(image).backgroundColor")
    assert ground == "rgb(255, 255, 255)"  # black on dark is read by no camera
    key = page.locator("code.break").inner_text()
    type_code(page, key, "Add it")
    expect(page.locator("li code")).to_have_count(10)
    code = page.locator("li code").first.inner_text()
    page.context.clear_cookies()
    cache.clear()  # its code counts once: the next one would be half a minute away

    enter(page, live_server, person)
    expect(page.get_by_role("heading", name="Second factor")).to_be_visible()
    type_code(page, key, "Sign in")
    page.wait_for_url(re.compile(r"/o/"))
    page.context.clear_cookies()

    enter(page, live_server, person)
    page.locator("#code").fill(code)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(re.compile(r"/o/"))


def enter(page: Page, server: LiveServer, person: User) -> None:
    """Type name and password at the door."""
    page.goto(f"{server.url}/")
    page.get_by_label("User name").fill(person.username)
    page.get_by_label("Password").fill(make.PASSWORD)
    page.get_by_role("button", name="Sign in").click()
