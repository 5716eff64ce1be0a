"""A log that is scrolled through in both directions, and metrics that are asked for."""

from datetime import timedelta

import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from tests.apps.telemetry.ageing import come_in
from tests.apps.telemetry.held_logs.held import holder, line
from tests.apps.telemetry.prometheus_server import World, serving
from tests.cast import make
from tests.cast.metrics import NOW, cast, healthy, source
from tests.e2e.conftest import OpenPage
from tests.e2e.signing_in import sign_in

pytestmark = pytest.mark.browser


@pytest.mark.django_db(transaction=True)
def test_a_log_scrolls_both_ways_and_the_page_stays_small(
    live_server: LiveServer, open_page: OpenPage
) -> None:
    made = holder()
    lines = [line(number) for number in range(1, 3001)]
    come_in(made.organization, made.cluster, lines, at=make.AT, stream="kernel", host="gpu001")
    page = open_page()
    sign_in(page, live_server.url, make.user(organization=made.organization))
    page.goto(f"{live_server.url}/o/{made.organization.slug}/logs/{made.stream().key}/?line=1500")
    box = page.locator("#log-lines")
    expect(page.locator("#line-1500")).to_be_visible()
    for _ in range(12):
        box.evaluate("each => { each.scrollTop = 0; }")
        page.wait_for_timeout(400)
    expect(page.locator("#line-1")).to_have_count(1)
    assert page.locator(".log-part").count() <= 6
    for _ in range(24):
        box.evaluate("each => { each.scrollTop = each.scrollHeight; }")
        page.wait_for_timeout(400)
    expect(page.locator("#line-3000")).to_have_count(1)
    assert page.locator(".log-part").count() <= 6
    shown = page.locator(".log-line").evaluate_all("all => all.map(each => +each.id.slice(5))")
    assert shown == list(range(shown[0], 3001))


@pytest.mark.django_db(transaction=True)
def test_a_signal_is_drawn(live_server: LiveServer, open_page: OpenPage) -> None:
    made, world = cast(), World()
    healthy(world)
    with serving(world) as url:
        source(made, url)
        page = open_page()
        sign_in(page, live_server.url, make.user(organization=made.operator))
        start = NOW - timedelta(hours=1)
        query = f"from={start:%Y-%m-%dT%H:%M:%S}&until={NOW:%Y-%m-%dT%H:%M:%S}"
        base = (
            f"{live_server.url}/o/{made.operator.slug}/explore/?signal=gpu.temperature&host=gpu001"
        )
        page.goto(f"{base}&{query}")
        expect(page.locator(".explore-figure .scatterlayer .trace")).not_to_have_count(0)


@pytest.mark.django_db(transaction=True)
def test_a_label_that_reads_like_a_link_is_none(
    live_server: LiveServer, open_page: OpenPage
) -> None:
    made, world = cast(), World()
    healthy(world)
    world.add("odd", 1.0, pod='<a href="https:\\\\evil.example">%{x}</a>')
    with serving(world) as url:
        source(made, url)
        page = open_page()
        sign_in(page, live_server.url, make.user(organization=made.operator))
        start = NOW - timedelta(hours=1)
        query = f"q=odd&from={start:%Y-%m-%dT%H:%M:%S}&until={NOW:%Y-%m-%dT%H:%M:%S}"
        page.goto(f"{live_server.url}/o/{made.operator.slug}/explore/?{query}")
        chart = page.locator("[data-figure].js-plotly-plot")
        expect(chart.locator(".scatterlayer .trace")).not_to_have_count(0)
        chart.evaluate("each => Plotly.Fx.hover(each, [{ curveNumber: 0, pointNumber: 9 }])")
        told = chart.locator(".hoverlayer")
        expect(told).to_contain_text("<a href=")
        expect(chart.locator("a")).to_have_count(0)
