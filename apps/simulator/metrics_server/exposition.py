"""The Prometheus HTTP API over the simulated series: parameters in, JSON out."""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from urllib.parse import unquote

import numpy as np

from apps.simulator.metrics_server.promql import BadQuery
from apps.simulator.metrics_server.promql.evaluate import Evaluator
from apps.simulator.metrics_server.promql.literals import duration_seconds
from apps.simulator.metrics_server.promql.syntax import parse
from apps.simulator.metrics_server.promql.tree import SeriesSelector
from apps.simulator.metrics_server.promql.vectors import Labels, Vector
from apps.simulator.metrics_server.result_json import (
    labels_of,
    matrix_json,
    matrix_of_samples,
    text_of,
    texts_of,
)
from apps.simulator.metrics_server.store import SeriesStore

MAX_POINTS = 11_000
MAX_SAMPLES = 50_000_000
Parameters = dict[str, list[str]]
Handler = Callable[[SeriesStore, Parameters, float], str]
_BUILD = {
    "version": "3.7.0-simulated",
    "revision": "simulated",
    "branch": "simulated",
    "goVersion": "none",
    "simulated": "true",
}


class NoSuchEndpoint(Exception):
    """A path that the API does not have."""


class CannotExecute(Exception):
    """A query that is well formed and too large."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpositionAnswer:
    """Status and JSON body of a response."""

    status: int
    body: bytes


def respond(
    *, store: SeriesStore, path: str, parameters: Parameters, now: float
) -> ExpositionAnswer:
    """Answer one request of the HTTP API."""
    prefix, _, endpoint = path.partition("/api/v1/")
    if prefix or not endpoint:
        return ExpositionAnswer(status=200, body=b"simulated Prometheus of cluster meridian\n")
    try:
        return _ok(_handler(endpoint)(store, parameters, now))
    except NoSuchEndpoint as error:
        return _failed(404, "not_found", str(error))
    except BadQuery as error:
        return _failed(400, "bad_data", str(error))
    except CannotExecute as error:
        return _failed(422, "execution", str(error))


_LABEL = re.compile(r"label/([^/]+)/values")


def _handler(endpoint: str) -> Handler:
    label = _LABEL.fullmatch(endpoint)
    if label:
        return partial(_label_values, unquote(label[1]))
    if endpoint not in _HANDLERS:
        raise NoSuchEndpoint(f"no such endpoint: {endpoint}")
    return _HANDLERS[endpoint]


def _ok(data: str) -> ExpositionAnswer:
    return ExpositionAnswer(status=200, body=f'{{"status":"success","data":{data}}}'.encode())


def _failed(status: int, kind: str, text: str) -> ExpositionAnswer:
    body = {"status": "error", "errorType": kind, "error": text}
    return ExpositionAnswer(status=status, body=json.dumps(body).encode())


def _query(store: SeriesStore, parameters: Parameters, now: float) -> str:
    at = _instant(parameters, "time", now)
    node = parse(_one(parameters, "query"))
    evaluator = Evaluator(store=store, steps=np.array([at]))
    if isinstance(node, SeriesSelector) and node.range_seconds is not None:
        return matrix_of_samples(evaluator.raw(node))
    value = evaluator.value(node)
    if not isinstance(value, Vector):
        return f'{{"resultType":"scalar","result":[{at!r},"{text_of(float(value[0]))}"]}}'
    rows = [
        f'{{"metric":{{{labels}}},"value":[{at!r},"{text}"]}}'
        for labels, text, number in zip(
            labels_of(value), texts_of(value.values[:, 0]), value.values[:, 0], strict=True
        )
        if number == number  # noqa: PLR0124  NaN is absence
    ]
    return f'{{"resultType":"vector","result":[{",".join(rows)}]}}'


def _query_range(store: SeriesStore, parameters: Parameters, now: float) -> str:
    start, end = _instant(parameters, "start", None), _instant(parameters, "end", None)
    step = _step(parameters)
    if end < start:
        raise BadQuery('invalid parameter "end": end timestamp must not be before start time')
    if (end - start) / step > MAX_POINTS:
        raise BadQuery(
            "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing "
            "the query resolution (?step=XX)"
        )
    steps = np.asarray(start + np.arange(int((end - start) / step) + 1) * step, dtype=np.float64)
    value = Evaluator(store=store, steps=steps).value(parse(_one(parameters, "query")))
    if not isinstance(value, Vector):
        value = Vector(labels=[{}], values=value[None, :])
    if value.values.size > MAX_SAMPLES:
        raise CannotExecute(
            "query processing would load too many samples into memory in query execution"
        )
    return matrix_json(labels_of(value), steps, value.values)


def _series(store: SeriesStore, parameters: Parameters, now: float) -> str:
    if not parameters.get("match[]"):
        raise BadQuery("no match[] parameter provided")
    return json.dumps(_matched(store, parameters), separators=(",", ":"))


def _matched(store: SeriesStore, parameters: Parameters) -> list[Labels]:
    found: list[Labels] = []
    for text in parameters.get("match[]", []):
        node = parse(text)
        if not isinstance(node, SeriesSelector):
            raise BadQuery(f"{text!r} is not a series selector")
        for selection in store.select(node.matchers):
            found += selection.labels()
    return found


def _label_names(store: SeriesStore, parameters: Parameters, now: float) -> str:
    names = {"__name__"}
    for family in store.families.values():
        names |= store.entities_of(family).names
    return json.dumps(sorted(names))


def _label_values(name: str, store: SeriesStore, parameters: Parameters, now: float) -> str:
    if parameters.get("match[]"):
        known: Iterable[Labels] = _matched(store, parameters)
    elif name == "__name__":
        known = [{name: family} for family in store.families]
    else:
        entities = map(store.entities_of, store.families.values())
        known = (labels for each in entities for labels in each.labels)
    return json.dumps(sorted({labels[name] for labels in known if name in labels}))


def _metadata(store: SeriesStore, parameters: Parameters, now: float) -> str:
    wanted = parameters.get("metric", [""])[0]
    found = {
        family.name: [{"type": family.kind, "help": f"{family.name} (simulated)", "unit": ""}]
        for family in store.families.values()
        if not wanted or family.name == wanted
    }
    return json.dumps(found)


def _buildinfo(store: SeriesStore, parameters: Parameters, now: float) -> str:
    return json.dumps(_BUILD)


def _tsdb(store: SeriesStore, parameters: Parameters, now: float) -> str:
    return json.dumps({"headStats": {"numSeries": store.series_count}})


_HANDLERS: dict[str, Handler] = {
    "query": _query,
    "query_range": _query_range,
    "series": _series,
    "labels": _label_names,
    "metadata": _metadata,
    "status/buildinfo": _buildinfo,
    "status/tsdb": _tsdb,
}


def _one(parameters: Parameters, name: str) -> str:
    values = parameters.get(name)
    if not values:
        raise BadQuery(f'invalid parameter "{name}": missing')
    return values[0]


def _instant(parameters: Parameters, name: str, default: float | None) -> float:
    if default is not None and name not in parameters:
        return default
    text = _one(parameters, name)
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(text.replace(" ", "+")).timestamp()
    except ValueError as error:
        raise BadQuery(
            f'invalid parameter "{name}": cannot parse {text!r} to a valid timestamp'
        ) from error


def _step(parameters: Parameters) -> float:
    text = _one(parameters, "step")
    try:
        seconds = float(text)
    except ValueError:
        seconds = duration_seconds(text)
    if seconds <= 0:
        raise BadQuery(
            'invalid parameter "step": zero or negative query resolution step widths are '
            "not accepted"
        )
    return seconds
