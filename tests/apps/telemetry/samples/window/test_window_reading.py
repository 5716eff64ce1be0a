"""The rolling window: how samples are kept, how they are read, and what goes."""

from datetime import timedelta

import numpy as np
import pytest
from django.conf import LazySettings
from hypothesis import HealthCheck, given
from hypothesis import settings as tries
from hypothesis import strategies as st

from apps.diagnosis.detection.metrics.frames import Grid
from apps.telemetry.formats.columns import STALE
from apps.telemetry.models import PushedBlock, PushedMetric
from apps.telemetry.samples import retire
from apps.telemetry.samples.window.blocks import (
    SLOT_MS,
    SLOT_SECONDS,
    SampleRun,
    merged,
    packed,
    unpacked,
)
from apps.telemetry.samples.window.window_reading import PushedWindow
from apps.telemetry.sources.errors import QueryFailed
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.api.receivers.writing import Series, snapped, v1, write
from tests.apps.telemetry.samples.windows import NOW, NOW_MS, drained, held, on_grid, sources
from tests.cast.pushes import Cast, cast

SLOT = 1_764_000_000_000 // SLOT_MS * SLOT_MS
VALUES = st.floats(allow_nan=True, width=64) | st.just(float(STALE))
# A busy machine draws its first example slowly.
patient = tries(suppress_health_check=[HealthCheck.too_slow], deadline=None)
SAMPLES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, SLOT_MS - 1), VALUES), max_size=30)


def run(samples: list[tuple[int, int, float]]) -> SampleRun:
    """Return samples as a run, in the order they are given."""
    return SampleRun(
        series=np.array([each[0] for each in samples], np.int64),
        at=np.array([SLOT + each[1] for each in samples], np.int64),
        values=np.array([each[2] for each in samples], np.float64),
    )


def bits(made: SampleRun) -> list[tuple[int, int, int]]:
    """Return the samples of a run with the bits of their values: a NaN has many."""
    return list(
        zip(
            made.series.tolist(),
            made.at.tolist(),
            made.values.view(np.uint64).tolist(),
            strict=True,
        )
    )


@patient
@given(first=SAMPLES, second=SAMPLES)
def test_merging_keeps_the_last_value_of_each_series_and_instant(
    first: list[tuple[int, int, float]], second: list[tuple[int, int, float]]
) -> None:
    last = {(series, SLOT + at): value for series, at, value in [*first, *second]}

    made = merged([run(first), run(second)])

    wanted = [(*key, last[key]) for key in sorted(last)]
    assert [each[:2] for each in bits(made)] == [each[:2] for each in wanted]
    assert [each[2] for each in bits(made)] == np.array(
        [each[2] for each in wanted], np.float64
    ).view(np.uint64).tolist()
    assert bits(merged([made, run(second)])) == bits(made)


@patient
@given(samples=SAMPLES)
def test_a_block_comes_back_bit_for_bit(samples: list[tuple[int, int, float]]) -> None:
    made = merged([run(samples)])

    assert bits(unpacked(packed(made, slot=SLOT), slot=SLOT)) == bits(made)


@pytest.fixture
def people(db: None) -> Cast:
    """A cluster and its parties."""
    return cast()


def push(people: Cast, *series: Series) -> None:
    """Push as the operator and put it into the window."""
    answer = write(people.token(people.operator), snapped(v1(series)))
    assert answer.status_code == 204
    drained(people.operator)


def gauge(instance: str, *samples: tuple[float, float], name: str = "load") -> Series:
    """Return a series with samples some seconds before NOW."""
    return Series(
        labels={"__name__": name, "instance": instance},
        samples=[(NOW_MS - round(ago * 1000), value) for ago, value in samples],
    )


def test_an_instant_has_the_newest_sample_of_five_minutes(people: Cast) -> None:
    push(
        people,
        gauge("often", *((ago, float(ago)) for ago in range(600, 0, -15))),
        gauge("once", (400, 1.0)),
        gauge("ended", (200, 1.0), (95, float(STALE))),
        gauge("back", (200, 1.0), (95, float(STALE)), (20, 2.0)),
        gauge("never", (3000, 1.0)),
    )
    (source,) = sources(people.operator)
    at = NOW.timestamp()

    found = on_grid(source, "load", Grid(start=at - 180, step=60.0, count=4))

    ago = {
        instance: [(round(at - when), value) for when, value in samples]
        for instance, samples in found.items()
    }
    assert ago == {
        "often": [(180, 180.0), (120, 120.0), (60, 60.0), (0, 15.0)],
        "once": [(180, 1.0), (120, 1.0)],
        "ended": [(180, 1.0), (120, 1.0)],
        "back": [(180, 1.0), (120, 1.0), (0, 2.0)],
    }


