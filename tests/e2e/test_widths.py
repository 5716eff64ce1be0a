"""No page is wider than its screen: each is looked at on a small desk and on a phone."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from apps.tenancy.models import MemberRole, Organization
from tests.cast import make
from tests.cast.clients import member
from tests.cast.failing_nodes import LEMON, broken
from tests.cast.incidents import Cast
from tests.cast.reports import issued, stops
from tests.cast.training_season import DAYS, FIRST_DAY, build_season
from tests.contracts.route_matrix import inside
from tests.contracts.world import World, build
from tests.e2e.conftest import OpenPage
from tests.e2e.screen_widths import TOO_WIDE, WIDTHS
from tests.e2e.signing_in import sign_in

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]
# The account's menu on a second line is no header of a desk.
LINES_OF_HEADER = "Math.round(document.querySelector('.top').offsetHeight / 48)"
OVERLAPS = """() => [...document.querySelectorAll(".references")].filter((each) => {
  const boxes = [...each.children].map((child) => child.getBoundingClientRect());
  return boxes.some((a, at) => boxes.slice(at + 1).some((b) =>
    a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1));
}).length"""
SEASON = f"?from={FIRST_DAY:%Y-%m-%d}&until={FIRST_DAY + timedelta(days=DAYS):%Y-%m-%d}"


def addresses(world: World, who: Organization, role: MemberRole) -> Iterator[str]:
    """Yield the pages that a member finds, each once."""
    client = member(who, role=role).client
    for route in inside():
        path = route.path(who.slug, world.ids)
        if not route.is_page:
            continue
        answer = client.get(path)
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
            yield path
    yield f"/o/{who.slug}/reliability/{SEASON}"


def too_wide(page: Page, base: str, path: str) -> Iterator[str]:
    """Yield what is wider than the screen, by width."""
    page.set_viewport_size({"width": WIDTHS[0], "height": 900})
    page.goto(f"{base}{path}", wait_until="domcontentloaded")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        if found := page.evaluate(TOO_WIDE):
            yield f"{width}: {path}: {'; '.join(found)}"


@pytest.mark.usefixtures("lately")
@pytest.mark.parametrize("part", ["tenant", "operator"])
def test_no_page_scrolls_sideways(live_server: LiveServer, open_page: OpenPage, part: str) -> None:
    world = build()
    build_season(world.cast, sessions=6, saves=12)
    now = timezone.now()  # noqa: TID251  pages look at the clock
    for days in (20, 10, 1):
        broken(world.cast, LEMON, now - timedelta(days=days))
    who: Organization = getattr(world.cast, part)
    Organization.objects.filter(pk=who.pk).update(name="Northwind Storage", is_simulated=True)
    page = open_page(loads_all=False, timezone_id="Asia/Seoul")
    sign_in(page, live_server.url, make.user(organization=who, role=MemberRole.ADMIN, name="hana"))
    paths = list(dict.fromkeys(addresses(world, who, MemberRole.ADMIN)))
    assert len(paths) > 30
    found = [each for path in paths for each in too_wide(page, live_server.url, path)]
    assert not found, "\n".join(found)
    page.set_viewport_size({"width": WIDTHS[0], "height": 900})
    assert page.evaluate(LINES_OF_HEADER) == 1


@pytest.mark.parametrize("width", WIDTHS)
def test_ids_that_a_report_counts_stand_beside_each_other(
    live_server: LiveServer, open_page: OpenPage, cast: Cast, width: int
) -> None:
    stops(cast, count=12)
    report = issued(cast.tenant).head
    page = open_page(width=width)
    sign_in(page, live_server.url, make.user(organization=cast.tenant))
    page.goto(f"{live_server.url}/o/{cast.tenant.slug}/reports/{report.public_id}/")
    assert page.locator(".references a").count() > 20
    assert page.evaluate(OVERLAPS) == 0
    assert page.evaluate(TOO_WIDE) == []
