"""POST /v1/metrics: OpenTelemetry's metrics over HTTP, protobuf and JSON.

A sender tries again on 429 and 503 alone (Retry-After says when) and drops on everything else.
"""

from django.http import HttpRequest, HttpResponse

from apps.api.receivers.metrics import keep
from apps.api.receivers.otlp.requests import body_of, otlp_receiver
from apps.api.receivers.requests.authentication import Push
from apps.api.receivers.requests.receiver import takes
from apps.telemetry.formats.otlp import otlp_metrics
from apps.telemetry.formats.otlp.otlp_request import answer
from apps.telemetry.samples.accept import OTLP, OTLP_JSON


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
