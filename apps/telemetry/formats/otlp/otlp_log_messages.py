"""Messages of OpenTelemetry's logs, as far as they are read, by their published numbers.

What is not listed is skipped: severities, flags, versions of scopes, the ids of traces and spans.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from apps.telemetry.formats.protobuf.messages import built


def _messages(text: str) -> Mapping[str, Sequence[str]]:
    return {
        "Request": ("resource_logs 1 []ResourceLogs",),
        "ResourceLogs": ("resource 1 Resource", "scope_logs 2 []ScopeLogs"),
        "Resource": ("attributes 1 []KeyValue",),
        "ScopeLogs": ("scope 1 Scope", "log_records 2 []LogRecord"),
        "Scope": (f"name 1 {text}",),
        "LogRecord": (
            "time_unix_nano 1 fixed64",
            "body 5 AnyValue",
            "attributes 6 []KeyValue",
            "observed_time_unix_nano 11 fixed64",
            f"event_name 12 {text}",
        ),
        "KeyValue": ("key 1 string", "value 2 AnyValue"),
        "AnyValue": (
            f"string_value 1 {text} value",
            "bool_value 2 bool value",
            "int_value 3 int64 value",
            "double_value 4 double value",
            "array_value 5 ArrayValue value",
            "kvlist_value 6 KeyValueList value",
            "bytes_value 7 bytes value",
        ),
        "ArrayValue": ("values 1 []AnyValue",),
        "KeyValueList": ("values 1 []KeyValue",),
    }


# Collectors pass a line's bytes on as they are: as text, one bad byte would lose the whole body.
REQUEST: Final[Any] = built(package="portal.otlp.logs", messages=_messages("bytes"))["Request"]
JSON_REQUEST: Final[Any] = built(package="portal.otlp.json", messages=_messages("string"))[
    "Request"
]
_TOLD: Final = built(
    package="portal.otlp.told",
    messages={
        "Response": ("partial_success 1 PartialSuccess",),
        "PartialSuccess": ("rejected_log_records 1 int64", "error_message 2 string"),
        "Status": ("code 1 int32", "message 2 string"),
    },
)
RESPONSE: Final[Any] = _TOLD["Response"]
STATUS: Final[Any] = _TOLD["Status"]  # google.rpc.Status, with which refusals are told
