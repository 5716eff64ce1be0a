"""The language is chosen at the door, holds on every page, and fits a phone; without JavaScript."""

import re

import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from tests.cast import make
from tests.cast.incidents import assemble, attempt_of, stop_of
from tests.e2e.conftest import OpenPage

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def test_the_language_chosen_at_the_door_holds_inside_and_can_be_taken_back(
    live_server: LiveServer, open_page: OpenPage
) -> None:
    cast = assemble()
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    user = make.user(organization=cast.tenant)
    page = open_page(width=375, java_script_enabled=False)
    page.goto(f"{live_server.url}/sign-in/")
    page.get_by_role("button", name="한국어").click()
    page.get_by_label("사용자 이름").fill(user.username)
    page.get_by_label("비밀번호").fill(make.PASSWORD)
    page.get_by_role("button", name="로그인").click()
    page.wait_for_url(re.compile(r"/o/"))
    page.goto(f"{live_server.url}/o/{cast.tenant.slug}/incidents/{incident.public_id}/")

    expect(page.locator("html")).to_have_attribute("lang", "ko")
    expect(page.get_by_role("heading", level=1)).to_contain_text("버스 이탈")
    assert page.evaluate(TOO_WIDE) == 0

    page.get_by_role("button", name="English").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("fell off the bus")
    expect(page).to_have_url(re.compile(incident.public_id))
