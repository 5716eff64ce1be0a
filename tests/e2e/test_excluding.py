"""The operator's way from Home over the fleet to a node that is left out, and back into use."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

import pytest
from django.utils import timezone
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from apps.fleet.models import NodeExclusion
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.fleet_world import FleetWorld, build, xid
from tests.e2e.conftest import OpenPage
from tests.e2e.signing_in import sign_in

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]
TOO_WIDE: Final = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
BROKEN: Final = "gpu002"


@dataclass(frozen=True, slots=True, kw_only=True)
class Looking:
    """On what and in which language, and the words that are met on the way."""

    width: int = 1440
    language: str = "en"
    fleet: str = "Fleet"
    open_node: str = "Open node"
    exclude: str = "Exclude this node…"
    why: str = "Why"
    write: str = "Write it down"
    is_out: str = "Written down: {host} is left out"
    back: str = "Put back"
    is_back: str = "Written down: {host} is in use again"


KOREAN: Final[dict[str, Any]] = {
    "language": "ko",
    "fleet": "노드 현황",
    "open_node": "노드 열기",
    "exclude": "이 노드 제외…",
    "why": "이유",
    "write": "기록",
    "is_out": "기록함: {host}이(가) 제외되었습니다",
    "back": "되돌리기",
    "is_back": "기록함: {host}",
}
LOOKS: Final = {
    "desk": Looking(),
    "phone": Looking(width=390),
    "phone in Korean": Looking(width=390, **KOREAN),
}


@pytest.fixture
def world() -> FleetWorld:
    """Eight nodes, measured until now, and an Xid on one of them."""
    made = build(now=timezone.now())  # noqa: TID251  a browser's clock is the machine's
    xid(made, host=BROKEN, pci="0000:83:00.0", code=79, at=made.at - timedelta(minutes=5))
    return made


def _exclusions(world: FleetWorld) -> list[tuple[str, bool]]:
    with organization_scope(world.operator.pk):
        rows = NodeExclusion.objects.order_by("id").values_list("host", "ends_at")
        return [(host, ends is None) for host, ends in rows]


@pytest.mark.parametrize("looking", LOOKS.values(), ids=LOOKS)
def test_from_home_to_a_node_that_is_left_out_and_put_back(
    live_server: LiveServer, open_page: OpenPage, world: FleetWorld, looking: Looking
) -> None:
    page = open_page(width=looking.width)
    sign_in(page, live_server.url, make.user(organization=world.operator))
    if looking.language != "en":
        page.get_by_role("button", name="한국어").click()
    page.get_by_role("link", name=looking.fleet, exact=True).first.click()
    if page.locator("[data-grid]").count() == 0:  # the list of one's clusters
        page.get_by_role("link", name=world.cluster.name, exact=True).click()
    expect(page.locator("[data-high]")).not_to_be_empty()
    page.locator("[data-grid]").focus()
    page.keyboard.press("ArrowRight")  # an Xid hit it: it stands first
    page.keyboard.press("Enter")
    page.locator("#fleet-node").get_by_role("link", name=looking.open_node).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(BROKEN)
    assert page.evaluate(TOO_WIDE) == 0

    page.get_by_text(looking.exclude).click()
    page.get_by_label(looking.why, exact=True).fill("Xid 79")
    page.get_by_role("button", name=looking.write, exact=True).click()
    expect(page.get_by_text(looking.is_out.format(host=BROKEN))).to_be_visible()
    assert _exclusions(world) == [(BROKEN, True)]
    assert page.evaluate(TOO_WIDE) == 0

    page.get_by_role("button", name=looking.back, exact=True).click()
    expect(page.get_by_text(looking.is_back.format(host=BROKEN))).to_be_visible()
    assert _exclusions(world) == [(BROKEN, False)]
