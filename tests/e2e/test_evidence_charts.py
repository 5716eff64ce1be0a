"""Evidence charts in the browser: a line for the stop, a band, gaps as gaps, numbers on hover."""

import re
from datetime import datetime

import pytest
from django.db.models import F
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from apps.incidents.models import Incident
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.cast.kept_charts import SIGNALS, STEPS, STOP, keep
from tests.e2e.conftest import OpenPage
from tests.e2e.signing_in import sign_in

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]


@pytest.fixture
def incident(cast: Cast) -> Incident:
    """Record a stop with what the operator kept of it."""
    blamed = {"kind": "gpu", "host": "gpu001", "name": None, "gpu": {"index": 3, "uuid": "ab12"}}
    incident = stop_of(cast, attempt_of(cast, cast.tenant), culprits=[blamed])
    keep(cast, incident)
    return incident


def shown(page: Page, live_server: LiveServer, cast: Cast, incident: Incident) -> Page:
    """Open the incident as its operator, until the charts stand."""
    user = make.user(organization=cast.operator)
    sign_in(page, live_server.url, user)
    page.goto(f"{live_server.url}/o/{cast.operator.slug}/incidents/{incident.public_id}/")
    page.wait_for_selector(".js-plotly-plot .main-svg")
    return page


def test_charts_show_band_stop_and_gap(
    live_server: LiveServer, open_page: OpenPage, cast: Cast, incident: Incident
) -> None:
    page = shown(open_page(width=1440), live_server, cast, incident)
    charts = page.locator(".chart")
    expect(charts).to_have_count(len(SIGNALS))
    first = page.locator(".chart", has_text="GPU temperature")
    expect(first).to_contain_text("GPU 3")
    expect(first).to_contain_text("°C")
    expect(first).to_contain_text("peers")
    expect(first.locator(".shapelayer path")).not_to_have_count(0)
    expect(first).to_contain_text("no data, not zero")


def test_hovering_tells_time_value_and_unit(
    live_server: LiveServer, open_page: OpenPage, cast: Cast, incident: Incident
) -> None:
    page = shown(open_page(width=1440), live_server, cast, incident)
    figure = page.locator(".chart", has_text="GPU power").locator(".figure")
    figure.scroll_into_view_if_needed()
    box = figure.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.5)
    expect(figure.locator(".hoverlayer")).to_contain_text(re.compile(r"\d+ W"))
    expect(figure.locator(".hoverlayer")).to_contain_text(re.compile(r"\d\d:\d\d:\d\d"))


def test_charts_stand_again_after_the_page_refreshed_itself(
    live_server: LiveServer, open_page: OpenPage, cast: Cast, incident: Incident
) -> None:
    """While evidence still comes in, it asks again and is put in place whole."""
    page = shown(open_page(width=1440), live_server, cast, incident)
    with organization_scope(cast.tenant.pk):
        Incident.objects.update(revision=F("revision") + 1)
    expect(page.get_by_text(f"This is answer {incident.revision + 1}")).to_be_visible()
    drawn = page.locator(".js-plotly-plot .main-svg")
    expect(drawn).not_to_have_count(0, timeout=20_000)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_charts_take_the_colours_of_the_theme_and_of_the_one_that_is_chosen_then(
    live_server: LiveServer, open_page: OpenPage, cast: Cast, incident: Incident, scheme: str
) -> None:
    page = shown(open_page(width=1440, color_scheme=scheme), live_server, cast, incident)
    gpu = {"light": "rgb(213, 94, 0)", "dark": "rgb(255, 127, 42)"}
    lines = '.chart path.js-line[style*="stroke: {}"]'
    expect(page.locator(lines.format(gpu.pop(scheme)))).not_to_have_count(0)
    assert "--" not in page.locator(".chart svg").first.inner_html()
    page.keyboard.press("t")
    expect(page.locator(lines.format(gpu.popitem()[1]))).not_to_have_count(0)


