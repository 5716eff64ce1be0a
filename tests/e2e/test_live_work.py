"""Work on one incident while its pages are open: what one party does, the others' pages show."""

from collections.abc import Callable, Iterator
from time import monotonic

import pytest
from playwright.sync_api import Locator, Page, expect

from apps.incidents.models import Incident
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.e2e.asgi_server import CUT_OFF, serving
from tests.e2e.conftest import OpenPage
from tests.e2e.delays import print_delays
from tests.e2e.signing_in import sign_in

pytestmark = [
    pytest.mark.usefixtures("lately"),
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
    """Record a stop that has settled: its page asks for nothing by itself."""
    found = stop_of(cast, attempt_of(cast, cast.tenant))
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=found.pk).update(settled_at=make.AT)
    return found


def _open(open_page: OpenPage, base: str, who: Organization, incident: Incident) -> Page:
    page = open_page()
    sign_in(page, base, make.user(organization=who, role=MemberRole.ADMIN))
    page.goto(f"{base}/o/{who.slug}/incidents/{incident.public_id}/")
    expect(page.locator("[data-live-state]")).to_have_attribute("data-state", "live")
    page.evaluate("window.isSamePage = true")
    return page


def _seconds(act: Callable[[], None], page: Page, *, shows: str) -> float:
    """Return how long after the click the other party's page showed it."""
    began = monotonic()
    act()
    page.wait_for_function(
        "text => document.getElementById('incident').innerText.includes(text)", arg=shows
    )
    seconds = monotonic() - began
    assert page.evaluate("window.isSamePage"), "it was loaded again"
    return seconds


def _work(page: Page) -> Locator:
    return page.get_by_role("region", name="In whose hands")


def _fill_hand_over(page: Page, to: Organization) -> Callable[[], None]:
    work = _work(page)
    work.get_by_text("Hand over…").click()
    work.get_by_label("To").select_option(value=to.slug)
    work.locator("#hand-over-reason").select_option(value="your-layer")
    work.locator("#hand-over-text").fill("the bus error names your part")
    return lambda: work.get_by_role("button", name="Propose to hand over").click(no_wait_after=True)


def _fill_refusal(page: Page) -> Callable[[], None]:
    _work(page).get_by_text("Decline…").click()
    card = _work(page).locator(".hand-over")
    card.locator("select").select_option(label="Evidence is missing")
    card.locator("textarea[id$=-text]").fill("no log of the driver")
    return lambda: card.get_by_role("button", name="Decline it").click(no_wait_after=True)


def _fill_resolution(page: Page) -> Locator:
    page.locator("#resolve > summary").click()
    page.locator("#resolve-reason").select_option(label="A part was replaced")
    return page.locator("#resolve").get_by_role("button", name="Resolve")


def test_what_one_party_does_is_on_the_others_open_pages_by_itself(
    cast: Cast, incident: Incident, base: str, open_page: OpenPage
) -> None:
    operator = _open(open_page, base, cast.operator, incident)
    vendor = _open(open_page, base, cast.vendor, incident)
    tenant = _open(open_page, base, cast.tenant, incident)
    took: dict[str, float] = {}
    asked_for = f"{cast.operator.name} proposes to hand over to {cast.vendor.name}"
    took["proposed"] = _seconds(_fill_hand_over(operator, cast.vendor), vendor, shows=asked_for)
    expect(vendor.get_by_text("A hand-over waits for your answer.")).to_be_visible()
    expect(_work(tenant).get_by_text(asked_for)).to_be_visible()
    # Its words are its two sides'.
    expect(_work(vendor).get_by_text("the bus error names your part")).to_be_visible()
    expect(_work(tenant).get_by_text("the bus error names your part")).to_have_count(0)

    operator.evaluate("window.isSamePage = true")
    decline = _fill_refusal(vendor)
    took["declined"] = _seconds(decline, operator, shows=f"{cast.vendor.name} declined")
    expect(_work(operator).get_by_text("no log of the driver").first).to_be_visible()

    vendor.evaluate("window.isSamePage = true")
    took["again"] = _seconds(_fill_hand_over(operator, cast.vendor), vendor, shows=asked_for)
    took["accepted"] = _seconds(
        lambda: vendor.get_by_role("button", name="Accept").click(no_wait_after=True),
        tenant,
        shows=f"In {cast.vendor.name}'s hands",
    )
    vendor.get_by_text("Contest, because…").click()
    vendor.get_by_label("What it really was").select_option(label="Link down")
    took["contested"] = _seconds(
        lambda: vendor.get_by_role("button", name="Contest the verdict").click(no_wait_after=True),
        tenant,
        shows=f"Contested by {cast.vendor.name}",
    )
    took["agreed"] = _seconds(
        lambda: vendor.get_by_role("button", name="Agree", exact=True).click(no_wait_after=True),
        tenant,
        shows=f"{cast.vendor.name} agreed",
    )
    resolve = _fill_resolution(vendor)
    took["resolved"] = _seconds(lambda: resolve.click(no_wait_after=True), tenant, shows="Reopen…")
    expect(_work(tenant).get_by_text("a part was replaced").first).to_be_visible()
    print_delays([*took.values()], tenant)


