"""Windows that show how an incident stood: somebody else was faster, or the network was away."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from apps.fleet.models import ParticipationRole
from apps.incidents.models import Annotation, Incident, IncidentStep
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.e2e.asgi_server import CUT_OFF, serving
from tests.e2e.conftest import OpenPage
from tests.e2e.hand_overs import LAYERS, handed_over
from tests.e2e.signing_in import sign_in

pytestmark = [
    pytest.mark.usefixtures("lately"),
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
    CUT_OFF,
]
FASTER = "Somebody was faster: this is how the incident stands now."


@pytest.fixture
def incident(cast: Cast) -> Incident:
    """Record a stop that has settled: its page asks for nothing by itself."""
    found = stop_of(cast, attempt_of(cast, cast.tenant))
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=found.pk).update(settled_at=make.AT)
    return found


@pytest.fixture
def base() -> Iterator[str]:
    """Serve the portal as it runs."""
    with serving() as address:
        yield address


def _open_resolve(page: Page) -> None:
    page.locator("#resolve > summary").click()
    page.locator("#resolve-reason").select_option(label="A part was replaced")


def test_the_second_of_two_windows_that_resolve_is_told_how_it_stands(
    cast: Cast, incident: Incident, live_server: LiveServer, open_page: OpenPage
) -> None:
    windows = []
    for who in (cast.tenant, cast.vendor):
        # Without scripts the window stays as it was when it was opened.
        page = open_page(java_script_enabled=False)
        sign_in(page, live_server.url, make.user(organization=who))
        page.goto(f"{live_server.url}/o/{who.slug}/incidents/{incident.public_id}/")
        _open_resolve(page)
        windows.append(page)
    for page in windows:
        page.locator("#resolve").get_by_role("button", name="Resolve").click()
    first, second = windows
    expect(first.get_by_text("Reopen…").first).to_be_visible()
    expect(first.get_by_text("faster")).to_have_count(0)
    expect(second.get_by_text(FASTER)).to_be_visible()
    with organization_scope(*cast.ids):
        assert IncidentStep.objects.filter(state="resolved").count() == 1


def test_of_two_windows_that_answer_a_hand_over_differently_the_first_counts(
    cast: Cast, live_server: LiveServer, open_page: OpenPage
) -> None:
    incident = handed_over(cast, cast.vendor, *LAYERS[ParticipationRole.GPU_VENDOR])
    windows = []
    for _ in range(2):
        page = open_page(java_script_enabled=False)
        sign_in(page, live_server.url, make.user(organization=cast.vendor))
        page.goto(f"{live_server.url}/o/{cast.vendor.slug}/incidents/{incident.public_id}/")
        windows.append(page)
    accepting, declining = windows
    accepting.get_by_role("button", name="Accept", exact=True).click()
    declining.get_by_text("Decline…").click()
    card = declining.get_by_role("region", name="In whose hands").locator(".hand-over")
    card.locator("select").select_option(label="Evidence is missing")
    card.get_by_role("button", name="Decline it").click()
    expect(declining.get_by_text(FASTER)).to_be_visible()
    line = f"In {cast.vendor.name}'s hands for"
    for page in windows:
        expect(page.get_by_text(line)).to_be_visible()


def test_what_is_written_while_the_network_is_away_is_sent_once_when_it_is_back(
    cast: Cast, incident: Incident, base: str, open_page: OpenPage
) -> None:
    page = open_page(loads_all=False)
    sign_in(page, base, make.user(organization=cast.tenant))
    page.goto(f"{base}/o/{cast.tenant.slug}/incidents/{incident.public_id}/")
    expect(page.locator("[data-live-state]")).to_have_attribute("data-state", "live")
    words = "the cable was warm"
    page.get_by_label("Add an annotation").fill(words)
    page.context.set_offline(True)
    page.get_by_role("button", name=f"Keep within {cast.tenant.name}").click()
    page.wait_for_timeout(500)
    assert page.url.startswith(base), "the page is gone, and with it what was written"
    expect(page.get_by_label("Add an annotation")).to_have_value(words)
    page.context.set_offline(False)
    page.get_by_role("button", name=f"Keep within {cast.tenant.name}").click()
    expect(page.locator(".notes p").get_by_text(words)).to_be_visible()
    with organization_scope(cast.tenant.pk):
        assert Annotation.objects.filter(text=words).count() == 1


def test_why_it_was_resolved_is_not_lost_where_the_network_is_away(
    cast: Cast, incident: Incident, base: str, open_page: OpenPage
) -> None:
    page = open_page(loads_all=False)
    sign_in(page, base, make.user(organization=cast.tenant))
    page.goto(f"{base}/o/{cast.tenant.slug}/incidents/{incident.public_id}/")
    _open_resolve(page)
    words = page.locator("#resolve textarea").first
    words.fill("board 7 was swapped")
    page.context.set_offline(True)
    page.locator("#resolve").get_by_role("button", name="Resolve").click(no_wait_after=True)
    page.wait_for_timeout(500)
    page.context.set_offline(False)
    if not page.url.startswith(base):  # the browser's own page says that the network is away
        page.go_back()
    if not words.is_visible():
        page.locator("#resolve > summary").click()
    expect(words).to_have_value("board 7 was swapped")
    page.locator("#resolve").get_by_role("button", name="Resolve").click()
    expect(page.get_by_text("Reopen…").first).to_be_visible()
    with organization_scope(*cast.ids):
        assert IncidentStep.objects.filter(state="resolved").count() == 1
