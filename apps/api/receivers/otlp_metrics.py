"""POST /v1/metrics: OpenTelemetry's metrics over HTTP, protobuf and JSON.

A sender tries again on 429 and 503 alone (Retry-After says when) and drops on everything else.
"""

from typing import Final

from django.http import HttpRequest, HttpResponse

from apps.api.receivers.bodies import json_body
from apps.api.receivers.door import Push, UnsupportedMedia
from apps.api.receivers.metrics import keep
from apps.api.receivers.otlp import JSON, PROTOBUF, otlp_receiver
from apps.telemetry.formats import otlp_metrics
from apps.telemetry.formats.lines import TooBig
from apps.telemetry.pushed.accept import OTLP, OTLP_JSON

# As objects the messages take up to forty times the room.
LIMIT_BYTES: Final = 8 * 2**20


@otlp_receiver
def push(request: HttpRequest, push: Push) -> HttpResponse:
    """Store points and answer 200, saying how many were left out and why."""
    if request.content_type not in {JSON, PROTOBUF}:
        raise UnsupportedMedia(f"send {PROTOBUF} or {JSON}")
    is_json = request.content_type == JSON
    body = json_body(request)
    if len(body) > LIMIT_BYTES:
        raise TooBig(f"the body unpacks to more than {LIMIT_BYTES} bytes; send smaller batches")
    read = otlp_metrics.read_json if is_json else otlp_metrics.read_protobuf
    columns = read(body=body)
    protocol = OTLP_JSON if is_json else OTLP
    keep(request=request, push=push, protocol=protocol, raw=body, columns=columns)
    said = otlp_metrics.answer(
        rejected_count=columns.refused_count, reason=columns.refusal, is_json=is_json
    )
    return HttpResponse(said, content_type=request.content_type)
