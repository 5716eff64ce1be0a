"""Exports of metrics as OpenTelemetry's exporters send them, and what is then held."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from tests.api.receivers.writing import Answer, export
from tests.apps.telemetry.samples.windows import NOW_MS, drained, held, sources
from tests.cast.pushes import Cast

JSON = "application/json"
DELTA, CUMULATIVE = 1, 2
Document = dict[str, Any]
HOST = {"service.name": "node", "service.namespace": "hpc", "host.name": "gpu001", "os.type": "x"}


def attributes(said: Mapping[str, object]) -> list[Document]:
    """Return attributes; text, numbers and truth have their own fields."""
    kinds = {str: "stringValue", bool: "boolValue", int: "intValue", float: "doubleValue"}
    return [{"key": key, "value": {kinds[type(value)]: value}} for key, value in said.items()]


def at(ago: float) -> str:
    """Return an instant some seconds ago in nanoseconds, as JSON has 64-bit numbers: as text."""
    return str(round((NOW_MS - ago * 1000) * 1_000_000))


def point(value: float, ago: float = 10, **said: object) -> Document:
    """Return a number of an instant."""
    return {"asDouble": value, "timeUnixNano": at(ago), "attributes": attributes(said)}


def document(*metrics: Document, resource: Mapping[str, object] = HOST) -> Document:
    """Return a request of one resource."""
    return {
        "resourceMetrics": [
            {
                "resource": {"attributes": attributes(resource)},
                "scopeMetrics": [{"scope": {"name": "test"}, "metrics": list(metrics)}],
            }
        ]
    }


def total(
    name: str, points: Sequence[Document], temporality: int, *, grows: bool = True
) -> Document:
    """Return a sum."""
    return {
        "name": name,
        "sum": {
            "aggregationTemporality": temporality,
            "isMonotonic": grows,
            "dataPoints": list(points),
        },
    }


def push(people: Cast, said: Document, **more: Any) -> Answer:
    """Export as the operator's collector, as JSON."""
    body = orjson.dumps(said)
    return export(people.token(people.operator), body, content_type=JSON, **more)


def kept(people: Cast) -> dict[str, list[tuple[float, float]]]:
    """Return metric → samples as (seconds ago, value), of every series."""
    drained(people.operator)
    found: dict[str, list[tuple[float, float]]] = {}
    for source in sources(people.operator):
        for labels, samples in held(source, '{__name__=~".+"}').items():
            name = dict(labels)["__name__"]
            found.setdefault(name, []).extend(
                ((NOW_MS - at) / 1000, value) for at, value in samples
            )
    return found
