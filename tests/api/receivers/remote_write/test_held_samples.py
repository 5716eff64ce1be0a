"""POST /api/v1/write: what is held of what senders of both versions write."""

import math
from itertools import product

import pytest

from apps.telemetry.formats.columns import STALE
from apps.telemetry.models import PushedMetric
from apps.tenancy.scope import organization_scope
from tests.api.receivers.remote_write.written_series import UP, WRITTEN, key, state
from tests.api.receivers.writing import V1, V2, Series, snapped, v1, v2, write
from tests.apps.telemetry.samples.windows import NOW, NOW_MS, drained, held, sources, waiting
from tests.cast import make
from tests.cast.pushes import Cast, cast, token

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> Cast:
    """A cluster and its parties."""
    return cast()


def test_samples_of_version_one_are_held_as_they_were_sent(people: Cast) -> None:
    other = UP | {"instance": "gpu002:9100"}
    body = v1(
        [
            Series(labels=UP, samples=[(NOW_MS - 30_000, 1.0), (NOW_MS - 15_000, 0.0)]),
            Series(labels=other, samples=[(NOW_MS - 29_999, -1.5e300)]),
        ],
    )

    answer = write(people.token(people.operator), snapped(body))

    assert (answer.status_code, answer.content) == (204, b"")
    assert drained(people.operator) == 3
    (source,) = sources(people.operator)
    assert (source.cluster, source.kind) == (people.cluster, "push-metrics")
    assert held(source, "up") == {
        key(UP): [(NOW_MS - 30_000, 1.0), (NOW_MS - 15_000, 0.0)],
        key(other): [(NOW_MS - 29_999, -1.5e300)],
    }
    assert waiting(people.operator) == []


@pytest.mark.parametrize("start_at", [0, NOW_MS - 60_000])
def test_version_two_is_answered_with_what_was_written(people: Cast, start_at: int) -> None:
    series = Series(
        labels=UP,
        samples=[(NOW_MS - 30_000, 1.0), (NOW_MS - 15_000, 0.0)],
        exemplar_count=2,
        histogram_count=1,
        kind="gauge",
        help="Whether it was scraped.",
    )

    answer = write(
        people.token(people.operator), snapped(v2([series], start_at=start_at)), content_type=V2
    )

    assert answer.status_code == 204
    told = [answer[WRITTEN.format(what)] for what in ("Samples", "Histograms", "Exemplars")]
    assert told == ["2", "0", "0"]
    assert drained(people.operator) == 2
    (source,) = sources(people.operator)
    assert held(source, "up") == {key(UP): list(series.samples)}
    counted = state(people.operator)
    assert (counted.sample_count, counted.histogram_count, counted.exemplar_count) == (2, 1, 2)


def test_labels_in_any_order_and_empty_ones_are_one_series(people: Cast) -> None:
    upside_down = dict(reversed(UP.items()))
    for labels, at in ((UP, 1), (upside_down, 2), (UP | {"empty": ""}, 3)):
        body = v1([Series(labels=labels, samples=[(NOW_MS - at, float(at))])])
        assert write(people.token(people.operator), snapped(body)).status_code == 204

    assert drained(people.operator) == 3
    (source,) = sources(people.operator)
    assert held(source, "up") == {key(UP): [(NOW_MS - at, float(at)) for at in (3, 2, 1)]}


def test_version_one_and_two_speak_of_the_same_series(people: Cast) -> None:
    for encode, content_type, at in ((v1, V1, 2), (v2, V2, 1)):
        body = encode([Series(labels=UP, samples=[(NOW_MS - at, 1.0)])])
        write(people.token(people.operator), snapped(body), content_type=content_type)

    drained(people.operator)

    (source,) = sources(people.operator)
    assert held(source, "up") == {key(UP): [(NOW_MS - 2, 1.0), (NOW_MS - 1, 1.0)]}


def test_what_is_sent_again_counts_once_and_the_last_value_stays(people: Cast) -> None:
    first = v1([Series(labels=UP, samples=[(NOW_MS - 9, 1.0), (NOW_MS - 8, 1.0)])])
    late = v1([Series(labels=UP, samples=[(NOW_MS - 8, 2.0), (NOW_MS - 99_000, 3.0)])])
    for body in (first, first, late):
        assert write(people.token(people.operator), snapped(body)).status_code == 204
    assert len(waiting(people.operator)) == 2
    drained(people.operator)
    wanted = {key(UP): [(NOW_MS - 99_000, 3.0), (NOW_MS - 9, 1.0), (NOW_MS - 8, 2.0)]}
    (source,) = sources(people.operator)
    assert held(source, "up") == wanted

    write(people.token(people.operator), snapped(late))
    drained(people.operator)

    assert held(source, "up") == wanted


