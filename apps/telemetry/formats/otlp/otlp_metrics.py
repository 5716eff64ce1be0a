"""OpenTelemetry's metrics over HTTP, protobuf and JSON → columns.

Sums, gauges, summaries, and of histograms their sum and count. What identifies the speaker becomes
labels: `job` and `instance` as Prometheus has them, hosts, pods and the cluster by their own names.
"""

from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Any, Final

import numpy as np

from apps.telemetry.formats.columns import (
    LABELS_LIMIT,
    STALE,
    Columns,
    Meta,
)
from apps.telemetry.formats.otlp import otlp_request
from apps.telemetry.formats.otlp.otlp_columns import Labels, Sheet
from apps.telemetry.formats.otlp.otlp_messages import REQUEST, RESPONSE
from apps.telemetry.formats.otlp.otlp_names import label_name, metric_name
from apps.telemetry.formats.protobuf.json_messages import table_of
from apps.telemetry.formats.protobuf.nesting import shape_of

KIND: Final = otlp_request.OtlpRequestKind(
    name="ExportMetricsServiceRequest",
    request=REQUEST,
    json_request=REQUEST,
    response=RESPONSE,
    rejected="rejected_data_points",
    shape=shape_of(message=REQUEST),
    table=table_of(message=REQUEST),
    messages_limit=600_000,  # 66,000 points with four attributes each
    values_limit=400_000,
)
DELTA: Final = 1
NO_RECORDED_VALUE: Final = 1  # flag of a point
HOST: Final = "host.name"
PROMOTED: Final = ("k8s.", "container.", "host.", "cluster", "deployment.environment", "gpu.")
TEXT_LENGTH: Final = 1024


def read_protobuf(*, body: bytes) -> Columns:
    """Return the points of an ExportMetricsServiceRequest; raise NothingUsable, TooBig."""
    return _columns(otlp_request.from_protobuf(kind=KIND, body=body))


def read_json(*, body: bytes) -> Columns:
    """Return the points of the same request as JSON; raise NothingUsable, TooBig."""
    return _columns(otlp_request.from_json(kind=KIND, body=body))


def _columns(request: Any) -> Columns:
    sheet = Sheet()
    for resource_metrics in request.resource_metrics:
        speaker = _speaker(resource_metrics.resource.attributes)
        for scope_metrics in resource_metrics.scope_metrics:
            for metric in scope_metrics.metrics:
                _metric(sheet, speaker, metric)
    return Columns(
        keys=tuple(sheet.rows),
        series=np.array(sheet.series, np.intp),
        at=np.array(sheet.at, np.int64),
        values=np.array(sheet.values, np.float64),
        deltas=frozenset(sheet.deltas),
        metadata=sheet.metadata,
        exemplar_count=sheet.exemplar_count,
        refused_count=sheet.refused_count,
        refusal=sheet.refusal,
    )


def _speaker(attributes: Iterable[Any]) -> Labels:
    """Return the labels that every series of a resource has."""
    said = {each.key: _text(each.value) for each in attributes}
    labels = {label_name(name): value for name, value in said.items() if name.startswith(PROMOTED)}
    service, space = said.get("service.name", ""), said.get("service.namespace", "")
    labels["job"] = f"{space}/{service}" if space and service else service
    labels["instance"] = said.get("service.instance.id", "") or said.get(HOST, "")
    return {name: value for name, value in labels.items() if value}


def _text(value: Any) -> str:
    kind = value.WhichOneof("value")
    if kind == "bool_value":
        return "true" if value.bool_value else "false"
    if kind in {"string_value", "int_value", "double_value"}:
        return str(getattr(value, kind))[:TEXT_LENGTH]
    return ""  # lists, maps and bytes name nothing that anybody looks for


def _metric(sheet: Sheet, speaker: Labels, metric: Any) -> None:
    shape = metric.WhichOneof("data")
    if shape is None:
        return
    data = getattr(metric, shape)
    is_sum = shape == "sum"
    is_counter = is_sum and data.is_monotonic
    name = metric_name(
        name=metric.name,
        unit=metric.unit,
        is_counter=is_counter,
        is_gauge=shape == "gauge",
    )
    kind = "counter" if is_counter else KINDS[shape]
    sheet.metadata[name] = Meta(
        kind=kind,
        unit=metric.unit[:24].replace("\0", ""),
        help=metric.description[:300].replace("\0", ""),
    )
    is_delta = getattr(data, "aggregation_temporality", 0) == DELTA
    for point in data.data_points:
        sheet.exemplar_count += len(point.exemplars) if shape != "summary" else 0
        if is_delta and is_sum and not is_counter:
            sheet.refuse("increments of a sum that may shrink can't be added up")
            continue
        # Before they are joined: what a resource says is said again of each of its points.
        if len(speaker) + len(point.attributes) > LABELS_LIMIT:
            sheet.refuse(f"a series has more than {LABELS_LIMIT} labels")
            continue
        labels = speaker | _attributes(point.attributes)
        for suffix, more, value in SHAPES[shape](point):
            is_stale = bool(point.flags & NO_RECORDED_VALUE)
            sheet.add(
                labels={**labels, **more, "__name__": name + suffix},
                nanoseconds=point.time_unix_nano,
                value=float(STALE) if is_stale else value,
                is_delta=is_delta,
            )


def _attributes(attributes: Iterable[Any]) -> Labels:
    """Return the labels of a point; two that translate alike are joined, as Prometheus does."""
    said = [(each.key, _text(each.value)) for each in attributes]
    labels = {label_name(key): value for key, value in said}
    if len(labels) == len(said):
        return labels
    labels = {}
    for key, value in sorted(said, key=itemgetter(0)):
        name = label_name(key)
        labels[name] = f"{labels[name]};{value}" if name in labels else value
    return labels


def _number(point: Any) -> Iterator[tuple[str, Labels, float]]:
    kind = point.WhichOneof("value")
    if kind or point.flags & NO_RECORDED_VALUE:
        yield "", {}, float(getattr(point, kind)) if kind else 0.0


def _sum_and_count(point: Any) -> Iterator[tuple[str, Labels, float]]:
    yield "_count", {}, float(point.count)
    if point.HasField("sum") or point.flags & NO_RECORDED_VALUE:
        yield "_sum", {}, point.sum


def _summary(point: Any) -> Iterator[tuple[str, Labels, float]]:
    yield "_count", {}, float(point.count)
    yield "_sum", {}, point.sum
    for each in point.quantile_values:
        yield "", {"quantile": f"{each.quantile:g}"}, each.value


KINDS: Final = {
    "gauge": "gauge",
    "sum": "gauge",  # one that may shrink
    "histogram": "histogram",
    "exponential_histogram": "histogram",
    "summary": "summary",
}
SHAPES: Final = {
    "gauge": _number,
    "sum": _number,
    "histogram": _sum_and_count,
    "exponential_histogram": _sum_and_count,
    "summary": _summary,
}
