"""Evidence charts in the browser: a line for the stop, a band, gaps as gaps, numbers on hover."""

import re
from collections.abc import Mapping
from datetime import timedelta

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from apps.incidents.models import Incident
from apps.telemetry.evidence.blocks import packed
from apps.telemetry.models import EvidenceBlock, Source
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.e2e.conftest import OpenPage
from tests.e2e.signing_in import sign_in

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]
STEPS = 104  # 26 minutes at 15 s, the stop after 20 of them
STOP = 80
GPU = {"kind": "gpu", "host": "gpu001", "index": 3, "uuid": "ab12"}
# signal → (unit, family, level, noise, what the blamed part shows before it vanishes)
SIGNALS = {
    "gpu.temperature": ("°C", "temperature", 61.0, 1.0, 88.0),
    "gpu.power": ("W", "power", 640.0, 15.0, 310.0),
    "gpu.clock": ("MHz", "clock", 1905.0, 6.0, 900.0),
    "gpu.utilisation": ("ratio", "activity", 0.98, 0.01, 1.0),
}


def keep(cast: Cast, incident: Incident) -> None:
    """Keep a GPU that grew hot and slow and then vanished, beside the band of its peers."""
    noise = np.random.default_rng(7)
    with organization_scope(cast.operator.pk):
        source = Source.objects.create(
            organization=cast.operator,
            public_id="src-1",
            cluster=cast.cluster,
            kind="prometheus",
            name="dcgm",
            created_at=make.AT,
        )
        for name, (unit, family, level, spread, shown) in SIGNALS.items():
            values = level + spread * noise.standard_normal(STEPS)
            values[30:STOP] = np.linspace(level, shown, STOP - 30)
            values[STOP + 2 :] = np.nan
            band = level + spread * np.array([[-2.0], [-0.7], [0.0], [0.7], [2.0]])
            lines = band + 0.2 * spread * noise.standard_normal((5, STEPS))
            _block(cast, incident, source, GPU, family, [name], [unit], values[None, :])
            quantiles = [f"{name}:{each}" for each in ("p5", "p25", "p50", "p75", "p95")]
            peers = {"kind": "peers"}
            _block(cast, incident, source, peers, family, quantiles, [unit] * 5, lines)


def _block(  # noqa: PLR0917  a block in the order of its columns
    cast: Cast,
    incident: Incident,
    source: Source,
    entity: Mapping[str, object],
    family: str,
    signals: list[str],
    units: list[str],
    values: NDArray[np.float64],
) -> None:
    EvidenceBlock.objects.create(
        organization=cast.operator,
        incident_owner=incident.organization_id,
        incident_public_id=incident.public_id,
        source=source,
        source_name=source.name,
        capture_pass=2,
        entity=entity,
        entity_key="|".join(str(each) for each in entity.values()),
        family=family,
        signals=signals,
        units=units,
        starts_at=make.AT - timedelta(minutes=20),
        step_seconds=15.0,
        shape=list(values.shape),
        body=packed(values),
    )


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
