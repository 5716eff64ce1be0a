"""What requests of OpenTelemetry's exporters have in common: their body, and how it is refused.

The body of a refusal is a google.rpc.Status in the coding of the request. 429 and 503 are tried
again, after Retry-After; everything else is dropped by the sender.
"""

import json
from collections.abc import Callable
from functools import wraps
from typing import Final

import orjson
from django.http import HttpRequest, HttpResponse
from drf_spectacular.types import OpenApiTypes

from apps.api.receivers.requests.bodies import json_body
from apps.api.receivers.requests.errors import UnsupportedMedia
from apps.api.receivers.requests.receiver import Check, Receiver, View, receiver
from apps.telemetry.formats.lines.complaints import TooBig
from apps.telemetry.formats.otlp.otlp_log_messages import STATUS

JSON: Final = "application/json"
PROTOBUF: Final = "application/x-protobuf"
INTERNAL: Final = 13
# What is answered, in the coding of the request, as docs/openapi.yaml has it.
RPC_STATUS: Final = {JSON: OpenApiTypes.OBJECT, PROTOBUF: OpenApiTypes.BINARY}
# As objects the messages take up to forty times the room.
LIMIT_BYTES: Final = 8 * 2**20
# HTTP status → google.rpc.Code
CODES: Final = {400: 3, 401: 16, 403: 7, 404: 5, 405: 12, 413: 3, 415: 3, 429: 8, 503: 14}


def otlp_receiver(check: Check) -> Callable[[Receiver], View]:
    """Make a view of a receiver, as `receiver` does, that refuses in OpenTelemetry's words."""

    def made(handle: Receiver) -> View:
        view = receiver(check)(handle)

        @wraps(view)
        def told(request: HttpRequest) -> HttpResponse:
            answer = view(request)
            if answer.status_code >= 400:
                _retell(answer, is_json=request.content_type != PROTOBUF)
            return answer

        return told

    return made


def body_of(request: HttpRequest) -> tuple[bytes, bool]:
    """Return a body unpacked, and whether it is JSON; raise UnsupportedMedia, TooBig."""
    if (request.content_type or "").startswith("application/grpc"):
        raise UnsupportedMedia(f"OTLP over gRPC is not taken; export over HTTP, as {PROTOBUF}")
    if request.content_type not in {JSON, PROTOBUF}:
        raise UnsupportedMedia(f"send {PROTOBUF} or {JSON}")
    body = json_body(request)
    if len(body) > LIMIT_BYTES:
        raise TooBig(f"the body unpacks to more than {LIMIT_BYTES} bytes; send smaller batches")
    return body, request.content_type == JSON


def _retell(answer: HttpResponse, *, is_json: bool) -> None:
    said = orjson.loads(answer.content)
    code = CODES.get(answer.status_code, INTERNAL)
    if is_json:
        answer.content = json.dumps({**said, "code": code, "message": said["detail"]}).encode()
        answer["Content-Type"] = JSON
    else:
        answer.content = STATUS(code=code, message=said["detail"]).SerializeToString()
        answer["Content-Type"] = PROTOBUF
