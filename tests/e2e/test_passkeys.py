"""Passkeys in a browser that has an authenticator: made, used after and without a password."""

import re
from typing import Any

import pytest
from playwright.sync_api import CDPSession, Page, expect
from pytest_django.live_server_helper import LiveServer

from apps.tenancy.models import User
from tests.cast import make
from tests.e2e.conftest import OpenPage

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
INSIDE = re.compile(r"/o/")


@pytest.fixture
def base(live_server: LiveServer, settings: Any) -> str:
    """The portal by a name: passkeys are bound to one."""
    settings.PORTAL_BASE_URL = live_server.url.replace("127.0.0.1", "localhost")
    return str(settings.PORTAL_BASE_URL)


@pytest.fixture
def person(base: str) -> User:
    """Who signs in."""
    return make.user(organization=make.organization())


def _device(page: Page, *, verifies: bool = True) -> CDPSession:
    """Give the page's browser an authenticator, as a phone or a laptop has one."""
    devices = page.context.new_cdp_session(page)
    devices.send("WebAuthn.enable")
    devices.send("WebAuthn.addVirtualAuthenticator", {"options": {
        "protocol": "ctap2", "transport": "internal", "hasResidentKey": True,
        "hasUserVerification": True, "isUserVerified": verifies,
        "automaticPresenceSimulation": True,
    }})  # fmt: skip
    return devices


def _enter(page: Page, base: str, person: User) -> None:
    page.goto(f"{base}/sign-in/")
    page.get_by_label("User name").fill(person.username)
    page.get_by_label("Password").fill(make.PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def _add(page: Page, base: str, name: str) -> None:
    page.goto(f"{base}/account/second-factor/")
    page.get_by_role("link", name="Add a passkey").click()
    page.get_by_label("Password").fill(make.PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Make a passkey").click()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_passkey_is_made_and_opens_with_and_without_a_password(
    base: str, person: User, open_page: OpenPage, scheme: str
) -> None:
    page = open_page(width=390, color_scheme=scheme)
    _device(page)
    _enter(page, base, person)
    page.wait_for_url(INSIDE)
    _add(page, base, "The laptop")
    expect(page.locator("li code")).to_have_count(10)
    page.get_by_role("link", name="Done").click()
    expect(page.get_by_text("The laptop")).to_be_visible()
    page.context.clear_cookies()

    _enter(page, base, person)
    page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url(INSIDE)
    page.context.clear_cookies()

    page.goto(f"{base}/account/second-factor/")
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_text("The laptop")).to_be_visible()


def test_what_is_cancelled_or_not_there_is_said_where_it_was_tried(
    base: str, person: User, open_page: OpenPage
) -> None:
    page = open_page(width=390)
    _device(page)
    page.goto(f"{base}/sign-in/")
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing was signed")
    expect(page.get_by_role("button", name="Sign in with a passkey")).to_be_enabled()

    _enter(page, base, person)
    page.wait_for_url(INSIDE)
    _add(page, base, "The laptop")
    page.wait_for_url(re.compile("recovery-codes"))
    page.goto(f"{base}/account/second-factor/passkeys/add/")
    page.get_by_role("button", name="Make a passkey").click()
    expect(page.get_by_role("alert")).to_contain_text("on this device already")


def test_a_browser_without_says_so(base: str, person: User, open_page: OpenPage) -> None:
    page = open_page()
    page.add_init_script("delete window.PublicKeyCredential")
    page.goto(f"{base}/sign-in/")

    expect(page.get_by_text("a browser that has them")).to_be_visible()
    expect(page.get_by_role("button", name="Sign in with a passkey")).to_be_hidden()