def test_a_series_of_which_nothing_is_left_in_the_span_has_no_samples(people: Cast) -> None:
    push(people, gauge("ended", (50, float(STALE))))
    (source,) = sources(people.operator)

    with PushedWindow(source=source) as window:
        assert window.raw(query="load", seconds=60, at=NOW.timestamp()) == []


def test_matchers_choose_series(people: Cast) -> None:
    push(people, *(gauge(f"gpu{number:03}", (10, 1.0)) for number in range(4)))
    push(people, gauge("gpu001", (10, 1.0), name="other"))
    (source,) = sources(people.operator)
    grid = Grid(start=NOW.timestamp(), step=1.0, count=1)

    assert set(on_grid(source, 'load{instance="gpu001"}', grid)) == {"gpu001"}
    assert set(on_grid(source, 'load{instance=~"gpu00[12]"}', grid)) == {"gpu001", "gpu002"}
    assert set(on_grid(source, 'load{instance!="gpu001",x=""}', grid)) == {
        "gpu000",
        "gpu002",
        "gpu003",
    }
    assert len(held(source, '{__name__=~"load|other"}')) == 5
    with PushedWindow(source=source) as window:
        with pytest.raises(QueryFailed):
            window.matrix(query="load[5m]", grid=grid)
        names = window.metric_names(starts_at=grid.start - 60, ends_at=grid.start)
        long_ago = window.metric_names(starts_at=grid.start - 9000, ends_at=grid.start - 8000)
    assert names == {"load", "other"}
    assert long_ago == frozenset()


def test_a_window_of_somebody_else_is_empty(people: Cast) -> None:
    push(people, gauge("gpu001", (10, 1.0)))
    (source,) = sources(people.operator)
    source.organization_id = people.other.pk

    assert held(source, "load") == {}


def roll(organization: Organization, *, minutes: float) -> int:
    """Let the window roll on, some time after NOW."""
    with organization_scope(organization.pk):
        now = NOW + timedelta(minutes=minutes)
        return retire.roll(organization_id=organization.pk, now=now)


def test_what_is_behind_the_window_goes_and_ended_series_are_forgotten(people: Cast) -> None:
    ended = [gauge(f"ended{number}", (3600, 1.0)) for number in range(200)]
    living = [gauge(f"living{number}", (3600, 2.0), (60, 3.0)) for number in range(50)]
    push(people, *ended, *living, gauge("gone", (3600, 1.0), name="gone"))
    (source,) = sources(people.operator)

    assert roll(people.operator, minutes=0) == 0
    assert roll(people.operator, minutes=60 + SLOT_SECONDS / 60 + 1) == 2

    with organization_scope(people.operator.pk):
        rows = list(PushedMetric.objects.values_list("name", "series_count"))
    assert rows == [("load", 50)]
    found = held(source, "load")
    assert len(found) == 50
    assert all(dict(labels)["instance"].startswith("living") for labels in found)
    push(people, gauge("ended7", (5, 9.0)), gauge("living7", (5, 9.0)))
    assert len(held(source, "load")) == 51
    assert roll(people.operator, minutes=600) > 0
    with organization_scope(people.operator.pk):
        assert PushedMetric.objects.count() == PushedBlock.objects.count() == 0


def test_an_organization_has_so_much_room_and_the_oldest_goes_first(
    people: Cast, settings: LazySettings
) -> None:
    push(people, gauge("gpu001", *((ago, ago / 3) for ago in range(5400, 0, -5))))
    with organization_scope(people.operator.pk):
        sizes = list(PushedBlock.objects.order_by("starts_at").values_list("byte_count", flat=True))
    settings.PORTAL_MAX_WINDOW_BYTES = sum(sizes[-3:])

    assert roll(people.operator, minutes=0) == len(sizes) - 3

    (source,) = sources(people.operator)
    ((_, samples),) = held(source, "load").items()
    assert samples[-1][0] == NOW_MS - 5000
    assert samples[0][0] > NOW_MS - 4 * SLOT_MS


def test_a_metric_of_very_many_series_has_parts(
    people: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("apps.telemetry.samples.window.series.PART_SERIES", 10)
    for ago in (20, 10):
        push(people, *(gauge(f"gpu{number:03}", (ago, number)) for number in range(35)))
    (source,) = sources(people.operator)

    with organization_scope(people.operator.pk):
        counts = list(PushedMetric.objects.order_by("part").values_list("series_count", flat=True))
    assert counts == [10, 10, 10, 5]
    found = held(source, "load")
    assert {dict(labels)["instance"]: len(samples) for labels, samples in found.items()} == {
        f"gpu{number:03}": 2 for number in range(35)
    }
