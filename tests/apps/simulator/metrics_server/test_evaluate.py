"""What a query computes of series that are there, and what it refuses: as Prometheus does."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from apps.simulator.metrics_server import exposition
from apps.simulator.metrics_server.exposition import respond
from apps.simulator.metrics_server.promql import BadQuery
from apps.simulator.metrics_server.promql.evaluate import Evaluator
from apps.simulator.metrics_server.promql.syntax import parse
from apps.simulator.metrics_server.promql.tree import Aggregate, Binary, Number, SeriesSelector
from apps.simulator.metrics_server.promql.vectors import Vector, extreme, paired
from apps.simulator.metrics_server.result_json import text_of, texts_of
from tests.apps.simulator.worlds import EPOCH, store

STEPS = np.array([EPOCH, EPOCH + 30.0])
ONE = Number(value=1.0)


def value(query: str) -> Any:
    """Return what a query comes to at both steps."""
    found = Evaluator(store=store(), steps=STEPS).value(parse(query))
    return found.values.tolist() if isinstance(found, Vector) else np.asarray(found).tolist()


def vector(*rows: tuple[Mapping[str, str], Sequence[float]]) -> Vector:
    """Return series by hand."""
    return Vector(
        labels=[dict(labels) for labels, _ in rows], values=np.array([each for _, each in rows])
    )


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("time()", STEPS.tolist()),
        ("vector(2)", [[2.0, 2.0]]),
        ("scalar(vector(2))", [2.0, 2.0]),
        ("-2 ^ 2", [-4.0, -4.0]),
        ("+3", [3.0, 3.0]),
        ("8 - 2 - 1", [5.0, 5.0]),
        ("2 > bool 1", [1.0, 1.0]),
        ("vector(2) > 1", [[2.0, 2.0]]),
        ("vector(2) >= bool 3", [[0.0, 0.0]]),
        ("1 < vector(2)", [[2.0, 2.0]]),
        ("vector(2) + vector(3)", [[5.0, 5.0]]),
        ("vector(2) == vector(2)", [[2.0, 2.0]]),
        ("clamp_max(vector(9), 5)", [[5.0, 5.0]]),
        ("round(vector(2.4))", [[2.0, 2.0]]),
        ("quantile_over_time(0.5, up{instance='gpu007:9100'}[5m])", [[1.0, 1.0]]),
        ("count(up offset -30s)", [[126.0, 126.0]]),
        ("count(up offset 5m)", [[126.0, 126.0]]),
        ("count({__name__='up', job='node'})", [[63.0, 63.0]]),
        ("sum(up) by (nothing)", [[126.0, 126.0]]),
        ("inf", [float("inf")] * 2),
    ],
)
def test_a_query_computes(query: str, found: list[float] | list[list[float]]) -> None:
    assert value(query) == found


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("up[5m]", "invalid expression type"),
        ("rate(up)", "expected type range vector"),
        ("rate(1)", "expected type range vector"),
        ("rate(up[5m], 1)", "unknown function or wrong arguments"),
        ("nonsense(up)", "unknown function with name"),
        ("vector(1, 2)", "unknown function or wrong arguments"),
        ("scalar(up, up)", "unknown function or wrong arguments"),
        ("quantile_over_time(up[5m])", "unknown function"),
        ("abs()", "unknown function or wrong arguments"),
        ("abs(1)", "expected type instant vector"),
        ("vector(up)", "expected type scalar"),
        ("sum(up, up)", "wrong number of arguments"),
        ("topk(up)", "wrong number of arguments"),
        ("topk(vector(1), up)", "must be a number"),
        ("sum('up')", "string arguments"),
        ("(1 + 2)[5m]", "only allowed for vector selectors"),
        ("1 offset 5m", "only allowed for vector selectors"),
        ("up offset 5", "parse error"),
        ("sum(up up)", "parse error"),
        ("sum by ('a') (up)", "parse error"),
        ("(1", "parse error: unexpected end of input"),
        ("1 2", "parse error: unexpected '2'"),
        ("{job=~'.*'}", "at least one non-empty matcher"),
        ("", "parse error"),
    ],
)
def test_what_is_no_query_is_refused_with_the_reason(query: str, reason: str) -> None:
    with pytest.raises(BadQuery) as refused:
        value(query)
    assert reason in str(refused.value)


def test_a_name_that_is_an_aggregation_or_a_number_elsewhere_is_a_series() -> None:
    assert isinstance(parse("sum"), SeriesSelector)
    assert isinstance(parse("sum{a='b'}"), SeriesSelector)
    assert parse("NaN") != parse("nano")
    assert isinstance(parse("by{a='b'}"), SeriesSelector)


def _pairs(left: Vector, right: Vector, **matching: object) -> list[tuple[int, int]]:
    node = Binary(operator="+", left=ONE, right=ONE, **matching)  # type: ignore[arg-type]
    return paired(left, right, node)[1]


def test_series_are_matched_by_all_labels_but_their_name_or_by_those_that_are_named() -> None:
    left = vector(({"__name__": "a", "h": "1", "x": "p"}, [1.0]), ({"h": "2"}, [1.0]))
    right = vector(({"__name__": "b", "h": "2"}, [1.0]), ({"h": "1", "x": "q"}, [1.0]))
    assert _pairs(left, right) == [(1, 0)]
    assert _pairs(left, right, labels=("h",)) == [(0, 1), (1, 0)]
    assert _pairs(left, right, labels=("x",), is_ignoring=True) == [(0, 1), (1, 0)]
    with pytest.raises(BadQuery, match="many-to-one"):
        _pairs(vector(({"h": "1", "x": "p"}, [1.0]), ({"h": "1"}, [1.0])), right, labels=("h",))
    with pytest.raises(BadQuery, match="duplicate series"):
        _pairs(left, right, labels=("y",))


@pytest.mark.parametrize(
    ("name", "parameter", "hosts"),
    [
        ("topk", 2.0, ["3", "2"]),
        ("bottomk", 2.0, ["1", "2"]),
        ("topk", 0.0, []),
        ("topk", -1.0, []),
    ],
)
def test_the_extremes_stand_in_their_order_without_those_that_have_no_value(
    name: str, parameter: float, hosts: list[str]
) -> None:
    operand = vector(
        ({"h": "1"}, [1.0]), ({"h": "2"}, [2.0]), ({"h": "3"}, [3.0]), ({"h": "4"}, [np.nan])
    )
    node = Aggregate(name=name, operand=ONE, parameter=parameter, labels=(), is_without=False)
    found = extreme(operand, {(): [0, 1, 2, 3]}, node)
    assert [each["h"] for each in found.labels] == hosts


def test_of_several_steps_a_series_stays_that_is_extreme_at_one_of_them() -> None:
    operand = vector(({"h": "1"}, [1.0, 9.0]), ({"h": "2"}, [2.0, 2.0]), ({"h": "3"}, [0.0, 0.0]))
    node = Aggregate(name="topk", operand=ONE, parameter=1.0, labels=(), is_without=False)
    found = extreme(operand, {(): [0, 1, 2]}, node)
    assert [each["h"] for each in found.labels] == ["1", "2"]


def test_whole_numbers_are_printed_without_a_point_up_to_fifteen_digits() -> None:
    assert texts_of(np.array([1.0, -2.0, 999_999_999_999_999.0])) == ["1", "-2", "999999999999999"]
    assert texts_of(np.array([1.0, 2.5])) == ["1", "2.5"]
    assert texts_of(np.array([1.0, 1e15])) == ["1", "1000000000000000.0"]
    assert texts_of(np.array([1.0, np.inf, -np.inf, np.nan])) == ["1", "+Inf", "-Inf", "NaN"]
    assert [text_of(each) for each in (1e15, 2.0, 0.5)] == ["1000000000000000.0", "2", "0.5"]


@pytest.mark.parametrize(
    ("path", "status"),
    [("/", 200), ("/api/v1/", 200), ("/x/api/v1/query", 200), ("/api/v1/x", 404)],
)
def test_only_the_api_answers_queries(path: str, status: int) -> None:
    answer = respond(store=store(), path=path, parameters={}, now=EPOCH)
    assert answer.status == status
    assert answer.body.startswith(b"simulated Prometheus") is (status == 200)


def test_as_many_points_as_the_limit_are_answered_and_one_more_is_refused() -> None:
    def status(points: int) -> int:
        parameters = {"query": ["1"], "start": ["0"], "end": [str(points)], "step": ["1"]}
        return respond(
            store=store(), path="/api/v1/query_range", parameters=parameters, now=0
        ).status

    assert (status(11_000), status(11_001)) == (200, 400)
    assert status(0) == 200


def test_as_many_samples_as_the_limit_are_answered_and_one_more_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exposition, "MAX_SAMPLES", 3)

    def status(last: int) -> int:
        parameters = {"query": ["1"], "start": ["0"], "end": [str(last)], "step": ["1"]}
        return respond(
            store=store(), path="/api/v1/query_range", parameters=parameters, now=0
        ).status

    assert (status(2), status(3)) == (200, 422)
