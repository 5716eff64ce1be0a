"""Bodies of remote_write and OTLP as senders make them: an encoder apart, by generated code."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import cramjam
from django.test import Client
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

Field = descriptor_pb2.FieldDescriptorProto
TYPES = {
    "string": Field.TYPE_STRING,
    "double": Field.TYPE_DOUBLE,
    "int64": Field.TYPE_INT64,
    "uint32": Field.TYPE_UINT32,
    "uint64": Field.TYPE_UINT64,
}
V2 = "application/x-protobuf;proto=io.prometheus.write.v2.Request"
V1 = "application/x-protobuf"
# The published files, as far as senders fill them.
MESSAGES = {
    "Label": "name 1 string, value 2 string",
    "Sample": "value 1 double, timestamp 2 int64, start_timestamp 3 int64",
    "Exemplar": "labels 1 []Label, value 2 double, timestamp 3 int64",
    "Histogram": "count_int 1 uint64, sum 3 double, schema 4 int64, timestamp 15 int64",
    "Series": "labels 1 []Label, samples 2 []Sample, exemplars 3 []Exemplar, "
    "histograms 4 []Histogram",
    "Metadata": "type 1 uint32, metric_family_name 2 string, help 4 string, unit 5 string",
    "WriteRequest": "timeseries 1 []Series, metadata 3 []Metadata",
    "Exemplar2": "labels_refs 1 []uint32, value 2 double, timestamp 3 int64",
    "Metadata2": "type 1 uint32, help_ref 3 uint32, unit_ref 4 uint32",
    "Series2": "labels_refs 1 []uint32, samples 2 []Sample, histograms 3 []Histogram, "
    "exemplars 4 []Exemplar2, metadata 5 Metadata2",
    "Request2": "symbols 4 []string, timeseries 5 []Series2",
}
KINDS = ("", "counter", "gauge", "histogram", "gaugehistogram", "summary", "info", "stateset")
Answer = Any  # what the test client returns has no public type


def _classes() -> Any:
    file = descriptor_pb2.FileDescriptorProto(name="t.proto", package="t", syntax="proto3")
    for name, text in MESSAGES.items():
        message = file.message_type.add(name=name)
        for line in text.split(", "):
            field_name, number, kind = line.split()
            plain = kind.removeprefix("[]")
            message.field.add(
                name=field_name,
                number=int(number),
                type=TYPES.get(plain, Field.TYPE_MESSAGE),
                type_name=None if plain in TYPES else f".t.{plain}",
                label=Field.LABEL_REPEATED if plain != kind else Field.LABEL_OPTIONAL,
            )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"t.{name}"))
        for name in MESSAGES
    }


CLASSES = _classes()


@dataclass(frozen=True, kw_only=True)
class Series:
    """A series as a test writes it: labels, and samples as (milliseconds, value)."""

    labels: Mapping[str, str]
    samples: Sequence[tuple[int, float]] = ()
    exemplar_count: int = 0
    histogram_count: int = 0
    kind: str = ""
    unit: str = ""
    help: str = ""


@dataclass(kw_only=True)
class Symbols:
    """Strings of a 2.0 request, each once, the empty one first."""

    places: dict[str, int] = field(default_factory=lambda: {"": 0})

    def __call__(self, text: str) -> int:
        """Return the place of a string."""
        return self.places.setdefault(text, len(self.places))


def v1(
    series: Sequence[Series], metadata: Mapping[str, tuple[str, str, str]] | None = None
) -> bytes:
    """Return a prometheus.WriteRequest, not packed; metadata is name → kind, unit, help."""
    request = CLASSES["WriteRequest"]()
    for each in series:
        made = request.timeseries.add()
        for name, value in each.labels.items():
            made.labels.add(name=name, value=value)
        for at, number in each.samples:
            made.samples.add(timestamp=at, value=number)
        for _ in range(each.exemplar_count):
            made.exemplars.add(value=1.0, timestamp=1)
        for _ in range(each.histogram_count):
            made.histograms.add(count_int=1, sum=2.0, timestamp=1)
    for name, (kind, unit, text) in (metadata or {}).items():
        request.metadata.add(metric_family_name=name, type=KINDS.index(kind), unit=unit, help=text)
    serialized: bytes = request.SerializeToString()
    return serialized


def v2(series: Sequence[Series], *, start_at: int = 0) -> bytes:
    """Return an io.prometheus.write.v2.Request, not packed."""
    request, symbols = CLASSES["Request2"](), Symbols()
    for each in series:
        made = request.timeseries.add()
        for name, value in each.labels.items():
            made.labels_refs.extend((symbols(name), symbols(value)))
        for at, number in each.samples:
            made.samples.add(timestamp=at, value=number, start_timestamp=start_at)
        for _ in range(each.exemplar_count):
            made.exemplars.add(value=1.0, timestamp=1)
        for _ in range(each.histogram_count):
            made.histograms.add(count_int=1, sum=2.0, timestamp=1)
        if each.kind:
            made.metadata.type = KINDS.index(each.kind)
            made.metadata.unit_ref, made.metadata.help_ref = symbols(each.unit), symbols(each.help)
    request.symbols.extend(symbols.places)
    serialized: bytes = request.SerializeToString()
    return serialized


def snapped(body: bytes) -> bytes:
    """Return a snappy block."""
    return bytes(cramjam.snappy.compress_raw(body))


def write(
    token: str, body: bytes, *, content_type: str = V1, query: str = "", **headers: str
) -> Answer:
    """Push a packed body as remote_write does."""
    return Client(raise_request_exception=False).post(
        f"/api/v1/write{query}",
        body,
        content_type=content_type,
        headers={
            "Authorization": f"Bearer {token}",
            "Content-Encoding": "snappy",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        },
    )


def export(
    token: str, body: bytes, *, content_type: str = V1, query: str = "", **headers: str
) -> Answer:
    """Push a body as an OTLP exporter does."""
    return Client(raise_request_exception=False).post(
        f"/v1/metrics{query}",
        body,
        content_type=content_type,
        headers={
            "Authorization": f"Bearer {token}",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        },
    )
