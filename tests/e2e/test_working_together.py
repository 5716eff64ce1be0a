"""One incident through many hands: handed over, declined, accepted, contested, agreed, resolved."""

import pytest
from django.db.models import F
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from apps.incidents.models import Incident
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast
from tests.e2e.conftest import OpenPage
from tests.e2e.signing_in import sign_in

pytestmark = [
    pytest.mark.usefixtures("lately"),
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]


class Desk:
    """A person of one party in front of the incident."""

    def __init__(self, page: Page, server: LiveServer, who: Organization, of: Incident) -> None:
        self.page = page
        self.address = f"{server.url}/o/{who.slug}/incidents/{of.public_id}/"
        sign_in(page, server.url, make.user(organization=who))

    def look(self) -> Page:
        """Open the incident anew."""
        self.page.goto(self.address)
        return self.page


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_from_hand_to_hand_until_it_is_resolved(
    cast: Cast,
    incident: Incident,
    live_server: LiveServer,
    open_page: OpenPage,
    *,
    scripts: bool,
) -> None:
    with organization_scope(cast.tenant.pk):
        Incident.objects.update(settled_at=make.AT)
    operator, vendor, tenant = (
        Desk(open_page(java_script_enabled=scripts), live_server, who, incident)
        for who in (cast.operator, cast.vendor, cast.tenant)
    )
    _hand_over(operator, cast.vendor)
    vendor.look().get_by_text("Decline…").click()
    work = vendor.page.get_by_role("region", name="In whose hands")
    work.locator(".hand-over select").select_option(label="Evidence is missing")
    work.get_by_role("button", name="Decline it").click()
    expect(vendor.page.get_by_text(f"it is back with {cast.operator.name}")).to_be_visible()

    _hand_over(operator, cast.vendor)
    vendor.look().get_by_role("button", name="Accept").click()
    line = f"In {cast.vendor.name}'s hands for"
    expect(vendor.page.get_by_text(line)).to_be_visible()
    vendor.page.get_by_text("Contest, because…").click()
    vendor.page.get_by_label("What it really was").select_option(label="Link down")
    vendor.page.get_by_role("button", name="Contest the verdict").click()
    verdict = tenant.look().get_by_role("region", name="Verdict")
    expect(verdict.get_by_text(f"Contested by {cast.vendor.name}")).to_be_visible()
    expect(tenant.page.get_by_text(line)).to_be_visible()

    vendor.look().get_by_role("button", name="Agree", exact=True).click()
    verdict = vendor.page.get_by_role("region", name="Verdict")
    expect(verdict.get_by_text(f"{cast.vendor.name} agreed")).to_be_visible()
    vendor.page.locator(".buttons").get_by_role("link", name="Resolve…").first.click()
    why = vendor.page.locator("#resolve-reason")
    if not why.is_visible():  # a browser may open what the address points into, or not
        vendor.page.locator("#resolve > summary").click()
    why.select_option(label="A part was replaced")
    vendor.page.locator("#resolve").get_by_role("button", name="Resolve").click()
    expect(
        tenant.look().get_by_text("resolved the incident: a part was replaced").first
    ).to_be_attached()
    expect(tenant.page.get_by_text("Reopen…").first).to_be_visible()


def test_on_a_phone_everything_is_in_reach(
    cast: Cast, incident: Incident, live_server: LiveServer, open_page: OpenPage
) -> None:
    phone = open_page(width=390, color_scheme="dark")
    operator = Desk(phone, live_server, cast.operator, incident)
    _hand_over(operator, cast.vendor)
    expect(phone.get_by_text("proposes to hand over to")).to_be_visible()
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390


def _hand_over(desk: Desk, to: Organization) -> None:
    page = desk.look()
    work = page.get_by_role("region", name="In whose hands")
    work.get_by_text("Hand over…").click()
    work.get_by_label("To").select_option(value=to.slug)
    work.locator("#hand-over-reason").select_option(value="your-layer")
    work.locator("#hand-over-text").fill("the bus error names your part")
    work.locator("#hand-over-ticket").fill("OPS-17")
    work.locator("#hand-over-due").fill("2099-01-01T14:00")
    work.get_by_role("button", name="Propose to hand over").click()
    expect(page.get_by_text("proposes to hand over to")).to_be_visible()


def test_what_is_being_written_outlasts_what_arrives(
    cast: Cast, incident: Incident, live_server: LiveServer, open_page: OpenPage
) -> None:
    """While evidence still comes in, the page asks again every few seconds."""
    operator = Desk(open_page(), live_server, cast.operator, incident)
    page = operator.look()
    page.locator("#resolve > summary").click()
    words = page.locator("#resolve-text")
    words.fill("the switch of rack 4")
    with organization_scope(cast.tenant.pk):
        Incident.objects.update(revision=F("revision") + 1)
    # The annotations of the page ask elsewhere.
    shown = f"{incident.public_id}/?"
    with page.expect_response(lambda told: shown in told.url and told.status == 200):
        pass
    page.wait_for_timeout(500)
    expect(words).to_have_value("the switch of rack 4")

    words.fill("")
    words.blur()
    expect(page.get_by_text(f"This is answer {incident.revision + 1}")).to_be_visible()
