"""One party looks, the other reads that it did; before, it saw what is seen: in the browser."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from apps.tenancy.models import MemberRole, Organization
from tests.apps.incidents.projection.shared_reading import EVENTS, of
from tests.cast import make
from tests.cast.agreements import agreed
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.e2e.conftest import OpenPage
from tests.e2e.signing_in import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def signed_in(page: Page, server: LiveServer, organization: Organization, role: MemberRole) -> Page:
    """Sign a member in, and stay on the first page."""
    sign_in(page, server.url, make.user(organization=organization, role=role))
    return page


@pytest.mark.parametrize("width", [1440, 390])
def test_an_admin_views_as_the_tenant_and_then_reads_that_the_tenant_looked(
    cast: Cast, live_server: LiveServer, open_page: OpenPage, width: int
) -> None:
    now = timezone.now()  # noqa: TID251  the pages read the clock, too
    agreed(cast.operator, cast.tenant, cast.cluster, terms=of(EVENTS, cast.operator), now=now)
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    ours = signed_in(open_page(width=width), live_server, cast.operator, MemberRole.ADMIN)
    theirs = signed_in(open_page(width=width), live_server, cast.tenant, MemberRole.RESPONDER)
    own = f"{live_server.url}/o/{cast.operator.slug}/"

    if width > 1000:
        ours.goto(f"{own}incidents/{incident.public_id}/")
        ours.locator("summary").filter(has_text="View as").click()
        ours.get_by_role("link", name=cast.tenant.name, exact=True).click()
    else:
        ours.goto(f"{own}sharing/as/{cast.tenant.slug}/incidents/")
        ours.get_by_role("table").get_by_role("link").first.click()
    bar = ours.get_by_role("status").filter(has_text=f"as {cast.tenant.name} would")
    expect(bar).to_be_visible()
    assert ours.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    expect(ours.locator("main form")).to_have_count(0)
    bar.get_by_role("link", name="Leave this view").click()
    expect(ours).to_have_url(re.compile(rf"/incidents/{incident.public_id}/$"))
    expect(bar).to_have_count(0)

    ours.goto(f"{own}sharing/ledger/")
    expect(ours.get_by_text("Nothing was shown to anybody")).to_be_visible()
    theirs.goto(f"{live_server.url}/o/{cast.tenant.slug}/incidents/{incident.public_id}/")
    ours.reload()
    row = ours.get_by_role("row").filter(has_text=cast.tenant.name)
    expect(row).to_contain_text("a responder")
    expect(row).to_contain_text("read on a page")
    assert ours.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