def test_what_is_being_written_where_it_is_read_and_what_is_marked_stay(
    cast: Cast, incident: Incident, base: str, open_page: OpenPage
) -> None:
    operator = _open(open_page, base, cast.operator, incident)
    vendor = _open(open_page, base, cast.vendor, incident)
    vendor.set_viewport_size({"width": 1280, "height": 500})
    vendor.locator("#resolve > summary").click()
    vendor.locator("#resolve-text").fill("half a reason")
    vendor.locator("#judging-note").evaluate("field => { field.closest('details').open = true }")
    vendor.locator("#judging-note").press_sequentially("half an opinion")
    vendor.evaluate("getSelection().selectAllChildren(document.querySelector('#actions h2'))")
    before = vendor.locator("#judging-note").bounding_box()
    shown = f"{cast.operator.name} proposes to hand over to {cast.vendor.name}"
    _seconds(_fill_hand_over(operator, cast.vendor), vendor, shows=shown)

    expect(vendor.locator("#resolve-text")).to_have_value("half a reason")
    expect(vendor.locator("#judging-note")).to_have_value("half an opinion")
    assert vendor.evaluate("String(getSelection())") == "Actions"
    after = vendor.locator("#judging-note").bounding_box()
    assert before is not None
    assert after is not None
    assert abs(after["y"] - before["y"]) < 2  # what came in above pushed nothing away

    # The other side takes it back while the answer is being written.
    _work(vendor).get_by_text("Decline…").click()
    words = _work(vendor).locator(".hand-over textarea[id$=-text]")
    words.fill("half a refusal")
    take_back = _work(operator).get_by_role("button", name="Take it back")
    _seconds(lambda: take_back.click(no_wait_after=True), vendor, shows="took back the proposal")
    expect(words).to_have_value("half a refusal")
    expect(_work(vendor).get_by_text("This changed meanwhile.").first).to_be_visible()


def test_a_ticket_of_two_sides_moves_nothing_on_the_page_of_a_third(
    cast: Cast, incident: Incident, base: str, open_page: OpenPage
) -> None:
    operator = _open(open_page, base, cast.operator, incident)
    _fill_hand_over(operator, cast.vendor)()
    expect(operator.get_by_text("proposes to hand over to").first).to_be_visible()
    vendor = _open(open_page, base, cast.vendor, incident)
    tenant = _open(open_page, base, cast.tenant, incident)
    tenant.wait_for_timeout(500)
    asked: list[str] = []
    tenant.on("request", lambda request: asked.append(request.url))
    field = _work(operator).locator("input[name=ticket][id$=-ticket]").first
    field.fill("OPS-17")
    save = _work(operator).get_by_role("button", name="Save")
    _seconds(lambda: save.click(no_wait_after=True), vendor, shows="OPS-17")
    tenant.wait_for_timeout(1_000)
    assert asked == []
