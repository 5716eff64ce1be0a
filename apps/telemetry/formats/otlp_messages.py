"""Messages of OpenTelemetry's metrics, as far as they are read, by their published numbers.

What is not listed is skipped: buckets, minima and maxima, scopes, the insides of exemplars.
"""

from typing import Any, Final

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_Field = descriptor_pb2.FieldDescriptorProto
_TYPES: Final = {
    "string": _Field.TYPE_STRING,
    "bool": _Field.TYPE_BOOL,
    "int64": _Field.TYPE_INT64,
    "uint32": _Field.TYPE_UINT32,
    "Temporality": _Field.TYPE_ENUM,
    "double": _Field.TYPE_DOUBLE,
    "fixed64": _Field.TYPE_FIXED64,
    "sfixed64": _Field.TYPE_SFIXED64,
}
PACKAGE: Final = "portal.otlp"
_TEMPORALITY: Final = ("UNSPECIFIED", "DELTA", "CUMULATIVE")
# Message → "name number type [of a oneof]"; `[]` repeated, `?` knows whether it was sent.
_MESSAGES: Final = {
    "Request": ("resource_metrics 1 []ResourceMetrics",),
    "Response": ("partial_success 1 PartialSuccess",),
    "PartialSuccess": ("rejected_data_points 1 int64", "error_message 2 string"),
    "ResourceMetrics": ("resource 1 Resource", "scope_metrics 2 []ScopeMetrics"),
    "Resource": ("attributes 1 []KeyValue",),
    "ScopeMetrics": ("metrics 2 []Metric",),
    "KeyValue": ("key 1 string", "value 2 AnyValue"),
    "AnyValue": (
        "string_value 1 string value",
        "bool_value 2 bool value",
        "int_value 3 int64 value",
        "double_value 4 double value",
    ),
    "Metric": (
        "name 1 string",
        "description 2 string",
        "unit 3 string",
        "gauge 5 Gauge data",
        "sum 7 Sum data",
        "histogram 9 Histogram data",
        "exponential_histogram 10 ExponentialHistogram data",
        "summary 11 Summary data",
    ),
    "Gauge": ("data_points 1 []NumberPoint",),
    "Sum": (
        "data_points 1 []NumberPoint",
        "aggregation_temporality 2 Temporality",
        "is_monotonic 3 bool",
    ),
    "Histogram": ("data_points 1 []HistogramPoint", "aggregation_temporality 2 Temporality"),
    "ExponentialHistogram": (
        "data_points 1 []ExponentialPoint",
        "aggregation_temporality 2 Temporality",
    ),
    "Summary": ("data_points 1 []SummaryPoint",),
    "Exemplar": ("time_unix_nano 2 fixed64",),
    "NumberPoint": (
        "start_time_unix_nano 2 fixed64",
        "time_unix_nano 3 fixed64",
        "as_double 4 double value",
        "exemplars 5 []Exemplar",
        "as_int 6 sfixed64 value",
        "attributes 7 []KeyValue",
        "flags 8 uint32",
    ),
    "HistogramPoint": (
        "time_unix_nano 3 fixed64",
        "count 4 fixed64",
        "sum 5 ?double",
        "exemplars 8 []Exemplar",
        "attributes 9 []KeyValue",
        "flags 10 uint32",
    ),
    "ExponentialPoint": (
        "attributes 1 []KeyValue",
        "time_unix_nano 3 fixed64",
        "count 4 fixed64",
        "sum 5 ?double",
        "flags 10 uint32",
        "exemplars 11 []Exemplar",
    ),
    "SummaryPoint": (
        "time_unix_nano 3 fixed64",
        "count 4 fixed64",
        "sum 5 double",
        "quantile_values 6 []Quantile",
        "attributes 7 []KeyValue",
        "flags 8 uint32",
    ),
    "Quantile": ("quantile 1 double", "value 2 double"),
}


def _built() -> descriptor_pool.DescriptorPool:
    file = descriptor_pb2.FileDescriptorProto(
        name="portal/otlp_metrics.proto", package=PACKAGE, syntax="proto3"
    )
    # As JSON it is a number; senders that write the name are understood.
    temporality = file.enum_type.add(name="Temporality")
    for number, word in enumerate(_TEMPORALITY):
        temporality.value.add(name=f"AGGREGATION_TEMPORALITY_{word}", number=number)
    for name, lines in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for line in lines:
            _add(message, *line.split())
        # Those of optional fields go last, as the compiler itself writes them.
        for field in message.field:
            if field.proto3_optional:
                field.oneof_index = len(message.oneof_decl)
                message.oneof_decl.add(name=f"_{field.name}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool


def _add(
    message: descriptor_pb2.DescriptorProto, name: str, number: str, kind: str, oneof: str = ""
) -> None:
    plain = kind.lstrip("[]?")
    field = message.field.add(
        name=name,
        number=int(number),
        type=_TYPES.get(plain, _Field.TYPE_MESSAGE),
        label=_Field.LABEL_REPEATED if kind.startswith("[]") else _Field.LABEL_OPTIONAL,
        type_name=f".{PACKAGE}.{plain}" if plain[0].isupper() else None,
        proto3_optional=kind.startswith("?"),
    )
    if oneof:
        if not message.oneof_decl:
            message.oneof_decl.add(name=oneof)
        field.oneof_index = 0


def _message(name: str) -> Any:
    found = _POOL.FindMessageTypeByName(f"{PACKAGE}.{name}")
    return message_factory.GetMessageClass(found)


_POOL: Final = _built()
REQUEST: Final = _message("Request")
RESPONSE: Final = _message("Response")
