"""Requests of OpenTelemetry over HTTP: read within bounds, answered in the coding they came in."""

from dataclasses import dataclass
from typing import Any

import orjson
from google.protobuf import json_format
from google.protobuf.message import DecodeError

from apps.telemetry.formats.compression.limits import JSON_BODY_BYTES, as_utf8, check_values
from apps.telemetry.formats.lines.complaints import NothingUsable
from apps.telemetry.formats.lines.line_blocks import is_utf8
from apps.telemetry.formats.protobuf.json_messages import Table, fill
from apps.telemetry.formats.protobuf.nesting import Shape, check_messages


@dataclass(frozen=True, slots=True, kw_only=True)
class OtlpRequestKind:
    """One kind of request, its answer, and what a body of it may unfold to."""

    name: str
    request: Any
    json_request: Any
    response: Any
    rejected: str  # the answer's field that counts what was left out
    shape: Shape  # where messages stand inside messages
    table: Table  # how such messages are filled from JSON
    messages_limit: int  # of protocol buffers: as objects they take seventy bytes at the least
    values_limit: int  # of a JSON body, keys among them: each takes microseconds
    has_text: bool = False  # printed by programs: a bad byte costs one letter, not the body


def from_protobuf(*, kind: OtlpRequestKind, body: bytes) -> Any:
    """Return a request; raise NothingUsable, TooBig."""
    check_messages(body=body, shape=kind.shape, most=kind.messages_limit)
    request = kind.request()
    try:
        request.ParseFromString(body)
    except DecodeError as error:
        raise NothingUsable(f"the body is no {kind.name}") from error
    return request


def from_json(*, kind: OtlpRequestKind, body: bytes) -> Any:
    """Return the same request out of JSON; raise NothingUsable, TooBig."""
    if kind.has_text and not is_utf8(text=body):
        body = as_utf8(body=body, most=JSON_BODY_BYTES)
    check_values(body=body, most=kind.values_limit)
    request = kind.json_request()
    try:
        said = orjson.loads(body)
        if not isinstance(said, dict):
            raise NothingUsable("the body is no object")
        fill(message=request, said=said, table=kind.table)
    except (orjson.JSONDecodeError, json_format.ParseError) as error:
        raise NothingUsable(f"the body is no {kind.name} as JSON") from error
    except (TypeError, AttributeError, ValueError, OverflowError, RecursionError) as error:
        raise NothingUsable("the body has another shape than the request") from error
    return request


def answer(*, kind: OtlpRequestKind, rejected_count: int, reason: str, is_json: bool) -> bytes:
    """Return the answer to a request that was taken, in part or as a whole."""
    response = kind.response()
    if rejected_count or reason:
        setattr(response.partial_success, kind.rejected, rejected_count)
        response.partial_success.error_message = reason
    if is_json:
        return json_format.MessageToJson(response, indent=None).encode()
    serialized: bytes = response.SerializeToString()
    return serialized
