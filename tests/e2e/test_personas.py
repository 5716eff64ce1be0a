"""Each part of a cluster, from its home to a decision, with the keyboard alone."""

from dataclasses import replace
from typing import Final

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from apps.fleet.models import ParticipationRole
from apps.incidents.entries import HandOverEntry
from apps.incidents.lifecycle.hand_over import propose
from apps.incidents.models import Incident
from apps.incidents.projection.access import access_incident
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, actor, attempt_of, stop_of
from tests.e2e.conftest import OpenPage
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
# What the part answers for: its hand-over is of a stop of that layer.
LAYERS: Final = {
    ParticipationRole.TENANT: ("software", "cuda-out-of-memory"),
    ParticipationRole.GPU_VENDOR: ("gpu", "gpu-off-bus"),
    ParticipationRole.NETWORK_VENDOR: ("network", "link-down"),
    ParticipationRole.STORAGE_VENDOR: ("storage", "storage-unresponsive"),
    ParticipationRole.PLATFORM: ("host", "node-unreachable"),
}


def tab_to(page: Page, text: str) -> None:
    """Press Tab until something that says this has the focus, and show that it is seen."""
    for _ in range(MOST):
        page.keyboard.press("Tab")
        if text in page.evaluate(FOCUSED):
            assert page.evaluate(HAS_RING), f"{text} has the focus and nobody sees it"
            return
    pytest.fail(f"nothing that says {text!r} was reached by Tab on {page.url}")


def handed_over(cast: Cast, to: Organization, layer: str, cause: str) -> Incident:
    """Let a session stop in a layer, and its operator propose to hand the incident over."""
    found = stop_of(cast, attempt_of(cast, cast.tenant), layer=layer, cause=cause)
    with organization_scope(cast.operator.pk):
        asking = actor(cast.operator)
        propose(
            actor=asking,
            incident=access_incident(actor=asking, public_id=found.public_id),
            entry=HandOverEntry(to=to.slug, reason="your-layer", text="it is yours to mend"),
            now=make.AT,
        )
    return found


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