def test_a_stale_marker_is_an_absence_and_an_odd_value_is_none(people: Cast) -> None:
    odd = [math.nan, math.inf, -math.inf, 9223372036854775794.0]
    samples = [(NOW_MS - 100 + place, value) for place, value in enumerate([*odd, STALE, 1.0])]
    write(people.token(people.operator), snapped(v1([Series(labels=UP, samples=samples)])))
    drained(people.operator)

    (source,) = sources(people.operator)
    ((_, found),) = held(source, "up").items()

    assert [at for at, _ in found] == [at for at, value in samples if value is not STALE]
    assert str([value for _, value in found]) == str([*odd, 1.0])


def test_samples_outside_the_window_are_counted_and_let_go(people: Cast) -> None:
    series = [
        Series(labels=UP, samples=[(NOW_MS - 7_200_001, 1.0), (NOW_MS, 2.0)]),
        Series(labels=UP | {"job": "old"}, samples=[(1, 1.0), (NOW_MS + 3_600_000, 1.0)]),
    ]

    assert write(people.token(people.operator), snapped(v1(series))).status_code == 204

    assert drained(people.operator) == 1
    assert state(people.operator).outside_count == 3
    (source,) = sources(people.operator)
    assert list(held(source, "up")) == [key(UP)]


def test_metadata_is_kept_beside_its_metric(people: Cast) -> None:
    names = {"up": ("gauge", "", "Whether it was scraped."), "never": ("counter", "bytes", "")}
    write(people.token(people.operator), snapped(v1([Series(labels=UP, samples=[(NOW_MS, 1.0)])])))
    write(people.token(people.operator), snapped(v1([], metadata=names)))
    drained(people.operator)

    with organization_scope(people.operator.pk):
        rows = list(PushedMetric.objects.values_list("name", "kind", "help"))
    assert rows == [("up", "gauge", "Whether it was scraped.")]


def test_the_cluster_is_the_parameter_the_label_or_the_only_one(people: Cast) -> None:
    second, foreign = make.cluster(), make.cluster()
    make.participation(organization=people.operator, cluster=second)
    both = token(people.operator, people.cluster, second)
    named = [
        Series(labels=UP | {"cluster": each.slug}, samples=[(NOW_MS, 1.0)])
        for each in (people.cluster, second)
    ]

    def status(token: str, body: bytes, query: str = "") -> int:
        return int(write(token, snapped(body), query=query).status_code)

    bare = v1([Series(labels=UP, samples=[(NOW_MS - 1, 1.0)])])
    assert status(both, bare) == 400  # which of them?
    assert status(both, bare, f"?cluster={second.slug}") == 204
    assert status(both, v1(named)) == 204
    assert status(both, bare, f"?cluster={foreign.slug}") == 404
    assert status(token(people.operator), bare) == 400  # bound to none
    drained(people.operator)

    found = {source.cluster_id: held(source, "up") for source in sources(people.operator)}
    assert {cluster: len(each) for cluster, each in found.items()} == {
        people.cluster.pk: 1,
        second.pk: 2,
    }
    assert key(dict(named[0].labels)) in found[people.cluster.pk]


def test_senders_are_told_apart_by_the_name_they_give_themselves(people: Cast) -> None:
    for name, value in product(("edge", "core"), (1.0, 2.0)):
        body = v1([Series(labels=UP, samples=[(NOW_MS - int(value), value)])])
        write(people.token(people.operator), snapped(body), query=f"?source={name}")
    drained(people.operator)

    found = {source.name: held(source, "up")[key(UP)] for source in sources(people.operator)}

    both = [(NOW_MS - 2, 2.0), (NOW_MS - 1, 1.0)]
    assert found == {"edge": both, "core": both}


def test_the_clock_of_the_tests_is_inside_the_window() -> None:
    assert round(NOW.timestamp() * 1000) == NOW_MS
