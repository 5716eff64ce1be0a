"""A provider set up in a browser, and people who sign in through it: a real one, as a process."""

import re
import sys
from collections.abc import Iterator
from importlib.util import find_spec
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

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        find_spec("oidc_provider_mock") is None,
        reason="no oidc-provider-mock: nobody signed in through a real provider; "
        "requirements-dev.txt has it",
    ),
    pytest.mark.django_db(transaction=True),
]
SETTINGS = "/o/aurora/settings/single-sign-on/"


@pytest.fixture
def issuer(tmp_path: Path) -> Iterator[str]:
    """A provider of its own process."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = (sys.executable, "-m", "oidc_provider_mock", "-p", str(port), "--require-nonce")
    with served(command=command, log=tmp_path / "provider.log", ready=url):
        yield url


def tell(issuer: str, groups: list[str]) -> None:
    """Let the provider know Alice, and her groups."""
    alice = {
        "email": "alice@aurora.example",
        "email_verified": True,
        "name": "Alice Kim",
        "groups": groups,
    }
    requests.put(f"{issuer}/users/alice", json=alice, timeout=5).raise_for_status()


def come_through(page: Page, link: str, issuer: str) -> None:
    """Follow the organization's link, be led to the provider, and sign in there as Alice."""
    page.goto(link)
    page.get_by_role("button", name="Sign in through Aurora").click()
    page.wait_for_url(re.compile(re.escape(issuer)))
    page.get_by_placeholder("sub").fill("alice")
    page.get_by_role("button", name="Authorize", exact=True).click()


def set_up(page: Page, issuer: str) -> str:
    """Set the provider up as an admin does, and return the link for members."""
    card = page.get_by_role("region", name="OpenID Connect provider")
    card.get_by_label("Issuer").fill(issuer)
    card.get_by_label("Client ID").fill("faultline")
    card.get_by_label("Client secret").fill("a secret of the tests")
    card.get_by_label("Groups and what they may do").fill("gpu-oncall = responder")
    card.get_by_label("Private networks").fill("127.0.0.0/8")
    card.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved: the provider answers.")).to_be_visible()
    page.get_by_label("Another domain").fill("aurora.example")
    page.get_by_role("button", name="Ask for it").click()
    expect(page.get_by_text("Not confirmed yet")).to_be_visible()
    call_command("mail_domain", "aurora", "aurora.example")
    page.reload()
    expect(page.get_by_text("Confirmed", exact=True)).to_be_visible()
    return page.locator("#link").inner_text()


def test_an_admin_sets_the_provider_up_and_its_groups_decide_who_gets_in(
    live_server: LiveServer, open_page: OpenPage, issuer: str, settings: Any
) -> None:
    settings.PORTAL_BASE_URL = live_server.url
    organization = make.organization("aurora")
    page = open_page()
    sign_in(page, live_server.url, make.user(organization=organization, role=MemberRole.ADMIN))
    page.goto(f"{live_server.url}{SETTINGS}")
    link = set_up(page, issuer)

    tell(issuer, ["gpu-oncall"])
    alice = open_page(width=390, color_scheme="dark", loads_all=False)
    come_through(alice, link, issuer)
    alice.wait_for_url(re.compile(r"/o/aurora/"))
    page.goto(f"{live_server.url}/o/aurora/settings/members/")
    expect(page.get_by_text("Alice Kim", exact=True)).to_be_visible()

    alice.goto("about:blank")  # an open page would ask on its own, and be refused
    tell(issuer, [])
    again = open_page(width=390, loads_all=False)
    come_through(again, link, issuer)
    expect(again.get_by_role("alert")).to_contain_text("None of your groups has access here.")
    alice.goto(f"{live_server.url}/o/aurora/")
    expect(alice.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(alice.get_by_role("button", name="Sign in through Aurora")).to_be_visible()
    page.reload()
    expect(page.get_by_text("Alice Kim", exact=True)).to_have_count(0)