def range_of(page: Page, title: str) -> list[str]:
    figure = page.locator(".chart", has_text=title).locator(".figure")
    found: list[str] = figure.evaluate("(element) => [...element.layout.xaxis.range]")
    return [str(each)[:16] for each in found]


def test_the_library_comes_with_the_first_chart_that_is_near_and_not_before(
    live_server: LiveServer, open_page: OpenPage, cast: Cast, incident: Incident
) -> None:
    page = open_page(width=390)
    page.set_viewport_size({"width": 390, "height": 320})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    sign_in(page, live_server.url, make.user(organization=cast.operator))
    page.goto(f"{live_server.url}/o/{cast.operator.slug}/incidents/{incident.public_id}/")
    page.wait_for_load_state("networkidle")
    assert not any("plotly" in url for url in asked)
    page.locator("#metrics-part").scroll_into_view_if_needed()
    page.wait_for_selector(".js-plotly-plot .main-svg")
    assert sum("plotly" in url for url in asked) == 1


def test_a_dragged_stretch_is_zoomed_into_in_all_charts_and_a_double_click_ends_it(
    live_server: LiveServer, open_page: OpenPage, cast: Cast, incident: Incident
) -> None:
    page = shown(open_page(width=1440), live_server, cast, incident)
    page.locator("#metrics-part").scroll_into_view_if_needed()
    first = page.locator(".chart", has_text="GPU power").locator(".nsewdrag").first
    page.wait_for_function(
        "() => document.querySelectorAll('.js-plotly-plot').length === "
        "document.querySelectorAll('[data-figure]').length"
    )
    whole = range_of(page, "GPU temperature")
    box = first.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.3, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, middle, steps=5)
    page.mouse.up()
    page.wait_for_function(
        "(whole) => [...document.querySelectorAll('.js-plotly-plot')]"
        ".every((each) => !String(each.layout.xaxis.range[0]).startsWith(whole))",
        arg=whole[0],
    )
    near = range_of(page, "GPU power")
    assert whole[0] < near[0] < near[1] < whole[1]
    assert range_of(page, "GPU temperature") == near
    page.wait_for_timeout(400)  # else the end of the drag is a click of the two
    first.dblclick()
    page.wait_for_function(
        "(whole) => [...document.querySelectorAll('.js-plotly-plot')]"
        ".every((each) => String(each.layout.xaxis.range[0]).startsWith(whole))",
        arg=whole[0],
    )


def test_an_instant_of_a_chart_shows_on_the_timeline_and_the_other_way_round(
    live_server: LiveServer, open_page: OpenPage, cast: Cast, incident: Incident
) -> None:
    page = shown(open_page(width=1440), live_server, cast, incident)
    figure = page.locator(".chart", has_text="GPU power").locator(".figure")
    figure.scroll_into_view_if_needed()
    box = figure.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * STOP / STEPS * 0.96, box["y"] + box["height"] * 0.5)
    expect(page.locator("svg[data-timeline] .hair")).to_have_count(1)
    other = page.locator(".chart", has_text="GPU temperature").locator(".hoverlayer")
    expect(other).to_contain_text("°C")
    page.mouse.move(1, 1)
    expect(page.locator("svg[data-timeline] .hair")).to_have_count(0)


def test_the_data_of_a_chart_are_a_table_and_files(
    live_server: LiveServer, open_page: OpenPage, cast: Cast, incident: Incident
) -> None:
    page = shown(open_page(width=1440), live_server, cast, incident)
    chart = page.locator(".chart", has_text="GPU temperature")
    chart.get_by_text("Data", exact=True).click()
    rows = chart.locator("tbody tr")
    expect(rows).not_to_have_count(0)
    expect(chart.locator("thead")).to_contain_text("GPU 3")
    expect(rows.last).to_contain_text("no data")
    with page.expect_download() as saved:
        chart.get_by_role("button", name="CSV").click()
    lines = saved.value.path().read_text("utf-8").splitlines()
    assert saved.value.suggested_filename == "gpu-temperature.csv"
    assert lines[0].startswith("Time (UTC),")
    assert len(lines) == rows.count() + 1
    assert lines[-1].endswith(",")  # no data is empty, never 0
    with page.expect_download() as picture:
        chart.get_by_role("button", name="PNG").click()
    assert picture.value.path().read_bytes().startswith(b"\x89PNG")


