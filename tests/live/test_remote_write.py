"""A real Prometheus sends to the portal: everything arrives, and reads as it reads there."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from time import time

import numpy as np
import pytest
from pytest_django.live_server_helper import LiveServer

from apps.diagnosis.detection.metrics.frames import Grid, Samples
from apps.telemetry.models import PushedMetric, Source
from apps.telemetry.samples.window.window_reading import PushedWindow
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.samples.windows import drained, held, sources
from tests.cast.pushes import cast
from tests.live.real_prometheus import Exporter, exporting, needs_prometheus
from tests.live.sending_prometheus import SENT, Sender, Values, sending

pytestmark = [
    pytest.mark.sweep,
    pytest.mark.prometheus,
    needs_prometheus,
    pytest.mark.django_db(transaction=True),
]
SECONDS = 12
PAGE = """\
# HELP live_gauge Something that stands.
# TYPE live_gauge gauge
live_gauge{a="1"} 1
live_gauge{a="2"} NaN
live_gauge{a="ä \\"quoted\\" \\\\ \\n line"} +Inf
# TYPE live_total counter
live_total 9007199254740993
"""


@pytest.fixture
def exporter() -> Iterator[Exporter]:
    """An exporter whose text a test may change."""
    with exporting() as made:
        made.text = PAGE
        yield made


def scraped_for_a_while(sender: Sender, exporter: Exporter) -> float:
    """Scrape, let a series end on the way, and return an instant up to which all was sent."""
    sender.pause.wait(SECONDS / 2)
    exporter.text = PAGE.replace('live_gauge{a="2"} NaN\n', "")
    sender.pause.wait(SECONDS / 2)
    until = time()
    sender.wait_until_sent(until=until, seconds=20)
    return until


def same(one: Values, other: Values) -> None:
    """Compare sample by sample; NaN is NaN."""
    assert set(one) == set(other)
    for labels, samples in one.items():
        assert list(samples) == list(other[labels]), labels
        np.testing.assert_array_equal(list(samples.values()), list(other[labels].values()))


def test_everything_that_was_scraped_is_held_and_reads_the_same(
    live_server: LiveServer, exporter: Exporter, tmp_path: Path
) -> None:
    people = cast()
    with sending(
        directory=tmp_path,
        targets=[f"127.0.0.1:{exporter.server_port}"],
        url=f"{live_server.url}/api/v1/write?source=edge",
        token=people.token(people.operator),
    ) as sender:
        until = scraped_for_a_while(sender, exporter)
        now = datetime.fromtimestamp(until, UTC)
        drained(people.operator, now=now)
        (source,) = sources(people.operator)
        there = sender.samples(until=until, seconds=60)
        # Metadata comes from time to time, beside the samples.
        drained(people.operator, now=now)
        asked = sender.answer(query="live_gauge", grid=grid_until(until))
        counters = sender.counters()

    here = held(source, '{__name__=~".+"}', at=now)
    same(there, {labels: dict(samples) for labels, samples in here.items()})
    assert len(there) > 400
    for what in ("failed", "dropped"):
        assert counters[SENT.format(f"samples_{what}_total")] == 0
    same_on_grid(source, asked, grid_until(until))
    with organization_scope(people.operator.pk):
        told = dict(PushedMetric.objects.values_list("name", "kind"))
    assert (told["live_gauge"], told["live_total"]) == ("gauge", "counter")


def grid_until(until: float) -> Grid:
    """Return the last seconds before an instant."""
    return Grid(start=float(np.floor(until)) - 20, step=1.0, count=21)


def same_on_grid(source: Source, asked: list[Samples], grid: Grid) -> None:
    """Compare what the server answers with what the window does, also after a series ended."""
    with PushedWindow(source=source) as window:
        ours = {each.labels["a"]: each for each in window.matrix(query="live_gauge", grid=grid)}
    assert {each.labels["a"] for each in asked} == set(ours)
    for each in asked:
        np.testing.assert_array_equal(each.at, ours[each.labels["a"]].at)
        np.testing.assert_array_equal(each.values, ours[each.labels["a"]].values)
