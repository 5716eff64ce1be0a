"""Writing a change down in the browser, and meeting it on the incident that followed."""

from datetime import timedelta

import pytest
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from apps.tenancy.models import MemberRole
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.e2e.axe_looks import violations
from tests.e2e.conftest import OpenPage
from tests.e2e.screen_widths import TOO_WIDE, WIDTHS
from tests.e2e.signing_in import sign_in

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]


def _faults(page: Page) -> list[object]:
    """Return what breaks a rule of accessibility, and what is wider than a desk or a phone."""
    found: list[object] = [*violations(page)]
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        found += page.evaluate(TOO_WIDE)
    return found


@pytest.mark.usefixtures("lately")
def test_a_change_is_written_down_and_stands_on_the_incident_after_it(
    live_server: LiveServer, open_page: OpenPage, cast: Cast
) -> None:
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    assert incident.started_at is not None
    at = incident.started_at - timedelta(minutes=14)
    page = open_page()
    base = f"{live_server.url}/o/{cast.operator.slug}/"
    sign_in(page, live_server.url, make.user(organization=cast.operator, role=MemberRole.ADMIN))
    page.goto(f"{base}changes/")
    page.get_by_text("A change that we made…").click()
    page.get_by_label("What was changed").fill("GPU driver of rack 7")
    page.get_by_label("Kind").select_option("driver")
    page.get_by_label("When, UTC").fill(f"{at:%Y-%m-%dT%H:%M}")
    page.get_by_label("Nodes, such as").fill("gpu[001-002]")
    page.get_by_label("Version before").fill("550.54")
    page.get_by_label("Version after").fill("560.35")
    assert _faults(page) == []
    page.get_by_role("button", name="Write it down").click()
    assert "550.54 → 560.35" in page.get_by_role("table").inner_text()
    assert _faults(page) == []
    page.goto(f"{base}incidents/{incident.public_id}/")
    said = page.locator("#changed-before").inner_text()
    assert "before it broke: driver 550.54 → 560.35 (GPU driver of rack 7) on gpu001" in said
    assert _faults(page) == []