def test_a_stretch_that_is_dragged_over_the_density_is_the_window_that_is_shown(
    live_server: LiveServer, open_page: OpenPage, cast: Cast, incident: Incident
) -> None:
    page = shown(open_page(width=1440), live_server, cast, incident)
    plot = page.locator("svg[data-timeline]")
    before = plot.get_attribute("data-from"), plot.get_attribute("data-until")
    strip = page.locator("svg[data-density] .lane-place").bounding_box()
    assert strip is not None
    middle = strip["y"] + strip["height"] / 2
    page.mouse.move(strip["x"] + strip["width"] * 0.4, middle)
    page.mouse.down()
    page.mouse.move(strip["x"] + strip["width"] * 0.7, middle, steps=4)
    page.mouse.up()
    page.wait_for_url("**span=*")
    after = plot.get_attribute("data-from"), plot.get_attribute("data-until")
    assert before != after
    expect(page.locator(".segments a[aria-current]", has_text="–")).to_have_count(1)  # noqa: RUF001
    page.get_by_role("link", name="The stop").click()
    expect(plot).to_have_attribute("data-from", before[0] or "")


def test_keys_move_and_zoom_the_window(
    live_server: LiveServer, open_page: OpenPage, cast: Cast, incident: Incident
) -> None:
    page = shown(open_page(width=1440), live_server, cast, incident)
    plot = page.locator("svg[data-timeline]")

    def window() -> tuple[datetime, datetime]:
        begin, end = (plot.get_attribute(f"data-{name}") or "" for name in ("from", "until"))
        return datetime.fromisoformat(begin), datetime.fromisoformat(end)

    begin, end = window()
    page.keyboard.press("+")
    page.wait_for_url("**span=*")
    assert begin < window()[0] < window()[1] < end
    near = window()
    with page.expect_navigation():
        page.keyboard.press("]")
    assert near[0] < window()[0]
    assert near[1] < window()[1]
    with page.expect_navigation():
        page.keyboard.press("-")
    assert window()[1] - window()[0] > near[1] - near[0]


PRINTED = """async () => {
  dispatchEvent(new Event("beforeprint"));
  for (let turn = 0; turn < 100; turn += 1) await null;  // what paper waits for
  return [...document.querySelectorAll("[data-figure]")].map((each) =>
    each.querySelector(".main-svg .scatterlayer path") ? "drawn"
      : each.closest(".chart").querySelector("details[open] tbody tr") ? "table" : "blank");
}"""


@pytest.mark.parametrize(("has_library", "stands"), [(True, "drawn"), (False, "table")])
def test_a_page_that_is_printed_unscrolled_has_no_blank_chart_and_no_button(
    live_server: LiveServer,
    open_page: OpenPage,
    cast: Cast,
    incident: Incident,
    *,
    has_library: bool,
    stands: str,
) -> None:
    page = open_page(width=1440 if has_library else 700)  # a narrow page waits until it is scrolled
    page.set_viewport_size({"width": 1440 if has_library else 700, "height": 320})
    sign_in(page, live_server.url, make.user(organization=cast.operator))
    page.goto(f"{live_server.url}/o/{cast.operator.slug}/incidents/{incident.public_id}/")
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(1_500)
    assert page.evaluate("() => 'Plotly' in window") is has_library
    assert page.evaluate(PRINTED) == [stands] * len(SIGNALS)
    page.emulate_media(media="print")
    expect(page.locator("#incident button:visible, #incident .button:visible")).to_have_count(0)
    page.evaluate("() => { dispatchEvent(new Event('afterprint')); }")
    expect(page.locator("details[data-printed]")).to_have_count(0)
