"""One party asks another for evidence: the chart appears on its open page, and goes again."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from apps.incidents.models import Incident
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.cast.kept_charts import keep
from tests.e2e.asgi_server import CUT_OFF, serving
from tests.e2e.conftest import OpenPage
from tests.e2e.signing_in import sign_in

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
    CUT_OFF,
]


@pytest.fixture
def base() -> Iterator[str]:
    """Serve the portal as it runs."""
    with serving() as address:
        yield address


@pytest.fixture
def incident(cast: Cast) -> Incident:
    """Record a stop that has settled, with what the operator kept of it."""
    found = stop_of(cast, attempt_of(cast, cast.tenant))
    keep(cast, found)
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=found.pk).update(settled_at=make.AT)
    return found


def _open(open_page: OpenPage, base: str, who: Organization, incident: Incident) -> Page:
    page = open_page()
    sign_in(page, base, make.user(organization=who, role=MemberRole.ADMIN))
    page.goto(f"{base}/o/{who.slug}/incidents/{incident.public_id}/")
    expect(page.locator("[data-live-state]")).to_have_attribute("data-state", "live")
    return page


def _ask(page: Page, cast: Cast) -> None:
    page.locator(f"#metrics-part [data-ask-of={cast.operator.slug}]").click()
    page.locator("#ask-reason").fill("did it grow hot before?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("#requests-list")).to_contain_text("waits for an answer")
    page.wait_for_timeout(500)  # the stream of the page that followed


def test_what_is_granted_appears_on_the_open_page_and_what_is_revoked_goes(
    cast: Cast, incident: Incident, base: str, open_page: OpenPage
) -> None:
    operator = _open(open_page, base, cast.operator, incident)
    tenant = _open(open_page, base, cast.tenant, incident)
    vendor = _open(open_page, base, cast.vendor, incident)
    expect(tenant.locator("#metrics-part .chart")).to_have_count(0)
    _ask(tenant, cast)

    request = operator.locator("#requests-list .hand-over")
    expect(request).to_contain_text("did it grow hot before?")
    tenant.evaluate("window.isSamePage = true")
    request.get_by_role("button", name="Grant", exact=True).click()
    expect(tenant.locator("#metrics-part .js-plotly-plot .main-svg").first).to_be_visible()
    assert tenant.evaluate("window.isSamePage")
    expect(tenant.locator("#metrics-part")).to_contain_text("on request")
    expect(vendor.locator("#metrics-part .chart")).to_have_count(0)
    expect(vendor.locator("#requests-list")).not_to_contain_text("did it grow hot")

    request.get_by_text("Revoke…").click()
    request.get_by_label("Why").fill("granted by mistake")
    request.get_by_role("button", name="Revoke it").click()
    expect(tenant.locator("#metrics-part .chart")).to_have_count(0)
    expect(tenant.locator("#requests-list")).to_contain_text("granted by mistake")


def test_who_is_declined_reads_why_without_loading_the_page(
    cast: Cast, incident: Incident, base: str, open_page: OpenPage
) -> None:
    operator = _open(open_page, base, cast.operator, incident)
    tenant = _open(open_page, base, cast.tenant, incident)
    _ask(tenant, cast)

    request = operator.locator("#requests-list .hand-over")
    request.get_by_text("Decline…").click()
    request.get_by_label("Why").fill("our contract does not cover it")
    request.get_by_role("button", name="Decline it").click()

    expect(tenant.locator("#requests-list")).to_contain_text("our contract does not cover it")
