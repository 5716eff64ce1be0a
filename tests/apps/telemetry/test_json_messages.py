"""Messages as JSON are filled as the library fills them, and refused where it refuses them."""

from typing import Any

import pytest
from google.protobuf import json_format
from hypothesis import example, given
from hypothesis import strategies as st

from apps.telemetry.formats.otlp import otlp_log_messages, otlp_messages
from apps.telemetry.formats.protobuf.json_messages import fill, table_of

ERRORS = (
    json_format.ParseError,
    TypeError,
    AttributeError,
    ValueError,
    OverflowError,
    RecursionError,
)
REQUESTS = (otlp_log_messages.JSON_REQUEST, otlp_messages.REQUEST)
TABLES = {request: table_of(message=request) for request in REQUESTS}

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([2**63 - 1, 2**63, 2**64, -(2**63) - 1, 10**400]),
    st.floats(),
    st.sampled_from(
        [
            "",
            "x",
            "1",
            "-1",
            "1.0",
            "1.5",
            "1 ",
            " 1",
            "1e3",
            "NaN",
            "nan",
            "inf",
            "Infinity",
            "YQ",
            "é",
            "1763690400000000000",
            "AGGREGATION_TEMPORALITY_DELTA",
            "2",
            "AGGREGATION",
        ]
    ),
)
NAMES = ["stringValue", "intValue", "doubleValue", "boolValue", "bytesValue"]
VALUES = st.recursive(
    st.one_of(
        st.sampled_from(NAMES).flatmap(lambda name: st.fixed_dictionaries({name: SCALARS})),
        st.dictionaries(st.sampled_from(["stringValue", "string_value", "intValue", "x"]), SCALARS),
        SCALARS,
    ),
    lambda inner: st.fixed_dictionaries(
        {"arrayValue": st.fixed_dictionaries({"values": st.lists(inner, max_size=2)})}
    ),
    max_leaves=3,
)
ATTRIBUTES = st.lists(st.fixed_dictionaries({"key": SCALARS, "value": VALUES}), max_size=2)
RECORDS = st.dictionaries(
    st.sampled_from(["timeUnixNano", "time_unix_nano", "body", "attributes", "severityText"]),
    st.one_of(SCALARS, VALUES, ATTRIBUTES),
)
POINTS = st.dictionaries(
    st.sampled_from(["timeUnixNano", "asDouble", "asInt", "as_int", "attributes", "flags", "x"]),
    st.one_of(SCALARS, ATTRIBUTES),
)


def logs(records: Any) -> Any:
    return {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}


def metrics(points: Any, temporality: Any) -> Any:
    told = {"dataPoints": points, "aggregationTemporality": temporality, "isMonotonic": True}
    return {"resourceMetrics": [{"scopeMetrics": [{"metrics": [{"name": "a", "sum": told}]}]}]}


def by_library(request: Any, said: Any) -> bytes | None:
    message = request()
    try:
        json_format.ParseDict(said, message, ignore_unknown_fields=True)
    except ERRORS:
        return None
    return bytes(message.SerializeToString(deterministic=True))


def by_table(request: Any, said: Any) -> bytes | None:
    message = request()
    try:
        fill(message=message, said=said, table=TABLES[request])
    except ERRORS:
        return None
    return bytes(message.SerializeToString(deterministic=True))


@given(records=st.one_of(SCALARS, st.lists(st.one_of(SCALARS, RECORDS), max_size=3)))
def test_logs_are_read_as_the_library_reads_them(records: Any) -> None:
    said = logs(records)
    assert by_table(REQUESTS[0], said) == by_library(REQUESTS[0], said)


@example(points=[], temporality=float("nan"))
@given(points=st.lists(POINTS, max_size=3), temporality=SCALARS)
def test_metrics_are_read_as_the_library_reads_them(points: Any, temporality: Any) -> None:
    said = metrics(points, temporality)
    assert by_table(REQUESTS[1], said) == by_library(REQUESTS[1], said)


def test_a_nesting_without_end_is_refused() -> None:
    value: Any = {"stringValue": "x"}
    for _ in range(200):
        value = {"arrayValue": {"values": [value]}}
    with pytest.raises(json_format.ParseError):
        fill(message=REQUESTS[0](), said=logs([{"body": value}]), table=TABLES[REQUESTS[0]])
