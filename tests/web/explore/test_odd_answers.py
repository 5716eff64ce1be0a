"""What a server may answer: values no scale has, labels that read like a page."""

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from apps.telemetry.facade.explore import MetricAnswer, MetricSeries
from apps.tenancy.models import TokenScope
from apps.web.explore.answers import csv_lines
from tests.apps.telemetry.prometheus_server import World, serving
from tests.cast.clients import token
from tests.cast.metrics import NOW, Cast, cast, healthy, source
from tests.web.conftest import Browser

BEGIN = NOW - timedelta(hours=1)
SPAN = f"from={BEGIN:%Y-%m-%dT%H:%M:%S}&until={NOW:%Y-%m-%dT%H:%M:%S}"
LINK = '<a href="https:\\\\evil.example">%{x}</extra>'
SUM = "=HYPERLINK(1)"
SCRIPT = "</script><img src=x onerror=alert(1)>"


@pytest.fixture
def asked(transactional_db: None) -> Iterator[tuple[Cast, World]]:
    """The operator's source, which answers whatever a test puts there."""
    made, world = cast(), World()
    healthy(world)
    with serving(world) as url:
        source(made, url)
        yield made, world


def figure(page: Any) -> Any:
    """Return the figure of a page, read as strictly as a browser does."""
    found = re.search(
        r'<script id="figure-explore"[^>]*>(.*?)</script>', page.content.decode(), re.DOTALL
    )
    assert found
    return json.loads(found[1], parse_constant=lambda each: 1 / 0)


def test_an_endless_value_is_drawn_as_none_and_breaks_no_chart(
    asked: tuple[Cast, World], browser: Browser
) -> None:
    people, world = asked
    world.add("odd", lambda at: np.where(at < NOW.timestamp() - 600, 1.0, np.inf), host="gpu001")

    page = browser(people.operator).get(f"/o/{people.operator.slug}/explore/?q=odd&{SPAN}")

    (line,) = (each for each in figure(page)["data"] if each.get("name"))
    assert line["y"][0] == 1
    assert line["y"][-1] is None
    query = {"source": "SRC-metrics", "q": "odd", "from": BEGIN.isoformat()}
    told = token(people.operator, TokenScope.READ).get(
        "metrics/query/", **query, until=NOW.isoformat()
    )
    assert told.json()["series"][0]["values"][-1] is None


def test_a_label_is_text_wherever_it_is_shown(asked: tuple[Cast, World], browser: Browser) -> None:
    people, world = asked
    for number, label in enumerate((LINK, SCRIPT, SUM)):
        world.add("odd", float(number), pod=label)
    client, base = browser(people.operator), f"/o/{people.operator.slug}/explore/"

    page = client.get(f"{base}?q=odd&{SPAN}")

    lines = [each for each in figure(page)["data"] if each.get("name")]
    assert len(lines) == 3
    for each in lines:
        assert each["hovertemplate"].endswith("<extra>%{fullData.name}</extra>")
    text = page.content.decode()
    assert "<img src=x" not in text
    assert '<a href="https:\\\\evil' not in text


def test_a_name_that_a_spreadsheet_would_reckon_with_is_quoted() -> None:
    odd = MetricSeries(labels={"__name__": SUM}, values=np.ones(1))
    told = MetricAnswer(
        promql="", unit="", at=np.zeros(1), step=15, series=(odd,), more_count=0, warning="",
        is_simulated=False,
    )  # fmt: skip

    assert csv_lines(told) == [["at", f"'{SUM}"], ["1970-01-01T00:00:00Z", 1.0]]
