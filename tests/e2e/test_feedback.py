"""Was it right: with a mouse, with a keyboard, and without any script."""

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from apps.incidents.models import Incident
from apps.tenancy.models import Organization
from tests.cast import make
from tests.cast.incidents import Cast
from tests.e2e.conftest import OpenPage

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def sign_in(page: Page, server: LiveServer, organization: Organization, to: str) -> None:
    """Sign in as a responder and go somewhere."""
    user = make.user(organization=organization)
    page.goto(f"{server.url}/sign-in/?next={to}")
    page.get_by_label("User name").fill(user.username)
    page.get_by_label("Password").fill(make.PASSWORD)
    page.get_by_role("button", name="Sign in").click()


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_wrong_because_and_then_right(
    cast: Cast,
    incident: Incident,
    live_server: LiveServer,
    open_page: OpenPage,
    *,
    scripts: bool,
) -> None:
    page = open_page(java_script_enabled=scripts)
    sign_in(
        page, live_server, cast.tenant, f"/o/{cast.tenant.slug}/incidents/{incident.public_id}/"
    )
    card = page.get_by_role("region", name="Was this right?")
    card.get_by_text("Wrong, because…").click()
    card.get_by_label("What it really was").select_option(label="Link down")
    card.get_by_label("In your words").fill("port 4 of the leaf switch")
    card.get_by_role("button", name="Say that it was wrong").click()
    expect(card.get_by_text("Wrong: it was Network, link down")).to_be_visible()

    card.get_by_role("button", name="Right", exact=True).focus()
    page.keyboard.press("Enter")
    expect(card.get_by_role("button", name="Right", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    card.get_by_role("link", name="How right we were").click()
    expect(page.get_by_role("heading", name="How right we were")).to_be_visible()
    expect(page.get_by_role("row", name="GPU").get_by_text("1 of 1").first).to_be_visible()
