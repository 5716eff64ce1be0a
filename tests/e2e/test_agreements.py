"""Two admins of two organizations agree, change what they agreed on, and end it: in the browser."""

import re

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from apps.tenancy.models import MemberRole, Organization
from tests.cast import make
from tests.cast.incidents import Cast
from tests.e2e.conftest import OpenPage
from tests.e2e.signing_in import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def admin(page: Page, server: LiveServer, organization: Organization) -> Page:
    """Sign an admin in, and stay on the first page."""
    sign_in(page, server.url, make.user(organization=organization, role=MemberRole.ADMIN))
    return page


@pytest.mark.parametrize("width", [1440, 390])
def test_two_admins_agree_from_nothing_and_one_ends_it(
    cast: Cast, live_server: LiveServer, open_page: OpenPage, width: int
) -> None:
    theirs = admin(open_page(width=width), live_server, cast.operator)
    ours = admin(open_page(width=width), live_server, cast.tenant)
    home = ours.url

    theirs.goto(f"{live_server.url}/o/{cast.operator.slug}/sharing/")
    row = theirs.get_by_role("row").filter(has_text=cast.tenant.name)
    row.get_by_role("link", name="Propose an agreement…").click()
    expect(theirs.get_by_text("Nothing is sent yet.")).to_be_visible()
    theirs.get_by_role("button", name=re.compile(r"^Sign as \S+ and propose")).first.click()
    expect(theirs.get_by_text("it holds once the other side signs")).to_be_visible()
    expect(theirs.get_by_role("button", name="Take back")).to_be_visible()

    ours.goto(home)
    line = ours.get_by_role("status").filter(has_text="proposes an agreement")
    expect(line).to_contain_text(cast.operator.name)
    line.get_by_role("link", name="Answer it").click()
    expect(ours.get_by_role("heading", name="Proposed: version 1")).to_be_visible()
    ours.get_by_role("button", name=re.compile(r"^Sign as \S+$")).click()
    expect(ours.get_by_role("heading", name="In force: version 1")).to_be_visible()
    assert ours.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    ours.goto(home)
    expect(line).to_have_count(0)

    theirs.reload()
    expect(theirs.get_by_role("heading", name="In force: version 1")).to_be_visible()
    theirs.get_by_text("End it…").click()
    theirs.get_by_label("Why it ends").fill("the contract ended")
    theirs.get_by_role("button", name="End it now").click()
    expect(theirs.get_by_role("heading", name="In force: version 1")).to_have_count(0)
    ours.goto(theirs.url.replace(f"/o/{cast.operator.slug}/", f"/o/{cast.tenant.slug}/"))
    expect(ours.get_by_text("the contract ended")).to_be_visible()
    expect(ours.get_by_role("button", name="End it now")).to_have_count(0)
