"""JSON as programs print it: one object, a list, an object with a list in it, or one a line."""

from collections.abc import Iterator
from typing import Any, Final

import orjson

from apps.telemetry.formats.compression.limits import MEBIBYTE, check_json
from apps.telemetry.formats.lines.complaints import NothingUsable

MOST_BYTES: Final = 16 * MEBIBYTE
# What lists are called: kubectl, the clients and the interface of Backend.AI.
LISTS: Final = ("items", "sessions", "edges", "events", "history")
# What one entry may be wrapped in: a watch of kubectl, a page of GraphQL.
WRAPS: Final = ("object", "node")


def json_objects(*, body: bytes) -> Iterator[dict[str, Any]]:
    """Yield the objects of a body; raise NothingUsable, TooBig."""
    check_json(body=body, most=MOST_BYTES)
    for found in _documents(body):
        for each in _entries(found):
            if isinstance(each, dict):
                yield next((each[name] for name in WRAPS if isinstance(each.get(name), dict)), each)


def _documents(body: bytes) -> Iterator[Any]:
    try:
        yield orjson.loads(body)
    except orjson.JSONDecodeError as error:
        lines = [line for line in body.splitlines() if line.strip()]
        if len(lines) < 2:
            raise NothingUsable(f"the body is no JSON: {error}") from error
        for number, line in enumerate(lines, start=1):
            try:
                yield orjson.loads(line)
            except orjson.JSONDecodeError as wrong:
                raise NothingUsable(f"line {number} is no JSON: {wrong}") from wrong


def _entries(found: Any) -> list[Any]:
    if isinstance(found, list):
        return found
    if not isinstance(found, dict):
        raise NothingUsable("the body must be JSON objects")
    lists = (found[name] for name in LISTS if isinstance(found.get(name), list))
    return next(lists, [found])
