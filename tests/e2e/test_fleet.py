"""The fleet in a browser: the grid moves through time, by slider and by keys, and opens a node."""

import os
import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.cast import make
from tests.cast.fleet_world import HOT, SILENT, FleetWorld, build, xid
from tests.e2e.axe_looks import violations
from tests.e2e.conftest import OpenPage
from tests.e2e.signing_in import sign_in

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]


@pytest.fixture
def world() -> FleetWorld:
    """Eight nodes, measured until now, and an Xid on one of them."""
    made = build(now=timezone.now())  # noqa: TID251  a browser's clock is the machine's
    xid(made, host="gpu002", pci="0000:83:00.0", code=79, at=made.at - timedelta(minutes=5))
    return made


def _opened(live_server: LiveServer, page: Page, world: FleetWorld, query: str = "") -> Page:
    sign_in(page, live_server.url, make.user(organization=world.operator))
    page.goto(f"{live_server.url}/o/{world.operator.slug}/fleet/{world.cluster.slug}/{query}")
    expect(page.locator("[data-high]")).not_to_be_empty()
    return page


def _reads_at(page: Page, at: datetime) -> None:
    """Move the slider to a minute, and let it rest there."""
    page.locator("[data-scrub] input").evaluate(
        "(input, at) => { input.value = at; "
        "for (const each of ['input', 'change']) input.dispatchEvent(new Event(each)); }",
        int(at.timestamp()),
    )


def _seen(page: Page, name: str) -> None:
    """Keep a picture where PICTURES names a folder: for those who change the page."""
    if folder := os.environ.get("PICTURES"):
        page.screenshot(path=str(Path(folder) / f"fleet-{name}.png"), full_page=True)


def test_arrow_keys_move_and_enter_opens_the_node(
    live_server: LiveServer, open_page: OpenPage, world: FleetWorld
) -> None:
    page = _opened(live_server, open_page(width=1440), world)
    told = page.locator("[data-told]")
    page.locator("[data-grid]").focus()
    page.keyboard.press("ArrowRight")
    expect(told).to_contain_text("gpu002")  # an Xid hit it: it stands first
    expect(told).to_contain_text("Xid 79 GPU 1")
    page.keyboard.press("ArrowDown")
    expect(told).to_contain_text(HOT[0])
    page.keyboard.press("Enter")
    panel = page.locator("#fleet-node")
    expect(panel.get_by_role("heading", name=HOT[0])).to_be_visible()
    expect(panel).to_contain_text("93 °C")
    expect(panel).to_contain_text(world.session.name)
    _reads_at(page, world.at - timedelta(minutes=20))
    expect(panel).not_to_contain_text("93 °C")
    expect(panel.get_by_role("heading", name=HOT[0])).to_be_visible()  # as it was chosen
    _seen(page, "wide")


def test_no_data_is_said_as_such(
    live_server: LiveServer, open_page: OpenPage, world: FleetWorld
) -> None:
    page = open_page(width=1440)
    sign_in(page, live_server.url, make.user(organization=world.operator))
    address = f"/o/{world.operator.slug}/fleet/{world.cluster.slug}/?host={SILENT}"
    page.goto(f"{live_server.url}{address}")
    page.locator("[data-grid]").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-told]")).to_contain_text("no data")


