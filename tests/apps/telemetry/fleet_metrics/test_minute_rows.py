"""What pulls keep of every part, minute by minute: once, in whatever order it comes."""

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Device, Frame
from apps.telemetry.fleet_metrics.minute_age import drop_minutes
from apps.telemetry.fleet_metrics.minute_bodies import packed_values, values_of
from apps.telemetry.fleet_metrics.minute_rows import lists_by_id, write_minutes
from apps.telemetry.fleet_metrics.minute_samples import minute_samples
from apps.telemetry.metrics.pulls import pull
from apps.telemetry.models import MetricMinute, PartList, Source
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.prometheus_server import World, serving
from tests.cast.metrics import HOSTS, NOW, Cast, cast, healthy, source

pytestmark = pytest.mark.django_db
TEMPERATURE, CORRECTED = "gpu.temperature", "gpu.nvlink.crc"
START = NOW.timestamp() // 60 * 60
LONG_AGO = datetime.fromtimestamp(0, UTC)


@pytest.fixture
def people() -> Cast:
    """Who takes part."""
    return cast()


def _frame(first: int, columns: list[list[float]], signal: str = TEMPERATURE) -> Frame:
    """Return a frame of GPUs 0, 1 … of one host, 30 s apart, from the `first` step on."""
    values = np.array(columns).T
    return Frame(
        signal=catalog().signals[signal],
        entities=tuple(Device(kind="gpu", host="gpu001", index=row) for row in range(len(values))),
        start=START + 30 * first,
        step=30.0,
        values=values,
    )


def _write(made: Source, *frames: Frame) -> None:
    with organization_scope(made.organization_id):
        write_minutes(source=made, samples=list(minute_samples(frames=frames)), since=LONG_AGO)


def _rows(made: Source) -> dict[tuple[str, float], list[float | None]]:
    with organization_scope(made.organization_id):
        return {
            (row.signal, row.at.timestamp() - START): [
                None if np.isnan(each) else each for each in values_of(row.body).tolist()
            ]
            for row in MetricMinute.objects.order_by("at")
        }


def test_a_pull_keeps_the_last_value_of_every_minute_and_part(people: Cast) -> None:
    world = World()
    healthy(world)
    with serving(world) as url:
        made = source(people, url)
        pull.pull_source(organization_id=people.operator.id, source_id=made.pk, now=NOW)
    with organization_scope(people.operator.id):
        row = MetricMinute.objects.filter(signal=TEMPERATURE).order_by("-at")[0]
        (parts,) = lists_by_id(people.operator.id, {row.parts_id}).values()
        values = values_of(row.body)
    assert parts == tuple((host, str(index)) for host in HOSTS for index in range(4))
    assert values.tolist() == [60.0, 61.0, 62.0, 63.0] * len(HOSTS)
    assert NOW - row.at < timedelta(minutes=2)


def test_an_outsider_has_no_minute_of_it(people: Cast) -> None:
    made = source(people, "http://127.0.0.1:9")
    _write(made, _frame(1, [[61.0]]))
    with organization_scope(people.outsider.id):
        assert not MetricMinute.objects.exists()
        assert not PartList.objects.exists()
    with organization_scope(people.operator.id):
        assert MetricMinute.objects.exists()


@pytest.mark.parametrize("seed", range(6))
def test_in_any_order_and_twice_the_rows_are_the_same(people: Cast, seed: int) -> None:
    pieces = [
        _frame(1, [[61.0, 50.0]]),
        _frame(2, [[62.0, np.nan]]),
        _frame(3, [[63.0, np.nan]]),
        _frame(4, [[np.nan, 54.0]]),
        _frame(4, [[np.nan, 54.0, 40.0]]),
    ] * 2
    random.Random(seed).shuffle(pieces)  # noqa: S311  an order, no secret
    made = source(people, "http://127.0.0.1:9")
    for each in pieces:
        _write(made, each)
    assert _rows(made) == {
        (TEMPERATURE, 60.0): [62.0, 50.0],
        (TEMPERATURE, 120.0): [63.0, 54.0, 40.0],
    }


def test_nothing_measured_is_no_row_and_never_zero(people: Cast) -> None:
    made = source(people, "http://127.0.0.1:9")
    _write(made, _frame(2, [[np.nan, np.nan]]), _frame(4, [[np.nan, 3.0]]))
    assert _rows(made) == {(TEMPERATURE, 120.0): [None, 3.0]}


def test_of_several_links_of_a_gpu_the_worst_stands() -> None:
    frame = Frame(
        signal=catalog().signals[CORRECTED],
        entities=(Device(kind="gpu", host="gpu001", index=0),) * 3,
        start=START,
        step=30.0,
        values=np.array([[1.0], [7.0], [np.nan]]),
        details=("0", "1", "2"),
    )
    (sample,) = minute_samples(frames=[frame])
    assert sample.column.values.tolist() == [7.0]


def test_counters_are_kept_exactly() -> None:
    values = np.array([2.0**53 - 1, np.nan, 0.0])
    kept = values_of(packed_values(values, is_exact=True))
    assert np.array_equal(kept, values, equal_nan=True)


def test_minutes_past_their_time_go_with_their_lists(people: Cast, settings: Any) -> None:
    settings.PORTAL_FLEET_HOURS = 1
    made = source(people, "http://127.0.0.1:9")
    _write(made, _frame(-240, [[1.0, 2.0]]), _frame(2, [[62.0]]))
    with organization_scope(people.operator.id):
        assert drop_minutes(organization_id=people.operator.id, now=NOW) == 1
        assert PartList.objects.count() == 1
    assert _rows(made) == {(TEMPERATURE, 60.0): [62.0]}
