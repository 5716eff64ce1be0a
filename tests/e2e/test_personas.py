"""Each part of a cluster, from its home to a decision, with the keyboard alone."""

from dataclasses import replace
from typing import Final

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from apps.fleet.models import ParticipationRole
from tests.cast import make
from tests.cast.incidents import Cast
from tests.e2e.conftest import OpenPage
from tests.e2e.hand_overs import LAYERS, handed_over
from tests.e2e.signing_in import sign_in

pytestmark = [
    pytest.mark.usefixtures("lately"),
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
MOST: Final = 250  # presses of Tab: a page has fewer places
FOCUSED: Final = "() => document.activeElement.innerText.trim()"
HAS_RING: Final = """() => {
  const style = getComputedStyle(document.activeElement);
  return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
}"""


def tab_to(page: Page, text: str) -> None:
    """Press Tab until something that says this has the focus, and show that it is seen."""
    for _ in range(MOST):
        page.keyboard.press("Tab")
        if text in page.evaluate(FOCUSED):
            assert page.evaluate(HAS_RING), f"{text} has the focus and nobody sees it"
            return
    pytest.fail(f"nothing that says {text!r} was reached by Tab on {page.url}")


@pytest.mark.parametrize("part", LAYERS, ids=lambda part: part.value)
def test_who_is_asked_decides_from_home_with_the_keyboard_alone(
    cast: Cast, live_server: LiveServer, open_page: OpenPage, part: ParticipationRole
) -> None:
    who = cast.tenant
    if part != ParticipationRole.TENANT:
        who = make.organization()
        make.participation(organization=who, cluster=cast.cluster, part=part)
        cast = replace(cast, vendor=who)
    incident = handed_over(cast, who, *LAYERS[part])
    page = open_page()
    sign_in(page, live_server.url, make.user(organization=who))
    page.goto(f"{live_server.url}/o/{who.slug}/")
    link = page.locator(f"main a[href*='{incident.public_id}']").first
    tab_to(page, link.inner_text().strip())
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/incidents/{incident.public_id}/**")
    hands = page.get_by_role("region", name="In whose hands")
    expect(hands).to_match_aria_snapshot("""
        - region "In whose hands":
          - button "Accept"
    """)
    tab_to(page, "Accept")
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"In {who.name}'s hands for").first).to_be_visible()