def test_the_slider_shows_an_earlier_time_and_writes_it_into_the_address(
    live_server: LiveServer, open_page: OpenPage, world: FleetWorld
) -> None:
    page = _opened(live_server, open_page(width=1440), world, f"?host={HOT[0]}&sort=name")
    page.locator("[data-grid]").focus()
    for _ in range(HOT[1]):
        page.keyboard.press("ArrowRight")
    told = page.locator("[data-told]")
    slider = page.locator("[data-scrub] input")
    expect(told).to_contain_text("93 °C")
    slider.evaluate(
        "(input, at) => { input.value = at; input.dispatchEvent(new Event('input')); }",
        int((world.at - timedelta(minutes=20)).timestamp()),
    )
    expect(told).to_contain_text("62 °C")
    page.wait_for_url("**at=*")
    # What stands around the grid is of that time too, and leads there.
    earlier = world.at - timedelta(minutes=20)
    expect(page.locator("[data-heading]")).to_contain_text(f"{earlier:%H:%M}: 1 node")
    leads = re.compile(f"at={earlier:%Y-%m-%dT%H}(:|%3A){earlier:%M}")
    expect(page.get_by_role("link", name="As JSON")).to_have_attribute("href", leads)
    expect(page.get_by_role("link", name="Unlike peers")).to_have_attribute("href", leads)
    expect(page.get_by_role("link", name="Name", exact=True)).to_have_attribute("href", leads)
    newest = page.get_by_role("link", name="Newest")
    expect(newest).to_be_visible()
    expect(newest).not_to_have_attribute("href", leads)
    page.reload()
    expect(page.locator("main")).to_contain_text("2: 62 °C")


def test_the_curve_stands_over_the_slider_and_leads_to_where_it_was_worst(
    live_server: LiveServer, open_page: OpenPage, world: FleetWorld
) -> None:
    page = _opened(live_server, open_page(width=1440), world)
    panel = page.locator("#fleet-node")
    expect(panel.get_by_role("heading", name="gpu002")).to_be_visible()  # before any click
    curve = page.get_by_role("img", name=re.compile("Furthest from its peers over time"))
    expect(curve).to_be_visible()
    slider = page.locator("[data-scrub] input")
    box, track = curve.bounding_box(), slider.bounding_box()
    assert box is not None
    assert track is not None
    assert abs((box["x"] + box["width"]) - (track["x"] + track["width"])) <= 10
    newest = slider.input_value()
    curve.click(position={"x": box["width"] * 0.995, "y": 10})
    page.wait_for_url("**at=*")
    assert int(slider.input_value()) < int(newest)
    _reads_at(page, world.at - timedelta(minutes=7))  # before the Xid
    expect(panel.get_by_role("heading", name=HOT[0])).to_be_visible()
    expect(panel).to_contain_text("Least like its peers")
    assert not list(violations(page))
    page.locator("#curve-words a").click()
    expect(page.locator("main")).to_contain_text(f"{HOT[0]}")
    assert "at=" in page.url


def test_play_goes_on_from_minute_to_minute_and_stops(
    live_server: LiveServer, open_page: OpenPage, world: FleetWorld
) -> None:
    at = world.at - timedelta(minutes=15)
    page = _opened(live_server, open_page(width=1440), world, f"?at={at:%Y-%m-%dT%H:%M:%SZ}")
    page.get_by_role("button", name="Play").click()
    # It plays faster than a test looks: any of the next minutes will do.
    later = [f"{at + timedelta(minutes=each):%-d %b %H:%M}" for each in range(2, 16)]
    shown = page.locator("[data-time]")
    expect(shown).to_have_text(re.compile("|".join(later)), timeout=20_000)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.wait_for_timeout(2_000)  # what was on its way when it was stopped
    stopped_at = shown.inner_text()
    page.wait_for_timeout(1_000)
    assert shown.inner_text() == stopped_at


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1440, "dark")])
def test_nothing_is_wider_than_the_screen(
    live_server: LiveServer, open_page: OpenPage, world: FleetWorld, width: int, scheme: str
) -> None:
    page = _opened(live_server, open_page(width=width, color_scheme=scheme), world, "?colour=peers")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    _seen(page, f"{width}-{scheme}")


def test_an_xid_is_told_at_its_own_gpu_alone(
    live_server: LiveServer, open_page: OpenPage, world: FleetWorld
) -> None:
    page = _opened(live_server, open_page(width=1440), world, "?host=gpu002")
    told = page.locator("[data-told]")
    page.locator("[data-grid]").focus()
    page.keyboard.press("ArrowRight")
    expect(told).to_contain_text("Xid 79 GPU 1")
    page.keyboard.press("ArrowLeft")
    expect(told).to_contain_text("gpu002 · 0 ·")
    expect(told).not_to_contain_text("Xid")
