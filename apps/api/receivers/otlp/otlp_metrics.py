"""POST /v1/metrics: OpenTelemetry's metrics over HTTP, protobuf and JSON.

A sender tries again on 429 and 503 alone (Retry-After says when) and drops on everything else.
"""

from django.http import HttpRequest, HttpResponse
from drf_spectacular.types import OpenApiTypes

from apps.api.receivers.description import (
    JSON,
    MEBIBYTE,
    NANOSECONDS,
    PROTOBUF,
    UNKNOWN,
    described,
    example,
    response,
)
from apps.api.receivers.metrics import keep
from apps.api.receivers.otlp.requests import (
    LIMIT_BYTES,
    RPC_STATUS,
    body_of,
    otlp_receiver,
)
from apps.api.receivers.requests.authentication import Push
from apps.api.receivers.requests.receiver import takes
from apps.telemetry.formats.otlp import otlp_metrics
from apps.telemetry.formats.otlp.otlp_columns import POINTS_LIMIT
from apps.telemetry.formats.otlp.otlp_request import answer
from apps.telemetry.samples.accept import OTLP, OTLP_JSON

EXAMPLE = {
    "resourceMetrics": [
        {
            "resource": {"attributes": [{"key": "host.name", "value": {"stringValue": "gpu017"}}]},
            "scopeMetrics": [
                {
                    "metrics": [
                        {
                            "name": "node_load1",
                            "gauge": {
                                "dataPoints": [{"timeUnixNano": NANOSECONDS, "asDouble": 1.5}]
                            },
                        }
                    ]
                }
            ],
        }
    ]
}


@described(
    operation="push_otlp_metrics",
    text=f"OpenTelemetry's metrics; at most {LIMIT_BYTES // MEBIBYTE} MiB unpacked and "
    f"{POINTS_LIMIT} values. A 200 may be a partial success. {UNKNOWN}",
    takes={JSON: example(EXAMPLE), PROTOBUF: OpenApiTypes.BINARY},
    answers={(200, kind): response(body) for kind, body in RPC_STATUS.items()},
    parameters=("cluster", "source"),
    refusal=RPC_STATUS,
)
@otlp_receiver(takes("cluster", "source"))
def push(request: HttpRequest, push: Push) -> HttpResponse:
    """Store points and answer 200, saying how many were left out and why."""
    body, is_json = body_of(request)
    read = otlp_metrics.read_json if is_json else otlp_metrics.read_protobuf
    columns = read(body=body)
    protocol = OTLP_JSON if is_json else OTLP
    keep(request=request, push=push, protocol=protocol, raw=body, columns=columns)
    said = answer(
        kind=otlp_metrics.KIND,
        rejected_count=columns.refused_count,
        reason=columns.refusal,
        is_json=is_json,
    )
    return HttpResponse(said, content_type=request.content_type)
