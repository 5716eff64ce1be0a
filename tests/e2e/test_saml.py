"""A SAML provider set up in a browser, and people who sign in through it: a process of its own."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from django.core.management import call_command
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from apps.tenancy.models import MemberRole
from tests.cast import make
from tests.e2e.conftest import OpenPage
from tests.e2e.signing_in import sign_in
from tests.live.serving import free_port, served

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SETTINGS = "/o/aurora/settings/single-sign-on/"


@pytest.fixture
def provider(chromium_path: str, tmp_path: Path) -> Iterator[str]:
    """A provider of its own process, at another site than the portal's."""
    port = free_port()
    command = (sys.executable, "-m", "tests.cast.saml_server", str(port))
    url = f"http://127.0.0.1:{port}"
    with served(command=command, log=tmp_path / "provider.log", ready=url):
        yield url


def tell(provider: str, groups: list[str]) -> None:
    """Let the provider know Alice's groups."""
    requests.put(f"{provider}/groups", json=groups, timeout=5).raise_for_status()


def come_through(page: Page, link: str) -> None:
    """Follow the organization's link, be led to the provider, and sign in there as Alice."""
    page.goto(link)
    page.get_by_role("button", name="Sign in through Aurora").click()
    page.get_by_role("button", name="Sign in as Alice").click()


def set_up(page: Page, provider: str) -> str:
    """Set the provider up as an admin does, and return the link for members."""
    card = page.get_by_role("region", name="SAML 2.0 provider")
    card.get_by_label("Groups and what they may do").fill("gpu-oncall = responder")
    card.get_by_label("Private networks").fill("127.0.0.0/8")
    card.get_by_role("button", name="Sign in by SAML").click()
    expect(page.get_by_text("Enter this entity ID")).to_be_visible()
    page.get_by_label("Another domain").fill("aurora.example")
    page.get_by_role("button", name="Ask for it").click()
    call_command("mail_domain", "aurora", "aurora.example")
    card.get_by_label("Address of the provider's metadata").fill(f"{provider}/metadata")
    card.get_by_label("Our provider vouches for addresses").check()
    card.get_by_label("Members may sign in through it").check()
    card.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved. Follow the link")).to_be_visible()
    return page.locator("#link").inner_text()


def test_an_admin_sets_saml_up_and_its_groups_decide_who_gets_in(
    live_server: LiveServer, open_page: OpenPage, provider: str, settings: Any
) -> None:
    settings.PORTAL_BASE_URL = live_server.url
    organization = make.organization("aurora")
    page = open_page()
    sign_in(page, live_server.url, make.user(organization=organization, role=MemberRole.ADMIN))
    page.goto(f"{live_server.url}{SETTINGS}")
    link = set_up(page, provider)

    tell(provider, ["gpu-oncall"])
    alice = open_page(width=390, color_scheme="dark", loads_all=False)
    come_through(alice, link)
    alice.wait_for_url(re.compile(r"/o/aurora/"))
    page.goto(f"{live_server.url}/o/aurora/settings/members/")
    expect(page.get_by_text("Alice Kim", exact=True)).to_be_visible()

    alice.goto("about:blank")  # an open page would ask on its own, and be refused
    tell(provider, [])
    again = open_page(width=390, loads_all=False)
    come_through(again, link)
    expect(again.get_by_role("alert")).to_contain_text("None of your groups has access here.")
    page.reload()
    expect(page.get_by_text("Alice Kim", exact=True)).to_have_count(0)
