"""Requests of OpenTelemetry over HTTP: read within bounds, answered in the coding they came in."""

from dataclasses import dataclass
from typing import Any, Final

import orjson
from google.protobuf import json_format
from google.protobuf.message import DecodeError

from apps.telemetry.formats.lines import NothingUsable, TooBig

# Bytes that begin a message inside a message: each takes two bytes at the least and seventy as an
# object, so this bounds what a body of empty messages unfolds to.
TAGS_LIMIT: Final = 1_500_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of request, its answer, and what a body of it may unfold to."""

    name: str
    request: Any
    json_request: Any
    response: Any
    rejected: str  # the answer's field that counts what was left out
    tags: tuple[bytes, ...]  # what can begin a message inside a message
    keys_limit: int  # of a JSON body: as objects they take a hundred times more
    has_text: bool = False  # printed by programs: a bad byte costs one letter, not the body


def tags_up_to(*, number: int) -> tuple[bytes, ...]:
    """Return the bytes that begin a nested message with a field number up to this one."""
    return tuple(bytes([each << 3 | 2]) for each in range(1, number + 1))


def from_protobuf(*, kind: Kind, body: bytes) -> Any:
    """Return a request; raise NothingUsable, TooBig."""
    if sum(map(body.count, kind.tags)) > TAGS_LIMIT:
        raise TooBig(f"the body has more than {TAGS_LIMIT} fields; send it in parts")
    request = kind.request()
    try:
        request.ParseFromString(body)
    except DecodeError as error:
        raise NothingUsable(f"the body is no {kind.name}") from error
    return request


def from_json(*, kind: Kind, body: bytes) -> Any:
    """Return the same request out of JSON; raise NothingUsable, TooBig."""
    # Also with a blank before the colon, and things without a key.
    if max(body.count(b":"), body.count(b"{") + body.count(b"[")) > kind.keys_limit:
        raise TooBig(f"the body has more than {kind.keys_limit} fields; send it in parts")
    request = kind.json_request()
    try:
        said = orjson.loads(body.decode(errors="replace") if kind.has_text else body)
        if not isinstance(said, dict):
            raise NothingUsable("the body is no object")
        json_format.ParseDict(said, request, ignore_unknown_fields=True)
    except (orjson.JSONDecodeError, json_format.ParseError) as error:
        raise NothingUsable(f"the body is no {kind.name} as JSON") from error
    except (TypeError, AttributeError, ValueError, RecursionError) as error:
        raise NothingUsable("the body has another shape than the request") from error
    return request


def answer(*, kind: Kind, rejected_count: int, reason: str, is_json: bool) -> bytes:
    """Return the answer to a request that was taken, in part or as a whole."""
    response = kind.response()
    if rejected_count or reason:
        setattr(response.partial_success, kind.rejected, rejected_count)
        response.partial_success.error_message = reason
    if is_json:
        return json_format.MessageToJson(response, indent=None).encode()
    serialized: bytes = response.SerializeToString()
    return serialized
