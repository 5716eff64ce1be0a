"""Server-sent events as a browser takes them apart."""

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One event."""

    kind: str
    mark: str
    data: dict[str, Any]


def heard_of(body: bytes) -> list[Heard]:
    """Return the events of some bytes of a stream."""
    return [_event(block) for block in body.decode().split("\n\n") if block.strip()]


def _event(block: str) -> Heard:
    fields = dict(line.split(": ", 1) for line in block.splitlines())
    return Heard(kind=fields["event"], mark=fields.get("id", ""), data=json.loads(fields["data"]))
