"""How values of dumps stand in a line of text: a mark and compact JSON behind it."""

import json
from typing import Any

# What a line that somebody else wrote may make of a reader.
BAD = (ValueError, KeyError, TypeError, IndexError, OverflowError)


def compact(*, value: Any) -> str:
    """Return a value as JSON without blanks; equal values give equal texts."""
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def said(*, text: str, mark: str) -> dict[str, Any] | None:
    """Return the object behind a mark, None where there is none."""
    _, found, rest = text.partition(mark)
    start = rest.find("{")
    if not found or start < 0:
        return None
    try:
        value = json.loads(rest[start:])
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def number(*, value: Any) -> int:
    """Return a whole number of a sensible size. Raises ValueError."""
    if not isinstance(value, int) or abs(value) >= 2**63:
        raise ValueError("not a number")
    return value
