"""Explore on its page: signals, PromQL, what is kept of incidents, and who sees nothing."""

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from apps.tenancy.models import MemberRole, TokenScope
from tests.apps.telemetry.prometheus_server import World, serving
from tests.cast import make
from tests.cast.clients import token
from tests.cast.metrics import NOW, Cast, cast, healthy, source
from tests.web.conftest import Browser

SPAN = f"from={NOW - timedelta(hours=1):%Y-%m-%dT%H:%M:%S}&until={NOW:%Y-%m-%dT%H:%M:%S}"


@pytest.fixture
def people(transactional_db: None) -> Iterator[Cast]:
    """The operator of a cluster with a source of its own, and an outsider."""
    made, world = cast(), World()
    healthy(world)
    with serving(world) as url:
        source(made, url)
        yield made


def figure_of(page: Any) -> Any:
    """Return the figure of a page."""
    text = page.content.decode()
    found = re.search(r'<script id="figure-explore"[^>]*>(.*?)</script>', text, re.DOTALL)
    assert found
    return json.loads(found[1])


def test_a_signal_is_drawn_with_its_table_and_its_promql(people: Cast, browser: Browser) -> None:
    client = browser(people.operator, MemberRole.VIEWER)
    base = f"/o/{people.operator.slug}/explore/"
    page = client.get(f"{base}?signal=gpu.temperature&host=gpu003&{SPAN}")
    assert page.status_code == 200
    lines = [each for each in figure_of(page)["data"] if each.get("name")]
    assert len(lines) == 4
    text = page.content.decode()
    assert "DCGM_FI_DEV_GPU_TEMP" in text
    assert "Simulated data" in text
    table = client.get(f"{base}csv/?signal=gpu.temperature&host=gpu003&{SPAN}").content.decode()
    assert len(table.splitlines()) == 242
    assert table.splitlines()[1].endswith("60.0,61.0,62.0,63.0")


def test_promql_is_drawn_and_what_the_server_refuses_is_said(
    people: Cast, browser: Browser
) -> None:
    client = browser(people.operator)
    base = f"/o/{people.operator.slug}/explore/"
    page = client.get(f"{base}?q=DCGM_FI_DEV_SM_CLOCK&{SPAN}")
    assert len([each for each in figure_of(page)["data"] if each.get("name")]) == 18
    none = client.get(f"{base}?q=nothing_of_that_name&{SPAN}")
    assert "That is not zero." in none.content.decode()
    long = client.get(f"{base}?q={'x' * 2001}&{SPAN}")
    assert long.status_code == 422
    ever = client.get(f"{base}?q=up&from=1999-01-01T00:00:00&until=2026-01-01T00:00:00")
    assert ever.status_code == 422


def test_the_source_of_another_is_not_there(people: Cast, browser: Browser) -> None:
    query = f"?source=SRC-metrics&signal=gpu.temperature&{SPAN}"
    assert (
        browser(people.operator).get(f"/o/{people.operator.slug}/explore/{query}").status_code
        == 200
    )
    theirs = browser(people.outsider)
    assert theirs.get(f"/o/{people.outsider.slug}/explore/{query}").status_code == 404
    assert theirs.get(f"/o/{people.operator.slug}/explore/{query}").status_code == 404


@pytest.mark.parametrize("query", ["?gpu=x", "?from=never", "?range=2y", "?incident=%20", "?q=%00"])
def test_nonsense_in_the_address_is_told_and_breaks_nothing(
    query: str, people: Cast, browser: Browser
) -> None:
    page = browser(people.operator).get(f"/o/{people.operator.slug}/explore/{query}")
    assert page.status_code in {200, 400, 422}


def test_the_interface_answers_who_may_read_and_nobody_else(people: Cast) -> None:
    query = {"source": "SRC-metrics", "from": NOW - timedelta(hours=1), "until": NOW}
    told = {name: getattr(value, "isoformat", lambda v=value: v)() for name, value in query.items()}
    reading = token(people.operator, TokenScope.READ)
    answer = reading.get("metrics/query/", **told, signal="gpu.temperature", host="gpu001")
    assert answer.status_code == 200
    body = answer.json()
    assert (len(body["series"]), body["unit"], len(body["at"])) == (4, "°C", 241)
    assert reading.get("metrics/query/", **told, q="DCGM_FI_DEV_SM_CLOCK").status_code == 200
    assert reading.get("metrics/query/", **told).status_code == 400
    assert reading.get("metrics/query/", **told, signal="no.such").status_code == 400
    for asking in (token(people.operator, TokenScope.INGEST), token(people.outsider)):
        refused = asking.get("metrics/query/", **told, signal="gpu.temperature")
        assert refused.status_code == 404
    other = token(make.organization(), TokenScope.READ)
    assert other.get("metrics/query/", **told, q="up").status_code == 404
