"""Messages of OpenTelemetry's metrics, as far as they are read, by their published numbers.

What is not listed is skipped: buckets, minima and maxima, scopes, the insides of exemplars.
"""

from typing import Any, Final

from apps.telemetry.formats.protobuf.messages import built

# As JSON it is a number; senders that write the name are understood.
_TEMPORALITY: Final = tuple(
    f"AGGREGATION_TEMPORALITY_{word}" for word in ("UNSPECIFIED", "DELTA", "CUMULATIVE")
)
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

_MADE: Final = built(
    package="portal.otlp", messages=_MESSAGES, enumerations={"Temporality": _TEMPORALITY}
)
REQUEST: Final[Any] = _MADE["Request"]
RESPONSE: Final[Any] = _MADE["Response"]
